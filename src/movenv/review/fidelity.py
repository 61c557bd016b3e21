"""The test fidelity metric: five ratings of 0 to 3, each with its reason, and their sum.

0 is absent, 1 virtual, 2 mixed and 3 real. How it is decided, and why so, stands in
docs/explanation/fidelity.md.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from movenv.recording.layouts import RunRecord
from movenv.recording.reader import Recording
from movenv.review.cast import Cast, cast_of, planned_cast
from movenv.world.columns import Mask
from movenv.world.kinds import Origin

DIMENSIONS = ("vehicle", "sensors", "algorithms", "environment", "pedestrians")
BLIND = frozenset(
    {
        "circle",
        "driven",
        "follow_path",
        "go_to_gate",
        "go_to_point",
        "hover",
        "move_to",
        "obey",
        "periodic_pitch",
        "periodic_turn",
        "search_pattern",
        "stay_in_bounds",
        "wander",
    }
)
"""Behaviors that look at nobody. All others, also those of other people, are taken to perceive."""
SEARCHING = frozenset({"search_and_report", "search_and_rescue"})
"""Behaviors that a real vehicle carries through a live run: they look from where it really is."""
ONLY_REPORTING = frozenset({"search_and_report"})
"""Behaviors that perceive and decide nothing."""
NAMED = 3
"""The most vehicles that a reason names one by one."""


@dataclass(frozen=True)
class Rated:
    """One of the five."""

    value: int
    reason: str
    computed: int
    """What it would be without the scenario's override."""

    @property
    def overridden(self) -> bool:
        return self.value != self.computed


@dataclass(frozen=True)
class Rating:
    """The quintet."""

    vehicle: Rated
    sensors: Rated
    algorithms: Rated
    environment: Rated
    pedestrians: Rated
    remark: str = ""
    """What else to know, as that the phones were played in a rehearsal."""

    @property
    def total(self) -> int:
        return sum(rated.value for _, rated in self.each())

    @property
    def quintet(self) -> dict[str, int]:
        """The five values by name."""
        return {name: rated.value for name, rated in self.each()}

    def each(self) -> list[tuple[str, Rated]]:
        return [(name, getattr(self, name)) for name in DIMENSIONS]


def rate(recording: Recording) -> Rating:
    """Rate a run by what it really contained."""
    return rate_cast(cast_of(recording))


def rate_plan(record: RunRecord) -> Rating:
    """Rate a run by who is to take part, as if all of them came."""
    return rate_cast(planned_cast(record))


def rate_cast(cast: Cast) -> Rating:
    """Rate a run by who took part.

    A rehearsal is rated as the test it rehearses, and the remark says what it was itself.
    """
    real = (cast.roster.origin == Origin.REAL) & ~cast.from_file
    computed = _quintet(cast, real)
    rated = {name: _overridden(*computed[name], cast.claimed.get(name)) for name in DIMENSIONS}
    remarks = [cast.remark] if cast.remark else []
    if cast.from_file.any():
        who = _names(cast, cast.from_file)
        remarks.append(f"played from a file, and so rated as virtual: {who}")
    if cast.manned.any():
        who = _names(cast, cast.manned)
        remarks.append(f"a manned simulator, driven by a person: {who}")
    if cast.by_program.any():
        who = _names(cast, cast.by_program)
        remarks.append(f"driven by software outside, which counts as real: {who}")
    if cast.played.any():
        values = [value for value, _ in _quintet(cast, real & ~cast.played).values()]
        as_run = f"{'/'.join(map(str, values))} = {sum(values)}"
        who = _names(cast, cast.played)
        remarks.append(f"a rehearsal, phones were played ({who}): the run itself was {as_run}")
    return Rating(**rated, remark="; ".join(remarks))


def _overridden(computed: int, reason: str, claimed: int | None) -> Rated:
    if claimed is None or claimed == computed:
        return Rated(computed, reason, computed)
    return Rated(claimed, f"the scenario says {claimed}; computed {computed}: {reason}", computed)


class _Words(NamedTuple):
    one: str
    many: str
    nobody: str


def _quintet(cast: Cast, real: Mask) -> dict[str, tuple[int, str]]:
    """Value and reason of each of the five, where these are real and the others virtual."""
    roster = cast.roster
    walking = np.array([kind.name == "pedestrian" for kind in roster.kinds])[roster.kind]
    searches = np.array([bool(carried & SEARCHING) for carried in cast.behaviors])
    perceives = np.array([bool(carried - BLIND) for carried in cast.behaviors])
    reacts = np.array([bool(carried - BLIND - ONLY_REPORTING) for carried in cast.behaviors])
    # Who is driven from outside reacts as its driver does: a person, or software as it really is.
    reacts = (reacts & ~cast.manned) | cast.by_program
    who = {
        "vehicle": ~walking,
        "sensors": cast.scans | np.where(real, searches, perceives),
        "algorithms": np.where(real, cast.autonomous, reacts),
        "environment": np.ones(len(roster), np.bool_),
        "pedestrians": walking,
    }
    true = dict.fromkeys(DIMENSIONS, real) | {"algorithms": real | cast.by_program}
    return {name: _share(cast, who[name], true[name], WORDS[name]) for name in DIMENSIONS}


WORDS = {
    "vehicle": _Words("vehicle", "vehicles", "no vehicle took part"),
    "sensors": _Words(
        "one that perceives others", "that perceive others", "nobody perceives others"
    ),
    "algorithms": _Words(
        "one that decides by itself", "that decide by themselves", "no program reacts to others"
    ),
    "environment": _Words("participant", "participants", "nobody took part"),
    "pedestrians": _Words("pedestrian", "pedestrians", "no pedestrian took part"),
}


def _share(cast: Cast, who: Mask, real: Mask, words: _Words) -> tuple[int, str]:
    """None is 0, all virtual 1, fewer than half real 2, at least half 3."""
    count = int((who & cast.heard).sum())
    actual = int((who & real & cast.heard).sum())
    if count == 0:
        value, reason = 0, words.nobody
    elif actual == 0:
        value, reason = 1, f"{_all(count, words)} virtual"
    elif actual == count:
        value, reason = 3, f"{_all(count, words)} real"
    else:
        value = 2 if 2 * actual < count else 3
        verb = "was" if actual == 1 else "were"
        reason = f"{actual:,} of {count:,} {words.many} {verb} real"
    if (absent := who & ~cast.heard).any():
        reason += f"; never heard, and so not counted: {_names(cast, absent)}"
    return value, reason


def _all(count: int, words: _Words) -> str:
    return f"the only {words.one} was" if count == 1 else f"all {count:,} {words.many} were"


def _names(cast: Cast, who: Mask) -> str:
    names = [cast.roster.names[row] for row in np.flatnonzero(who)]
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
