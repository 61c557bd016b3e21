"""movenv state: the operator's hand on a live run."""

import sys
from typing import Annotated

import typer

from movenv.cli import FAILED, WRONG_INPUT
from movenv.cli.attached import DEFAULT_CORE, CoreOption, KeysOption, credentials, operator

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
    from movenv.runtime.live import wire
    from movenv.runtime.live.bus import COMMAND, Bus
    from movenv.runtime.live.wire import Command, Done, Garbled, Refusal
    from movenv.world.run_state import RunState

    if wanted.lower() not in STATES:
        raise typer.BadParameter(
            f"'{wanted}' is no run state; they are {', '.join(STATES)}", param_hint="STATE"
        )
    command = Command(RunState[wanted.upper()], operator())
    try:
        with Bus.connect(core, credentials(keys), patience=3) as bus:
            answer = wire.as_answer(Done, bus.ask(COMMAND, command.encoded()))
    except Garbled as error:
        print(f"what answers at {core} is no Core of this version: {error}", file=sys.stderr)
        raise typer.Exit(FAILED) from None
    if isinstance(answer, Refusal):
        print(answer.why, file=sys.stderr)
        raise typer.Exit(WRONG_INPUT)
    print(answer.beacon.run_state.name)
    if answer.silent and answer.beacon.run_state != RunState.STOP:
        print(f"not heard: {', '.join(answer.silent)}", file=sys.stderr)
