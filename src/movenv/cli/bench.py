"""movenv bench: how fast is this machine?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from movenv.bench.measure import Row

HELP = """Measure this machine, each figure beside a baseline.

The engine takes about two minutes, live runs about twenty, the console about
six, MongoDB about three, the review about four, going around, avoidance and
formations (forces) about an hour, sensors and injection (hybrid) about fifteen,
cars, ground, cameras and JAUS (city) about three; --quick about ten minutes for
all, with smaller fleets. The console's part needs Chromium and Playwright,
MongoDB's a mongod; they are left out without them.

\b
Examples:
  movenv bench
  movenv bench --quick --json
  movenv bench live
  movenv bench hybrid --figures figures
"""

Part = Literal["engine", "live", "phones", "console", "mongo", "review", "forces", "hybrid", "city"]


def register(app: typer.Typer) -> None:
    app.command("bench", help=HELP)(bench)


def bench(
    part: Annotated[
        Literal[
            "engine", "live", "phones", "console", "mongo", "review", "forces", "hybrid", "city"
        ]
        | None,
        typer.Argument(help="Only this part."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Smaller and rougher.")] = False,
    figures: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Draw what hybrid measures here.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Also write JSON here.")
    ] = None,
) -> None:
    from movenv.bench import (
        adaptive_rate,
        adaptive_step,
        bend,
        cameras,
        cars,
        console,
        crowds,
        encounters,
        forces,
        going_around,
        heights,
        hybrid,
        hybrid_load,
        injection,
        live,
        localisation,
        mongo,
        phones,
        process,
        rays,
        review,
        rk4,
        scanners,
        swarm,
        wrench,
    )
    from movenv.cli.summary import json_text

    if output and not output.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {output.parent}", param_hint="--output")
    parts = {
        "engine": (rk4, swarm, process),
        "live": (live,),
        "phones": (phones,),
        "console": (console,),
        "mongo": (mongo,),
        "review": (review,),
        "forces": (going_around, encounters, crowds, bend, forces),
        "hybrid": (rays, scanners, injection, localisation, adaptive_rate, adaptive_step,
                   hybrid_load),
        "city": (cars, heights, cameras, wrench),
    }  # fmt: skip
    wanted = [part] if part else list(parts)
    rows = [row for name in wanted for module in parts[name] for row in module.measure(quick)]
    if "hybrid" in wanted:
        rows += hybrid.measure(quick, figures)
    text = json_text({"quick": quick, "rows": [row.as_dict() for row in rows]})
    if output:
        output.write_text(text + "\n")
    if json:
        print(text)
    else:
        _print(rows)


def _print(rows: "list[Row]") -> None:
    """As a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("what", overflow="fold")
    for title in ("measured", "target", "gain"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        sign = "≥" if row.better == "higher" else "≤"
        target = f"{sign} {row.target:,.3g} {'met' if row.met else 'MISSED'}"
        table.add_row(f"{row.what}, {row.unit}", f"{row.value:,.3g}", target, "")
        table.add_row(
            f"  baseline: {row.baseline}", f"{row.baseline_value:,.3g}", "", f"{row.gain:,.3g} ×"
        )
    Console(highlight=False).print(table)
