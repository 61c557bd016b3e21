"""What the commands of a live run share: where the Core is, keys, how they are asked to end."""

import getpass
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeVar

import typer

from movenv.cli import FAILED, INTERRUPTED, WRONG_INPUT

if TYPE_CHECKING:
    from movenv.runtime.keys import Credentials
    from movenv.runtime.live.wire import Message

    Answer = TypeVar("Answer", bound=Message)

DEFAULT_CORE = "tcp/127.0.0.1:7450"
LAUNCHER_GONE = "the launcher is gone"
STOP_COMES_WITHIN = 10.0
SAME_KEYSTROKE = 0.3
"""A wrapper may pass on a Ctrl-C that the terminal has sent already, s."""

CoreOption = Annotated[
    str, typer.Option("--core", metavar="ADDRESS", help="Where the Core is: tcp/HOST:PORT.")
]
KeysOption = Annotated[
    Path | None, typer.Option("--keys", metavar="FOLDER", help="Keys of this machine for the run.")
]
VehiclesOption = Annotated[
    list[str] | None,
    typer.Option("--vehicles", metavar="PATTERN", help="Its vehicles, by name; default all."),
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="PATTERN", help="Vehicles that others bring."),
]
OpenOption = Annotated[
    bool, typer.Option("--open", help="Let phones in from every network, not only from here.")
]
ReportOption = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="At the end, write one object here.")
]
AddressOption = Annotated[
    str | None,
    typer.Option(metavar="HOST", help="What phones are told to connect to; default: found out."),
]


def credentials(folder: Path | None) -> "Credentials | None":
    """The keys in a folder. Raises KeysError."""
    if folder is None:
        return None
    from movenv.runtime.keys import Credentials

    return Credentials.read(folder)


def operator() -> str:
    """Who gives a command, for the recording."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name
        return "operator"


def ask_core(
    core: str, keys: Path | None, key: str, message: "Message", wanted: "type[Answer]"
) -> "Answer":
    """The Core's answer to an operator. Ends the command with the reason where it refuses."""
    from movenv.runtime.live import wire
    from movenv.runtime.live.bus import Bus

    try:
        with Bus.connect(core, credentials(keys), patience=3) as bus:
            answer = wire.as_answer(wanted, bus.ask(key, message.encoded()))
    except wire.Garbled as error:
        print(f"what answers at {core} is no Core of this version: {error}", file=sys.stderr)
        raise typer.Exit(FAILED) from None
    if isinstance(answer, wire.Refusal):
        print(answer.why, file=sys.stderr)
        raise typer.Exit(WRONG_INPUT)
    return answer


def on_end(stop: Callable[[str], None]) -> None:
    """Call `stop` at the first Ctrl-C, or when the launcher that started us is gone."""
    asked_at: float | None = None

    def interrupt(_signal: int, _frame: object) -> None:
        nonlocal asked_at
        if asked_at is None:
            asked_at = time.monotonic()
            threading.Thread(target=stop, args=("Ctrl-C",), daemon=True).start()
        elif time.monotonic() - asked_at > SAME_KEYSTROKE:
            os._exit(INTERRUPTED)

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    if os.environ.get("MOVENV_ATTACHED"):

        def wait() -> None:
            sys.stdin.read()
            stop(LAUNCHER_GONE)

        threading.Thread(target=wait, daemon=True).start()


def leave(why: str) -> NoReturn:
    """End this process and nothing else; at the end of a launcher, give STOP time to come."""
    if why == LAUNCHER_GONE:
        time.sleep(STOP_COMES_WITHIN)
    os._exit(INTERRUPTED)
