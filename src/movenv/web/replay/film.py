"""A recording as moments and tails."""

import numpy as np

from movenv.recording.layouts import LATEST_START
from movenv.recording.seek import Found, Seeker
from movenv.web.feed import History, Moment
from movenv.world.columns import F8
from movenv.world.messages import Health, Roster, VehicleStates
from movenv.world.run_state import RunState

PAST, APART = 60, 1.0
"""A tail is of so many points, so far apart, s."""
PLACES = ("lat", "lon", "x", "y", "z")


class Film:
    """Moments of a recording, from any thread."""

    def __init__(self, seeker: Seeker, roster: Roster) -> None:
        self.seeker, self._roster = seeker, roster
        first, last = seeker.at(0.0), seeker.at(LATEST_START)
        self.start = first.snapshot.t if first else 0.0
        self.end = last.snapshot.t if last else 0.0

    def moment(self, t: float) -> Moment | None:
        """The latest at `t` or before; None where nobody was ever stated."""
        found = self.seeker.at(t)
        if found is None:
            return None
        snapshot = found.snapshot
        return Moment(
            tick=snapshot.tick,
            t=snapshot.t,
            utc=found.numbers["utc"],
            run_state=snapshot.run_state,
            vehicles=self._everyone(found),
            encounters=found.encounters,
        )

    def _everyone(self, found: Found) -> VehicleStates:
        """The whole roster, also where a snapshot was of nobody."""
        vehicles = found.snapshot.vehicles
        if len(vehicles):
            return vehicles
        nobody = VehicleStates.empty(len(self._roster))
        nobody.vid[:], nobody.run_state[:] = self._roster.vids, RunState.READY
        for name in PLACES:
            getattr(nobody, name)[:] = np.nan
        return nobody

    def history(self, t: float) -> History:
        """Where everyone was up to the moment at `t`, oldest first."""
        moments: list[Moment] = []
        for back in range(PAST, -1, -1):
            then = t - back * APART
            if then < self.start and back:
                continue
            moment = self.moment(then)
            if moment is not None and (not moments or moment.tick > moments[-1].tick):
                moments.append(moment)
        if not moments:
            return History.empty(len(self._roster))
        columns = {name: np.stack([_known(m.vehicles, name) for m in moments]) for name in PLACES}
        return History(
            t=np.array([moment.t for moment in moments]),
            lat=columns["lat"],
            lon=columns["lon"],
            **{axis: columns[axis].astype(np.float32) for axis in "xyz"},
        )


def _known(vehicles: VehicleStates, name: str) -> F8:
    """A column with nan where nobody knew."""
    column: F8 = getattr(vehicles, name)
    return np.where(vehicles.health == Health.UNHEARD, np.nan, column)
