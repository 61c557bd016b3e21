"""The report's tables: words in cells, not yet a page."""

from dataclasses import dataclass, field

from movenv.review.figures.fixes import in_time
from movenv.review.figures.look import origin_name
from movenv.review.findings import Findings
from movenv.review.words import UNKNOWN, counted, duration, moment, number, percent

MOST_ROWS = 50
MOST_VEHICLES = 200


@dataclass(frozen=True)
class Table:
    """Columns whose title has a unit, or that are named in `numbers`, hold numbers."""

    name: str
    title: str
    columns: list[str]
    rows: list[list[str]]
    note: str = ""
    numbers: frozenset[int] = field(default_factory=frozenset)
    nothing: str = ""
    """What to say where there are no rows."""


def tables_of(findings: Findings) -> list[Table]:
    return [
        run_table(findings),
        fidelity_table(findings),
        pair_table(findings),
        vehicle_table(findings),
        fix_table(findings),
    ]


def run_rows(findings: Findings) -> list[tuple[str, str]]:
    run = findings.run
    how = "in real time" if run.live else "as fast as possible"
    return [
        ("scenario", run.name),
        ("description", run.description or UNKNOWN),
        ("recording", run.source),
        ("started", moment(run.started_utc)),
        ("ran", f"{how}, rehearsed" if run.rehearsed else how),
        ("recorded time", f"{number(run.t_first)} s to {number(run.t_last)} s of the run"),
        ("length", duration(run.t_last - run.t_first)),
        ("ticks", f"{run.ticks:,} of {1000 * run.tick:.4g} ms"),
        ("vehicles", f"{len(findings.roster):,}"),
        ("seed", str(run.seed)),
        ("changes", "; ".join(run.changes) or "none"),
        ("notice levels", ", ".join(f"{name} {m:g}×" for name, m in run.levels.items()) or "none"),
        ("gaps interpolated up to", f"{number(run.limit)} s"),
        ("movenv", run.movenv),
    ]


def run_table(findings: Findings) -> Table:
    rows = [[name, value] for name, value in run_rows(findings)]
    note = "A notice level is a multiple of the larger vehicle's characteristic length."
    return Table("run", "The run", ["", "this run"], rows, note)


def fidelity_table(findings: Findings) -> Table:
    rating = findings.rating
    rows = [
        [
            name,
            f"{rated.value} of 3",
            f"{rated.reason} (set by the scenario; computed: {rated.computed})"
            if rated.overridden
            else rated.reason,
        ]
        for name, rated in rating.each()
    ]
    rows.append(["total", f"{rating.total} of 15", rating.remark])
    return Table("fidelity", "Test fidelity", ["dimension", "rating", "why"], rows)


def pair_table(findings: Findings) -> Table:
    pairs, names = findings.pairs, findings.roster.names
    columns = ["pair", "closest (m)", "at (s)"]
    columns += [f"below {name} (s)" for name in findings.run.levels]
    columns += ["mean (m)", "deviation (m)", "farthest (m)", "both known (s)"]
    shown = min(MOST_ROWS, len(pairs))
    measures = [
        pairs.closest, pairs.closest_t, *pairs.below_s, pairs.mean, pairs.deviation, pairs.farthest,
        pairs.both_known_s,
    ]  # fmt: skip
    rows = [
        [
            f"{names[int(pairs.row[place])]} – {names[int(pairs.other[place])]}",
            *(number(float(column[place])) for column in measures),
        ]
        for place in range(shown)
    ]
    note = _more(len(pairs) - shown, "pair", "the closest come first")
    nothing = "No two vehicles were known at the same time."
    every = frozenset(range(1, len(columns)))
    return Table("pairs", "Closest approach of each pair", columns, rows, note, every, nothing)


def vehicle_table(findings: Findings) -> Table:
    roster, facts = findings.roster, findings.vehicles
    columns = [
        "vehicle", "origin", "kind", "length (m)", "travelled (m)", "mean speed (m/s)",
        "top speed (m/s)", "known (s)", "behaviors",
    ]  # fmt: skip
    shown = min(MOST_VEHICLES, len(roster))
    measures = [roster.length, facts.distance, facts.mean_speed, facts.top_speed, facts.known_s]
    rows = [
        [
            roster.names[row],
            origin_name(int(roster.origin[row])),
            str(roster.kinds[int(roster.kind[row])]),
            *(number(float(column[row])) for column in measures),
            _shares(facts.behaviors[row]),
        ]
        for row in range(shown)
    ]
    note = _more(len(roster) - shown, "vehicle", "in the order of the roster")
    return Table("vehicles", "Vehicles", columns, rows, note, frozenset(range(3, 8)))


def fix_table(findings: Findings) -> Table:
    fixes, names = findings.fixes, findings.roster.names
    delays, unit = in_time([fixes.delay_median, fixes.delay_p95])
    columns = [
        "vehicle", "accuracy (m)", "accuracy, 95 % (m)", f"delay ({unit})",
        f"delay, 95 % ({unit})", "age, 95 % (s)", "loss (%)", "rate (fixes/s)", "accepted",
        "rejected",
    ]  # fmt: skip
    measures = [
        fixes.accuracy_median, fixes.accuracy_p95, *delays, fixes.age_p95, 100 * fixes.loss,
        fixes.rate,
    ]  # fmt: skip
    shown = min(MOST_VEHICLES, len(fixes.rows))
    rows = [
        [
            names[int(fixes.rows[place])],
            *(
                number(float(column[place]), 2 if unit == "s" and at in (2, 3) else 1)
                for at, column in enumerate(measures)
            ),
            f"{int(fixes.accepted[place]):,}",
            f"{int(fixes.rejected[place]):,}",
        ]
        for place in range(shown)
    ]
    note = "Medians, and what 95 % of the fixes stay below; loss and rate are means."
    if shown < len(fixes.rows):
        note += f" {_more(len(fixes.rows) - shown, 'real vehicle', 'in the order of the roster')}"
    nothing = "No vehicle was real."
    every = frozenset(range(1, len(columns)))
    return Table("fix-table", "Fixes of real vehicles", columns, rows, note, every, nothing)


def _shares(shares: dict[str, float]) -> str:
    order = sorted(shares.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {percent(share)}" for name, share in order if share > 0) or UNKNOWN


def _more(count: int, thing: str, order: str) -> str:
    return f"{counted(count, 'more ' + thing)} not shown; {order}." if count > 0 else ""
