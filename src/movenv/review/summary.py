"""A run in a few sentences, to be read aloud."""

from collections import Counter

import numpy as np

from movenv.review.figures.gaps import missing_s
from movenv.review.figures.look import origin_name
from movenv.review.figures.mission_lanes import OVER, on_missions, step_of
from movenv.review.findings import Findings, names_of
from movenv.review.words import counted, duration, listed, metres, moment, seconds

MOST_NAMED = 5
CUT = "ends before the run did"
"""In what is wrong with a recording."""


def summary(findings: Findings) -> list[str]:
    """Who, how long, how near, how many notices, who was lost, missions where there are any, how
    close to the real world."""
    return [
        _who(findings),
        _closest(findings),
        _notices(findings),
        _lost(findings),
        *_missions(findings),
        _fidelity(findings),
    ]


def _who(findings: Findings) -> str:
    run = findings.run
    how = "ran in real time" if run.live else "ran as fast as possible"
    when = f", from {moment(run.started_utc)}" if run.started_utc > 0 else ""
    origins = Counter(origin_name(origin) for origin in findings.roster.origin.tolist())
    who = listed([f"{count:,} {origin}" for origin, count in origins.items()])
    vehicles = counted(len(findings.roster), "vehicle")
    played = " It was a rehearsal: the phones were played." if run.rehearsed else ""
    lasted = duration(run.t_last - run.t_first)
    if any(CUT in said for said in run.honesty):
        cut = f" The recording ends before the run did; it lasts {lasted}."
        return f"“{run.name}” {how}{when}, with {vehicles}: {who}.{played}{cut}"
    return f"“{run.name}” {how} for {lasted}{when}, with {vehicles}: {who}.{played}"


def _closest(findings: Findings) -> str:
    pairs = findings.pairs
    if len(findings.roster) == 1:
        return "There was only one vehicle, so there is no closest approach."
    if not len(pairs) or not np.isfinite(pairs.closest[0]):
        return "No two vehicles were known at the same time, so there is no closest approach."
    one, other = names_of(findings.roster, [int(pairs.row[0]), int(pairs.other[0])])
    near, t = metres(float(pairs.closest[0])), seconds(float(pairs.closest_t[0]))
    return f"The closest approach was {one} and {other}: {near}, at {t}."


def notice_counts(findings: Findings) -> dict[str, int]:
    """By level, outermost first."""
    found = Counter(h.level for h in findings.happenings if h.kind == "notice")
    return {name: found[place + 1] for place, name in enumerate(findings.run.levels)}


def _notices(findings: Findings) -> str:
    counts = notice_counts(findings)
    total = sum(counts.values())
    if not total:
        return "There were no notices."
    levels = listed([f"{f'{count:,}' if count else 'no'} {name}" for name, count in counts.items()])
    kept = " among the happenings that were kept" if findings.left_out else ""
    return f"There {'was' if total == 1 else 'were'} {counted(total, 'notice')}{kept}: {levels}."


def _lost(findings: Findings) -> str:
    missing = np.array([missing_s(gaps) for gaps in findings.vehicles.gaps])
    rows = [int(row) for row in np.argsort(-missing, kind="stable") if missing[row] > 0]
    if not rows:
        return "Every vehicle was known all the time."
    if len(rows) > MOST_NAMED and len(set(missing[rows].tolist())) == 1:
        everyone = "every vehicle" if len(rows) == len(missing) else counted(len(rows), "vehicle")
        return f"Not known for {duration(float(missing[rows[0]]))} each: {everyone}."
    named = [
        f"{findings.roster.names[row]} for {duration(float(missing[row]))} ({_why(findings, row)})"
        for row in rows[:MOST_NAMED]
    ]
    if len(rows) > MOST_NAMED:
        longest = duration(float(missing[rows[MOST_NAMED]]))
        named.append(f"{len(rows) - MOST_NAMED:,} more for at most {longest}")
    return f"Not known for a while: {listed(named)}."


def _why(findings: Findings, row: int) -> str:
    return ", ".join(dict.fromkeys(why for _, _, why in findings.vehicles.gaps[row]))


def _missions(findings: Findings) -> list[str]:
    """Who is at which step since when, and how many are through."""
    reached = on_missions(findings)
    if not reached:
        return []
    begun = {row: here[-1] for row, here in reached.items() if here}
    at = {row: step_of(findings, row, here) for row, here in begun.items()}
    over = sum(step == OVER for step in at.values())
    last = sum(_last_step(findings, row) == step for row, step in at.items())
    many = len(reached)
    counts = []
    if over:
        counts.append(f"{over:,} of {many:,} {'is' if over == 1 else 'are'} over")
    if last or not over:
        at_last = "is at its last step" if last == 1 else "are at their last step"
        counts.append(f"{last:,} of {many:,} {at_last}")
    if waiting := many - len(begun):
        counts.append(f"{waiting:,} of {many:,} did not begin")
    said = f"Missions: {listed(counts)}."
    if 0 < len(begun) <= MOST_NAMED:
        named = [_reached(findings, row, at[row], begun[row].t) for row in begun]
        said += f" At the end {listed(named)}."
    return [said]


def _reached(findings: Findings, row: int, step: str, t: float) -> str:
    name = findings.roster.names[row]
    where = "was through" if step == OVER else f"was at “{step}”"
    return f"{name} {where} (since {seconds(t)})"


def _last_step(findings: Findings, row: int) -> str | None:
    roster = findings.roster
    if row >= len(roster.mission) or roster.mission[row] < 0:
        return None
    return roster.missions[roster.mission[row]][-1]


def _fidelity(findings: Findings) -> str:
    rating = findings.rating
    each = ", ".join(f"{name} {rated.value}" for name, rated in rating.each())
    remark = rating.remark.rstrip(".")
    more = f" {remark[0].upper()}{remark[1:]}." if remark else ""
    return f"Test fidelity: {rating.total} of 15 ({each}).{more}"
