"""The `movenv` command."""

import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from movenv import __version__
from movenv.cli import bench, check, export, info, new, run, schema

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130

app = typer.Typer(
    name="movenv",
    help="MoVE: real and virtual vehicles in one test.",
    epilog="First steps: movenv run three-uavs --fast",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for module in (run, check, info, export, new, schema, bench):
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
    own = [frame for frame in frames if not frame.filename.startswith(package)] or frames[-1:]
    return "".join([*traceback.format_list(own), *traceback.format_exception_only(error)])


def main() -> None:
    """Run the command line; every expected failure becomes words and an exit code."""
    from movenv.recording.writer import RecordingError, RecordingRefused
    from movenv.scenario.errors import ScenarioError
    from movenv.world.behavior import BehaviorFailed

    try:
        app()
    except (ScenarioError, RecordingRefused) as error:
        print(error, file=sys.stderr)
        sys.exit(WRONG_INPUT)
    except RecordingError as error:
        print(error, file=sys.stderr)
        sys.exit(FAILED)
    except BehaviorFailed as error:
        print(error, file=sys.stderr)
        print(_own_frames(error.__cause__), end="", file=sys.stderr)
        sys.exit(FAILED)
    except BrokenPipeError:
        # Whoever read our output has gone, as in `movenv schema | head`.
        sys.stderr.close()
        sys.exit(DONE)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
