"""movenv record: the recorder of a live run by itself."""

from pathlib import Path
from typing import Annotated

import typer

from movenv.cli.attached import (
    DEFAULT_CORE,
    CoreOption,
    KeysOption,
    credentials,
    leave,
    on_end,
)

HELP = """Record a live run into a file, until it stops.

Where the file is there already and of the same run, the recording goes on in a
further part beside it: movenv info and export read the parts as one.

\b
Example:
  movenv record test.mcap --core tls/192.168.1.5:7450 --keys operator
"""


def register(app: typer.Typer) -> None:
    app.command("record", help=HELP)(record)


def record(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The recording to write.")],
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
    name: Annotated[str, typer.Option(help="Name of this recorder.")] = "recorder",
) -> None:
    from movenv.runtime.live.bus import Bus
    from movenv.runtime.live.record_process import RecordProcess

    on_end(leave)
    with Bus.connect(core, credentials(keys), patience=30) as bus:
        process = RecordProcess(bus, file, name)
        print(f"recording into {process.path}", flush=True)
        process.run()
