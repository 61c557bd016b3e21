"""A run in a few sentences, to be read aloud."""

from collections import Counter

import numpy as np

from movenv.review.figures.gaps import missing_s
from movenv.review.figures.look import origin_name
from movenv.review.findings import Findings, names_of
from movenv.review.words import counted, duration, listed, metres, moment, seconds

MOST_NAMED = 5


def summary(findings: Findings) -> list[str]:
    """Who, how long, how near, how many notices, who was lost, how close to the real world."""
    return [
        _who(findings),
        _closest(findings),
        _notices(findings),
        _lost(findings),
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
    return f"“{run.name}” {how} for {lasted}{when}, with {vehicles}: {who}.{played}"


def _closest(findings: Findings) -> str:
    pairs = findings.pairs
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


def _fidelity(findings: Findings) -> str:
    rating = findings.rating
    each = ", ".join(f"{name} {rated.value}" for name, rated in rating.each())
    return f"Test fidelity: {rating.total} of 15 ({each})."
