"""What the commands that offer a page to browsers share."""

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from movenv.cli.attached import on_end

if TYPE_CHECKING:
    from movenv.web.feed import Feed, Operations
    from movenv.web.place import Place

BrowserOption = Annotated[
    bool | None,
    typer.Option("--browser/--no-browser", help="Open it here; default: where one can be seen."),
]
PortOption = Annotated[
    int | None,
    typer.Option(min=1, max=65535, help="Default: the first free one from 7470 on."),
]
OpenPageOption = Annotated[
    bool, typer.Option("--open", help="Let browsers in from every network, encrypted.")
]
PageAddressOption = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST",
        help="What browsers are told to connect to; default: found out.",
    ),
]


FolderOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Where the scenario's files for maps and routes are; without it none is read, nor "
        "a key used.",
    ),
]


def browser_is_seen() -> bool:
    """Whether somebody sits here who would see a browser that is opened."""
    if os.environ.get("CI") or not sys.stdout.isatty():
        return False
    displays = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.platform != "linux" or bool(displays)


def offer(
    feed: "Feed",
    operations: "Operations | None",
    place: "Place",
    folder: Path | None,
    browser: bool | None,
    recording: Path | None = None,
) -> None:
    """Serve a run until Ctrl-C, and close it. Raises RunFailed or WrongInput."""
    from movenv.runtime.errors import RunFailed

    try:
        from movenv.web.serve import serve_console
    except ModuleNotFoundError as error:
        feed.close()
        raise RunFailed(
            f"the console needs the package '{error.name}'; pip install movenv brings it"
        ) from None
    with contextlib.closing(feed):
        serve_console(
            feed,
            operations,
            place,
            folder,
            recording,
            browser=browser_is_seen() if browser is None else browser,
            say=lambda line: print(line, flush=True),
            on_end=on_end,
        )
