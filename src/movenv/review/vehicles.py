"""What each vehicle did: how long it was known, how far and fast it went, who held the wheel."""

import numpy as np

from movenv.review.findings import VehicleFacts
from movenv.review.known import Why, gaps
from movenv.review.separation import Survey
from movenv.review.tracks import BLOCK, Tracks
from movenv.world.columns import F8
from movenv.world.kinds import Origin

NOBODY = "(none)"


def vehicle_facts(tracks: Tracks, survey: Survey) -> VehicleFacts:
    missed = (tracks.why != Why.KNOWN).any(axis=0)
    return VehicleFacts(
        known_s=survey.known,
        distance=survey.travelled,
        mean_speed=_mean_speed(tracks, survey),
        top_speed=_top_speed(tracks),
        behaviors=_shares(tracks),
        gaps=[
            gaps(tracks.t, tracks.why[:, row]) if missed[row] else [] for row in range(len(missed))
        ],
    )


def _mean_speed(tracks: Tracks, survey: Survey) -> F8:
    """The way over the time; of real vehicles the mean of what was stated, since their ways also
    hold the corrections that every fix brings."""
    mean: F8 = survey.travelled / np.where(survey.known > 0.0, survey.known, np.nan)
    for row in np.flatnonzero(tracks.roster.origin != Origin.VIRTUAL).tolist():
        stated = tracks.speed_of(row)[tracks.why[:, row] == Why.KNOWN]
        mean[row] = stated.mean() if len(stated) else np.nan
    return mean


def _top_speed(tracks: Tracks) -> F8:
    """The largest that was stated while it was known."""
    top = np.full(len(tracks.roster), np.nan)
    for number, speed in enumerate(tracks.speed):
        first = number * BLOCK
        known = tracks.why[first : first + speed.shape[1]].T == Why.KNOWN
        top = np.fmax(top, np.fmax.reduce(np.where(known, speed, np.nan), axis=1))
    return top


def _shares(tracks: Tracks) -> list[dict[str, float]]:
    """Of the ticks of GO at which a vehicle was known."""
    roster = tracks.roster
    counted = (tracks.why == Why.KNOWN) & tracks.going[:, None]
    ticks = np.maximum(counted.sum(axis=0), 1)
    shares: list[dict[str, float]] = [{} for _ in range(len(roster))]
    for number, name in enumerate([NOBODY, *roster.behaviors]):
        held = ((tracks.behavior == number) & counted).sum(axis=0)
        for row in np.flatnonzero((held > 0) & (roster.origin != Origin.REAL)).tolist():
            shares[row][name] = float(held[row] / ticks[row])
    return shares
