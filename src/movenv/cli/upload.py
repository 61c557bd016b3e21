"""movenv upload: a recording into a database."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from movenv.cli import FAILED
from movenv.cli.attached import DEFAULT_CORE, CoreOption, KeysOption, leave, on_end
from movenv.cli.goal import DATABASE_VARIABLE

HELP = """Bring a recording, all its parts, into a MongoDB database.

What is there already stays, so it can be called again whenever it was cut
short: it goes on where the database ends. Old recordings can be brought in too.

\b
Examples:
  movenv upload test.mcap mongodb://localhost:27017/tests
  movenv upload test.mcap --follow        while a run is recorded into the file
"""


def register(app: typer.Typer) -> None:
    app.command("upload", help=HELP)(upload)


def upload(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The recording.")],
    database: Annotated[
        str,
        typer.Argument(
            metavar="mongodb://HOST:PORT/DB",
            envvar=DATABASE_VARIABLE,
            help="Where to; a password is better given in the variable than here.",
        ),
    ],
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on while the file is written, until it is closed.")
    ] = False,
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
) -> None:
    from movenv.recording.mongo.upload import check_database
    from movenv.recording.mongo.upload import upload as bring
    from movenv.recording.mongo.url import parse

    address = parse(database)
    if follow:
        from movenv.runtime.live.feeder_process import FeederProcess

        on_end(leave)
        FeederProcess(file, address, core, keys).run()
        return
    check_database(address)
    uploaded = bring(file, address, lambda line: print(line, file=sys.stderr, flush=True))
    if uploaded is None:
        print(f"{address.shown} stayed away; call this again when it is back", file=sys.stderr)
        raise typer.Exit(FAILED)
    print(f"{uploaded.run.told}: {uploaded.documents:,} documents more")
