"""Findings on a terminal: the few tables one looks at first."""

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from movenv.cli.summary import json_text
from movenv.review.findings import names_of
from movenv.review.plain import plain
from movenv.world.kinds import Origin

if TYPE_CHECKING:
    from movenv.review.findings import Findings

ROWS_SHOWN = 15
IN_A_PIPE = 160


def print_json(found: "list[Findings]") -> None:
    """One object of one recording, a list of them under `reviews` of several."""
    facts = [plain(findings) for findings in found]
    print(json_text(facts[0] if len(facts) == 1 else {"reviews": facts}))


def print_findings(found: "list[Findings]") -> None:
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = IN_A_PIPE
    for findings in found:
        run = findings.run
        console.print(f"{run.name}, seed {run.seed}: {run.ticks:,} ticks", style="bold")
        for table, more in (_vehicles(findings), _pairs(findings)):
            if table.row_count:
                console.print(table)
            if more > 0:
                console.print(f"and {more:,} more")
        ratings = "/".join(str(rated.value) for _, rated in findings.rating.each())
        console.print(f"fidelity {ratings} = {findings.rating.total}")
        if findings.rating.remark:
            console.print(f"  {findings.rating.remark}")
        for line in run.honesty:
            console.print(f"note: {line}")


def _table(first: str, *titles: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(first)
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _vehicles(findings: "Findings") -> tuple[Table, int]:
    roster, facts = findings.roster, findings.vehicles
    table = _table("vehicle", "", "known, s", "way, m", "mean, m/s", "top, m/s", "gaps")
    for row in range(min(len(roster), ROWS_SHOWN)):
        table.add_row(
            roster.names[row],
            Origin(roster.origin[row]).name.lower(),
            *_numbers(facts.known_s[row], facts.distance[row]),
            *_numbers(facts.mean_speed[row], facts.top_speed[row]),
            str(len(facts.gaps[row])),
        )
    return table, len(roster) - ROWS_SHOWN


def _pairs(findings: "Findings") -> tuple[Table, int]:
    pairs, levels = findings.pairs, list(findings.run.levels)
    titles = [f"{level}, s" for level in levels]
    table = _table("pair", "closest, m", "at t, s", *titles, "mean, m")
    for i in range(min(len(pairs), ROWS_SHOWN)):
        names = names_of(findings.roster, [int(pairs.row[i]), int(pairs.other[i])])
        table.add_row(
            " and ".join(names),
            f"{pairs.closest[i]:,.3f}",
            *_numbers(pairs.closest_t[i], *pairs.below_s[:, i]),
            *_numbers(pairs.mean[i]),
        )
    return table, len(pairs) + pairs.left_out - ROWS_SHOWN


def _numbers(*values: Any) -> list[str]:
    return ["–" if value != value else f"{value:,.2f}" for value in values]
