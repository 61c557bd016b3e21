"""movenv mark: words of the test director, in the recording."""

from typing import Annotated

import typer

from movenv.cli.attached import DEFAULT_CORE, CoreOption, KeysOption, ask_core, operator

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
    from movenv.runtime.live.bus import MARK
    from movenv.runtime.live.wire import Mark, Marked

    answer = ask_core(core, keys, MARK, Mark(text, operator()), Marked)
    print(f"marked at t = {answer.t:.1f} s")
