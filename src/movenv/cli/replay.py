"""movenv replay: a recording in a browser."""

import sys
from typing import Annotated

import typer

from movenv.cli.page import (
    BrowserOption,
    FolderOption,
    OpenPageOption,
    PageAddressOption,
    PortOption,
    offer,
)

HELP = """Show a recording in browsers: play it, slower or faster, and go to any moment.

Everybody who opens the link goes through the recording by themselves.

\b
Examples:
  movenv replay recordings/field-20250401T101500.000Z.mcap
  movenv replay test.mcap --open
"""


def register(app: typer.Typer) -> None:
    app.command("replay", help=HELP)(replay)


def replay(
    recording: Annotated[
        str,
        typer.Argument(metavar="RECORDING", help="The file, or mongodb://HOST/DB?run=ID."),
    ],
    port: PortOption = None,
    open_: OpenPageOption = False,
    address: PageAddressOption = None,
    folder: FolderOption = None,
    browser: BrowserOption = None,
) -> None:
    from movenv.recording.reference import recording_file
    from movenv.web.place import Place
    from movenv.web.replay.feed import ReplayFeed

    with recording_file(recording) as path:
        feed = ReplayFeed(path)
        for remark in feed.remarks:
            print(remark, file=sys.stderr)
        offer(feed, None, Place(port, open_, address), folder, browser)
