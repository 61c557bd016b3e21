"""movenv check: is a scenario sound?"""

import sys
from typing import Annotated

import typer

HELP = """Check a scenario without running it.

Prints every problem as file:line:column, and exits with 2 if there is one.

\b
Example:
  movenv check my.yaml
"""


def register(app: typer.Typer) -> None:
    app.command("check", help=HELP)(check)


def check(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="A file or a shipped name.")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change the scenario.")
    ] = None,
) -> None:
    from movenv.scenario.build import Stage
    from movenv.scenario.load import load
    from movenv.scenario.orders import never_obeyed

    loaded = load(scenario, set_ or [])
    run = Stage(loaded, real=False).run(1)
    stage = Stage(loaded)
    if stage.real:
        from movenv.runtime.surroundings import check_gateways

        check_gateways(stage, loaded.document.folder)
    from movenv.web.layers import Layers

    for layer in Layers(run.scenario.map.layers, loaded.document.folder).described():
        if layer["missing"]:
            print(f"map layer '{layer['name']}': {layer['missing']}", file=sys.stderr)
    for said in stage.terrain.left_out:
        print(f"terrain: {said}", file=sys.stderr)
    for said in never_obeyed(stage):
        print(said, file=sys.stderr)
    kinds = sorted({str(kind) for kind in run.roster.kinds})
    print(
        f"{run.scenario.name}: sound. {len(run.roster):,} vehicle{'s' * (len(run.roster) != 1)} "
        f"({', '.join(kinds)}), {run.ticks:,} ticks of {run.time.period:g} s, "
        f"UTM zone {run.frame.zone}{'S' if run.frame.south else 'N'}"
    )
