"""What is wrong or missing in a recording, in words."""

import numpy as np

from movenv.recording.layouts import RunStateRecord
from movenv.recording.reader import Recording
from movenv.review.findings import Pairs
from movenv.review.known import SLACK, Why
from movenv.review.tracks import Tracks

GAPS_TOLD = 5
NAMES_TOLD = 5
CLOCK_JUMP = 2.0
"""A wall clock that goes on by this much more or less than the run did has jumped, s."""


def words(
    recording: Recording,
    tracks: Tracks,
    states: list[RunStateRecord],
    pairs: Pairs,
    limit: float,
) -> list[str]:
    """All there is to know before one believes the numbers."""
    return [
        *recording.damage.words,
        *_parts(recording),
        *_missing(recording, tracks, limit),
        *_clock(tracks, states),
        *_end(tracks, states),
        *_never_known(tracks),
        *_thinned(pairs),
    ]


def _parts(recording: Recording) -> list[str]:
    said = []
    if recording.run.part > 1:
        said.append(f"this is part {recording.run.part} of a recording alone")
    if len(recording.parts) > 1:
        said.append(f"it was continued in {len(recording.parts)} parts, read as one")
    return said + [f"left out: {reason}" for reason in recording.left_out]


def _missing(recording: Recording, tracks: Tracks, limit: float) -> list[str]:
    if not tracks.recorded:
        return ["no place of any vehicle was recorded"]
    said = []
    recorded = np.isfinite(tracks.tick)
    tick, t = tracks.tick[recorded], tracks.t[recorded]
    if recording.run.part == 1 and t[0] > limit + SLACK:
        said.append(f"nothing recorded before t = {t[0]:.1f} s")
    wide = np.flatnonzero(np.diff(t) > limit + SLACK)
    said += [f"nothing recorded from t = {t[i]:.1f} to {t[i + 1]:.1f} s" for i in wide[:GAPS_TOLD]]
    if len(wide) > GAPS_TOLD:
        said.append(f"and {len(wide) - GAPS_TOLD:,} more such gaps")
    skipped = np.diff(tick) - 1.0
    single = int(skipped[np.diff(t) <= limit + SLACK].sum())
    if single:
        said.append(f"{single:,} single ticks are missing and were interpolated")
    if tracks.filled:
        said.append(
            f"{tracks.filled:,} times a vehicle was not known for {limit:g} s or less and "
            "was interpolated"
        )
    if tracks.dropped:
        said.append(f"{tracks.dropped:,} snapshots whose time does not go on were left out")
    return said


def _clock(tracks: Tracks, states: list[RunStateRecord]) -> list[str]:
    """Where the wall clock did not go on as the run did, but for pauses and gaps."""
    stated = np.isfinite(tracks.utc) & (tracks.utc > 0.0)
    utc, t, tick = tracks.utc[stated], tracks.t[stated], tracks.tick[stated]
    if len(t) < 2:
        return []
    pace = float(np.median(np.diff(utc) / np.diff(t)))
    off = np.diff(utc) - pace * np.diff(t)
    next_to = np.diff(tick) == 1.0
    pauses = np.array([s.t for s in states if s.state == "PAUSE"])
    before, after = np.searchsorted(pauses, t[:-1] - SLACK), np.searchsorted(pauses, t[1:] + SLACK)
    paused = after > before
    jumps = np.flatnonzero((off < -CLOCK_JUMP) | ((off > CLOCK_JUMP) & ~paused & next_to))
    said = [f"the wall clock jumped by {off[i]:+.1f} s at t = {t[i]:.1f} s" for i in jumps]
    more = [f"and {len(said) - GAPS_TOLD:,} more such jumps"] if len(said) > GAPS_TOLD else []
    return said[:GAPS_TOLD] + more


def _end(tracks: Tracks, states: list[RunStateRecord]) -> list[str]:
    if states and states[-1].state == "STOP":
        return []
    reached = f" at t = {tracks.t[-1]:.1f} s" if len(tracks) else ""
    return [f"the recording ends before the run did{reached}"]


def _never_known(tracks: Tracks) -> list[str]:
    if not tracks.recorded:
        return []
    names = tracks.roster.names
    never = np.flatnonzero(~(tracks.why == Why.KNOWN).any(axis=0))
    if not len(never):
        return []
    told = ", ".join(names[row] for row in never[:NAMES_TOLD])
    more = f" and {len(never) - NAMES_TOLD:,} more" if len(never) > NAMES_TOLD else ""
    return [f"never known: {told}{more}"]


def _thinned(pairs: Pairs) -> list[str]:
    said = []
    if pairs.statistics_every > 1:
        said.append(
            "mean, deviation and farthest of the pairs are of one tick in "
            f"{pairs.statistics_every}; the closest approach and the time within levels are exact"
        )
    if pairs.left_out:
        said.append(f"{pairs.left_out:,} pairs that were never close are not told of")
    return said
