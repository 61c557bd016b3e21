"""movenv mark: words of the test director, in the recording."""

import sys
from typing import Annotated

import typer

from movenv.cli import FAILED, WRONG_INPUT
from movenv.cli.attached import DEFAULT_CORE, CoreOption, KeysOption, credentials, operator

HELP = """Write a mark into the recording of a live run.

A mark is an event with the present time: what was seen, decided or changed.

\b
Examples:
  movenv mark 'medic crosses behind the truck'
  movenv mark rain
"""


def register(app: typer.Typer) -> None:
    app.command("mark", help=HELP)(mark)


def mark(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="At most 500 letters.")],
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
) -> None:
    from movenv.runtime.live import wire
    from movenv.runtime.live.bus import MARK, Bus
    from movenv.runtime.live.wire import Garbled, Mark, Marked, Refusal

    try:
        with Bus.connect(core, credentials(keys), patience=3) as bus:
            answer = wire.as_answer(Marked, bus.ask(MARK, Mark(text, operator()).encoded()))
    except Garbled as error:
        print(f"what answers at {core} is no Core of this version: {error}", file=sys.stderr)
        raise typer.Exit(FAILED) from None
    if isinstance(answer, Refusal):
        print(answer.why, file=sys.stderr)
        raise typer.Exit(WRONG_INPUT)
    print(f"marked at t = {answer.t:.1f} s")
