"""The `movenv` command."""

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from movenv import __version__
from movenv.cli import (
    FAILED,
    WRONG_INPUT,
    bench,
    car,
    check,
    console,
    core,
    export,
    gateway,
    host,
    info,
    inject,
    jaus,
    join,
    keys,
    mark,
    new,
    order,
    phones,
    record,
    render,
    replay,
    retrack,
    review,
    runs,
    schema,
    state,
    status,
    upload,
)
from movenv.cli import run as run_command

app = typer.Typer(
    name="movenv",
    help="MoVE: real and virtual vehicles in one test.",
    epilog="First steps: movenv run three-uavs",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

COMMANDS = (
    *(run_command, console, replay, state, mark, order, status, join, phones, check, info, export),
    *(review, upload, runs),
    *(retrack, new, schema),
    *(core, host, gateway, car, inject, jaus, record, render, keys, bench),
)
for module in COMMANDS:
    module.register(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"movenv {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def _own_frames(error: BaseException | None) -> str:
    """Where in the author's own file a behavior went wrong, without the engine around it."""
    if error is None:
        return ""
    package = str(Path(__file__).parents[1])
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(package)]
    return "".join([*traceback.format_list(own), *traceback.format_exception_only(error)])


def run() -> None:
    """Run the command line; every expected failure becomes words and an exit code."""
    from movenv.recording.writer import RecordingError, RecordingRefused
    from movenv.runtime.errors import RunFailed, WrongInput
    from movenv.scenario.errors import ScenarioError
    from movenv.world.behavior import PartFailed

    try:
        app()
    except (ScenarioError, RecordingRefused, WrongInput) as error:
        _end(WRONG_INPUT, error)
    except (RecordingError, RunFailed) as error:
        _end(FAILED, error)
    except PartFailed as error:
        _end(FAILED, f"{error}\n{_own_frames(error.__cause__)}".strip())
    except OSError as error:
        # Files of the user are reported above by name; this may be standard output itself.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        _end(FAILED, f"the system refuses: {error}")


def _end(code: int, said: object) -> NoReturn:
    print(said, file=sys.stderr)
    sys.exit(code)
