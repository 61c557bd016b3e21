"""Formations: how well fifteen vehicles keep theirs through a bend of 80 degrees."""

import shutil
import tempfile
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from movenv.behaviors.muster import Formation, Muster, direction
from movenv.bench import naive_follower
from movenv.bench.measure import Row, best_time
from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.columns import F8
from movenv.world.messages import Health, VehicleStates

SCENARIO = "bend-80"
SHAPE, SPACING = "wedge", 14.14
"""As in the scenario."""
WATCHED = 45.0
"""From where the leader begins to turn, errors count for so long, s."""
BACK = 3.0
"""Who is so near its station, about a vehicle's length, is back on it, m."""


@dataclass(frozen=True)
class Passage:
    """A ride through the bend; columns are (ticks, vehicles), the leader first."""

    t: F8
    x: F8
    y: F8
    error: F8
    """From each follower to its station, m, (ticks, followers)."""
    turns_at: float
    """When the leader begins to turn, s."""

    @property
    def in_bend(self) -> F8:
        """The errors that count, (ticks, followers), m."""
        since = self.t - self.turns_at
        return self.error[(since >= 0.0) & (since < WATCHED)]

    @property
    def settled(self) -> float:
        """Seconds from the beginning of the turn until everyone is back; to the end if never."""
        off = np.flatnonzero((self.error > BACK).any(axis=1))
        last = self.t[off[-1]] if len(off) else self.turns_at
        return float(last - self.turns_at)


def measure(quick: bool) -> list[Row]:
    kept, naive = ride(naive=False), ride(naive=True)
    said = "15 vehicles through an 80 degree bend"
    baseline = "each steers at its own fixed station"
    return [
        Row(f"{said}: station error, RMS", _rms(kept), "m", 18.0, "lower", baseline, _rms(naive)),
        Row(f"{said}: largest station error", float(kept.in_bend.max()), "m", 90.0, "lower",
            baseline, float(naive.in_bend.max())),
        Row(f"{said}: until all are back on station", kept.settled, "s", 30.0, "lower",
            baseline, naive.settled),
        _thousand(5 if quick else 30),
    ]  # fmt: skip


def _thousand(repeats: int) -> Row:
    """What 64 units cost a tick while all of them are in a turn, the worst case."""
    units = [Formation(16 * k + 1, tuple(range(16 * k + 2, 16 * k + 17)), SHAPE, SPACING)
             for k in range(64)]  # fmt: skip
    columns = {name: np.zeros(1024, dtype) for name, dtype in VehicleStates.dtypes.items()}
    columns["vid"] = np.arange(1, 1025).astype(np.uint32)
    columns["health"][:] = Health.HEARD
    for unit in units:
        rows = np.array(unit.followers) - 1
        columns["x"][rows], columns["y"][rows] = unit.stations(15)
    columns["yaw"][:] = np.radians(80.0)
    seen = VehicleStates(columns)
    together, apart = Muster(units), [Muster([unit]) for unit in units]
    taken = best_time(lambda: together.look(seen), repeats)

    def one_by_one() -> None:
        for muster in apart:
            muster.look(seen)

    baseline = best_time(one_by_one, repeats)
    return Row("giving out stations to 64 units of 16 in a turn", 1e3 * taken, "ms", 20.0, "lower",
               "unit by unit", 1e3 * baseline)  # fmt: skip


def _rms(passage: Passage) -> float:
    return float(np.sqrt((passage.in_bend**2).mean()))


def ride(naive: bool) -> Passage:
    """Drive the shipped scenario, or the same with followers that only steer at their stations."""
    with tempfile.TemporaryDirectory() as folder:
        run = build(load(_plain(Path(folder)) if naive else SCENARIO))
        seen = [update.snapshot for update in updates(run)]
    vids = run.roster.vids
    formation = Formation(int(vids[0]), tuple(vids[1:].tolist()), SHAPE, SPACING)
    muster = Muster([formation])
    stations = formation.stations(len(vids) - 1)
    error, course = [], []
    for snapshot in seen:
        if not naive:  # who has which station can be told from where they are
            muster.look(snapshot.vehicles)
            stations = muster.stations
        cos, sin = direction(snapshot.vehicles, np.zeros(1, np.intp))
        error.append(_errors(snapshot.vehicles, stations, cos, sin))
        course.append(float(np.arctan2(sin, cos)[0]))
    turning = np.abs(np.unwrap(course) - course[0]) > np.radians(1.0)
    t = np.array([snapshot.t for snapshot in seen])
    x, y = (np.array([getattr(s.vehicles, axis) for s in seen]) for axis in "xy")
    return Passage(t, x, y, np.array(error), float(t[np.argmax(turning)]))


def _errors(vehicles: VehicleStates, stations: F8, cos: F8, sin: F8) -> F8:
    """How far each follower is from its station behind a leader, the first, that goes that way."""
    ahead, left = stations
    east = vehicles.x[0] + cos * ahead - sin * left - vehicles.x[1:]
    north = vehicles.y[0] + sin * ahead + cos * left - vehicles.y[1:]
    errors: F8 = np.hypot(east, north)
    return errors


def _plain(folder: Path) -> str:
    """The scenario with naive followers, in a folder of its own."""
    shipped = files("movenv.scenario") / "shipped" / f"{SCENARIO}.yaml"
    text = shipped.read_text(encoding="utf-8")
    path = folder / f"{SCENARIO}.yaml"
    path.write_text(
        text.replace("formation: {", "./naive_follower.py:NaiveFollower: {"), encoding="utf-8"
    )
    shutil.copy(str(naive_follower.__file__), folder)
    return str(path)
