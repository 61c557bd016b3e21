"""movenv keys: who may take part in a run on the network."""

from pathlib import Path
from typing import Annotated

import typer

HELP = """Make the keys of a run that is opened to the network.

DIR gets an authority of its own, which only this run trusts, and a folder for
the Core, for the operator and for each further NAME. With keys in DIR already,
a folder is added for each NAME. Nothing that exists is overwritten.

\b
Examples:
  movenv keys keys
  movenv keys keys pi host-3
"""


def register(app: typer.Typer) -> None:
    app.command("keys", help=HELP)(keys)


def keys(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the keys are, or will be.")],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Further machines.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="How long they are good for.")] = 30,
) -> None:
    from movenv.runtime.keys import make_keys

    for credentials in make_keys(folder, names or [], days):
        print(f"{folder / credentials.name}  until {credentials.expires:%Y-%m-%d}")
    print(
        "Carry each folder to its machine, over a channel you trust, and to no other.\n"
        f"{folder / 'ca.key'} admits new machines: it stays here. Lost a folder? Make new keys."
    )
