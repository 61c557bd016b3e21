"""movenv console: a live run in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from movenv.cli.attached import DEFAULT_CORE, CoreOption, KeysOption, credentials
from movenv.cli.page import (
    BrowserOption,
    FolderOption,
    OpenPageOption,
    PageAddressOption,
    PortOption,
    offer,
)

HELP = """Show a live run in browsers, and let an operator run it from there.

movenv run starts one already; this is for another machine. Two links are
printed: with one the run can be changed, with the other only be looked at.
Without --open only this machine can reach it; with it the page is encrypted.

\b
Examples:
  movenv console
  movenv console --open --core tls/192.168.1.5:7450 --keys operator
"""


def register(app: typer.Typer) -> None:
    app.command("console", help=HELP)(console)


def console(
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
    port: PortOption = None,
    open_: OpenPageOption = False,
    address: PageAddressOption = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A private folder: links are kept over a restart."),
    ] = None,
    folder: FolderOption = None,
    recording: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the run is recorded, to be told at its end."),
    ] = None,
    browser: BrowserOption = None,
) -> None:
    from movenv.runtime.live.bus import Bus
    from movenv.web.live.feed import LiveFeed
    from movenv.web.place import Place

    with Bus.connect(core, credentials(keys), patience=10) as bus:
        feed = LiveFeed(bus)
        offer(feed, feed, Place(port, open_, address, state), folder, browser, recording)
