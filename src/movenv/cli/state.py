"""movenv state: the operator's hand on a live run."""

import sys
from typing import Annotated

import typer

from movenv.cli.attached import DEFAULT_CORE, CoreOption, KeysOption, ask_core, operator

HELP = """Change the run state of a live run.

READY and SET prepare, GO starts time, PAUSE holds it, STOP ends the run.

\b
Examples:
  movenv state set
  movenv state go
"""
STATES = ("ready", "set", "go", "pause", "stop")


def register(app: typer.Typer) -> None:
    app.command("state", help=HELP)(state)


def state(
    wanted: Annotated[str, typer.Argument(metavar="|".join(STATES), help="The run state.")],
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
) -> None:
    from movenv.runtime.live.bus import COMMAND
    from movenv.runtime.live.wire import Command, Done
    from movenv.world.run_state import RunState

    if wanted.lower() not in STATES:
        raise typer.BadParameter(
            f"'{wanted}' is no run state; they are {', '.join(STATES)}", param_hint="STATE"
        )
    command = Command(RunState[wanted.upper()], operator())
    answer = ask_core(core, keys, COMMAND, command, Done)
    print(answer.beacon.run_state.name)
    if answer.silent and answer.beacon.run_state != RunState.STOP:
        print(f"not heard: {', '.join(answer.silent)}", file=sys.stderr)
