"""Cars that live on scans: round the shipped map, past a car that is only in their scans."""

import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.behaviors.f110_track import MAPS, track

from movenv.behaviors.likelihood import edge_distance
from movenv.behaviors.navigate import Navigate, NavigateConfig
from movenv.runtime.fast import updates
from movenv.scenario.build import Run, build
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load
from movenv.world.behavior import Own
from movenv.world.columns import F8
from movenv.world.core import Update
from movenv.world.model import MOTION

HEAD = """
name: track
origin: {{lat: 51.2, lon: 4.4}}
seed: 4
time: {{tick: 0.05, step: 0.01, duration: {duration}}}
terrain: {{map: maps/f110-track.yaml}}
vehicles:
"""
CAR = """
  - name: {name}
    kind: ground
    model: {{type: ground, build: f110}}
    footprint: [0.55, 0.3]
    start: {{at: [{x}, {y}], heading_deg: {heading}, speed: 0}}
"""
SENSES = """
    sensors:
      laser: {{type: lidar, mount: {{x: 0.15}}, dropout: {dropout}}}
      wheels: {{type: wheel_speed}}
      gyro: {{type: imu}}
    behaviors:
      navigate: {config}
"""
LAP = "[[0, -5.5], [9.6, -4.5], [9.6, 5.5], [-2.2, 5.2], [-9.6, 2], [-9.6, -5], [-8, -5.5]]"
EAST = "{goals: [[4, -5.5]]}"


def driver(
    config: str, x: float = -8.0, y: float = -5.5, heading: float = 90.0, dropout: float = 0.0,
    name: str = "car",
) -> str:  # fmt: skip
    car = CAR.format(name=name, x=x, y=y, heading=heading)
    return car + SENSES.format(config=config, dropout=dropout)


def parked(x: float, y: float, heading: float = 60.0, name: str = "parked") -> str:
    return CAR.format(name=name, x=x, y=y, heading=heading)


class Seen:
    """A run to its end: the truth, and what the first car thought."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.remarks: list[str] = []
        truth, thought = [], []
        for update in self.steps():
            truth.append(
                [getattr(update.snapshot.vehicles, c)[0] for c in ("x", "y", "yaw", "speed")]
            )
            estimates = self.navigate.estimates
            thought.append([estimates.x[0], estimates.y[0], estimates.accuracy[0]])
            self.remarks += [remark.text for remark in update.remarks]
        self.truth, self.thought = np.array(truth), np.array(thought)

    @property
    def navigate(self) -> Navigate:
        jobs = [job for host in self.run.hosts for job in host._assignments]
        return next(job.behavior for job in jobs if isinstance(job.behavior, Navigate))

    def steps(self) -> Iterator[Update]:
        yield from updates(self.run)

    @property
    def errors(self) -> F8:
        """Of the estimates, which are of the beginning of each tick, m."""
        return np.hypot(*(self.thought[5:, :2] - self.truth[4:-1, :2]).T)

    def gap(self) -> float:
        """The least distance from the car's box to a wall of the map, m."""
        far, least = edge_distance(track()), math.inf
        for ahead in np.linspace(-0.275, 0.275, 12):
            for left in (-0.15, -0.05, 0.05, 0.15):
                x, y, yaw = self.truth[:, :3].T
                column = (x + np.cos(yaw) * ahead - np.sin(yaw) * left + 12.0) / 0.05
                row = (y + np.sin(yaw) * ahead + np.cos(yaw) * left + 8.0) / 0.05
                least = min(least, float(far[row.astype(int), column.astype(int)].min()))
        return least

    def past(self, x: float, y: float) -> float:
        """How near the car's middle came to a place, m."""
        return float(np.hypot(self.truth[:, 0] - x, self.truth[:, 1] - y).min())


def written(folder: Path, duration: float, *vehicles: str) -> str:
    shutil.copytree(str(MAPS), folder / "maps", dirs_exist_ok=True)
    path = folder / "track.yaml"
    path.write_text(HEAD.format(duration=duration) + "".join(vehicles))
    return str(path)


def driven(folder: Path, duration: float, *vehicles: str) -> Seen:
    return Seen(build(load(written(folder, duration, *vehicles))))


@pytest.fixture(scope="module")
def lap(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    config = f"{{goals: {LAP}}}"
    return driven(tmp_path_factory.mktemp("lap"), 32, driver(config))


def test_a_lap_touches_no_wall_and_ends_at_the_last_goal(lap: Seen) -> None:
    assert lap.gap() > 0.1
    for x, y in ((9.6, 0.0), (9.6, 5.5), (0.0, 5.5), (-9.6, 0.0)):
        assert lap.past(x, y) < 1.2
    assert np.hypot(*(lap.truth[-1, :2] - (-8.0, -5.5))) < 0.4
    assert lap.truth[-1, 3] < 0.02
    assert np.percentile(lap.truth[:, 3], 60) > 1.9  # most of it at full speed
    assert lap.navigate.done(None, None, None).all()  # type: ignore[arg-type]
    assert not lap.remarks


def test_all_along_it_knows_its_place_within_ten_centimetres(lap: Seen) -> None:
    assert np.sqrt((lap.errors**2).mean()) < 0.03
    assert np.percentile(lap.errors, 95) < 0.05
    assert lap.errors.max() < 0.1
    assert np.percentile(lap.thought[5:, 2], 50) == pytest.approx(0.035, abs=0.03)


def test_it_goes_around_a_car_that_is_only_in_its_scans(tmp_path: Path) -> None:
    alone = driven(tmp_path, 8, driver(EAST))
    assert alone.past(-2.0, -5.45) < 0.25  # its way leads over the place
    seen = driven(tmp_path, 9, driver(EAST), parked(-2.0, -5.45))
    assert seen.past(-2.0, -5.45) > 0.45
    assert seen.gap() > 0.1
    assert np.hypot(*(seen.truth[-1, :2] - (4.0, -5.5))) < 0.4
    assert seen.errors.max() < 0.1


def row(name: str, x: float, y: float, across: bool) -> list[str]:
    """Five boxes in a row from a place on, to the north or, `across`, to the east."""
    places = [(x + 0.58 * k * across, y + 0.58 * k * (not across)) for k in range(5)]
    cars = [parked(*place, 90.0, f"{name}-{k}") for k, place in enumerate(places)]
    return [car.replace("[0.55, 0.3]", "[0.57, 0.57]") for car in cars]


def test_where_the_way_is_shut_it_takes_another(tmp_path: Path) -> None:
    boxes = row("box", 5.0, -6.65, across=False)
    seen = driven(tmp_path, 22, driver("{goals: [[9.6, -3]]}", x=-2.0), *boxes)
    assert seen.past(2.4, 0.0) < 1.0  # up the link, and round
    assert seen.past(9.6, 5.5) < 1.6
    assert np.hypot(*(seen.truth[-1, :2] - (9.6, -3.0))) < 0.4
    assert seen.gap() > 0.1
    assert not seen.remarks


def test_where_there_is_no_way_it_stands_and_says_so(tmp_path: Path) -> None:
    # Across the link it sees both ends of it.
    boxes = row("north", 1.4, 2.5, across=True) + row("south", 1.4, -2.5, across=True)
    seen = driven(tmp_path, 4, driver("{goals: [[9.6, 5.5]]}", x=2.0, y=0.0), *boxes)
    assert seen.truth[-1, 3] < 0.02
    assert seen.remarks[0] == "no way to (9.6, 5.5): what it has seen shuts it off"
    assert seen.gap() > 0.1


def test_in_a_dead_end_it_stops_in_time_and_says_so(tmp_path: Path) -> None:
    seen = driven(tmp_path, 8, driver(EAST), *row("box", -5.2, -6.65, across=False))
    assert seen.truth[-1, 3] < 0.02
    assert seen.truth[:, 0].max() < -5.485 - 0.275
    assert seen.remarks == ["nothing is free ahead: it stands, for it cannot go backwards"]
    assert seen.errors.max() < 0.2  # all that it sees ahead is on no map


def carried_off(run: Run, place: tuple[float, float, float]) -> None:
    """Somebody lifts the car and puts it elsewhere."""
    model: Any = run.hosts[0]._models[0]
    model.state[:3, 0] = place
    for name, value in zip(("x", "y", "yaw"), place, strict=True):
        model.motion[MOTION.index(name), 0] = value


def test_who_is_carried_off_says_so_or_finds_itself_and_goes_on(tmp_path: Path) -> None:
    run = build(load(written(tmp_path, 18, driver("{goals: [[4, -5.5]]}"))))

    class Lifted(Seen):
        def steps(self) -> Iterator[Update]:
            for k, update in enumerate(updates(self.run)):
                if k == 40:
                    carried_off(self.run, (9.9, 2.2, 2.5))
                yield update

    seen = Lifted(run)
    assert any("lost" in said for said in seen.remarks)
    assert np.hypot(*(seen.truth[-1, :2] - (4.0, -5.5))) < 0.5
    assert seen.gap() > 0.05


def test_one_that_knows_nothing_finds_itself_first(tmp_path: Path) -> None:
    seen = driven(tmp_path, 11, driver("{goals: [[4, -5.5]], pose: unknown}"))
    assert np.isinf(seen.thought[3, 2])
    assert seen.truth[5, 3] == 0.0
    assert np.hypot(*(seen.truth[-1, :2] - (4.0, -5.5))) < 0.4


def test_without_scans_it_stands_and_says_so(tmp_path: Path) -> None:
    seen = driven(tmp_path, 3, driver(EAST, dropout=1.0))
    assert seen.truth[:, 3].max() == 0.0
    assert seen.remarks == ["no scans: it stands"]


def test_of_the_truth_it_uses_only_where_it_was_placed(tmp_path: Path, monkeypatch: Any) -> None:
    path = written(tmp_path, 3, driver(EAST))
    plain = Seen(build(load(path)))
    for name in ("sense", "propose", "remarks"):
        asked = getattr(Navigate, name)

        def blind(self: Navigate, own: Own, *rest: Any, asked: Any = asked) -> Any:
            nothing = np.full(len(own), np.nan)
            return asked(self, Own(own.vid, dict.fromkeys(MOTION, nothing), None), *rest)

        monkeypatch.setattr(Navigate, name, blind)
    blinded = Seen(build(load(path)))
    assert (plain.truth == blinded.truth).all()
    assert plain.truth[-1, 3] == pytest.approx(2.0)


def two(folder: Path) -> str:
    """Two cars that meet."""
    other = driver("{goals: [[-9, -5.5]]}", x=1.0, y=-5.4, heading=270.0, name="other")
    return written(folder, 6, driver(EAST), other)


def test_two_cars_drive_the_same_on_one_host_or_two(tmp_path: Path) -> None:
    path = two(tmp_path)
    together, apart = (
        [(u.snapshot.vehicles.x.tobytes(), u.snapshot.vehicles.yaw.tobytes()) for u in updates(run)]
        for run in (build(load(path)), build(load(path), hosts=2))
    )
    assert together == apart


def test_two_that_meet_pass_each_other(tmp_path: Path) -> None:
    run = build(load(two(tmp_path)))
    gaps = [
        np.hypot(*(np.diff(getattr(u.snapshot.vehicles, axis))[0] for axis in "xy"))
        for u in updates(run)
    ]
    assert min(gaps) > 0.45
    assert gaps[-1] > 5.0


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("{}", "either goals or a route"),
        ("{goals: [[4, -5.5]], route: way}", "either goals or a route"),
        ("{goals: [[4, -5.5]], particles: [2000, 1000]}", "at least 2000"),
        ("{goals: [[-4, 0]]}", "inside an occupied cell of the map"),
        ("{goals: [[4, -6.85]]}", "from a wall of the map"),
        ("{goals: [[40, 0]]}", "beyond the map"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, config: str, words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        build(load(written(tmp_path, 1, driver(config))))


@pytest.mark.parametrize(
    ("line", "instead", "words"),
    [
        ("      laser: {type: lidar, mount: {x: 0.15}, dropout: 0.0}\n", "", "needs a lidar"),
        ("      wheels: {type: wheel_speed}\n", "", "needs a wheel_speed"),
        ("navigate: {goals", "navigate: {lidar: foo, goals", "lidar: no sensor .* called 'foo'"),
        ("navigate: {goals", "navigate: {odometry: gyro, goals", "needs a wheel_speed"),
    ],
)
def test_without_what_it_lives_on_it_is_refused(
    tmp_path: Path, line: str, instead: str, words: str
) -> None:
    path = Path(written(tmp_path, 1, driver(EAST)))
    assert line in path.read_text()
    path.write_text(path.read_text().replace(line, instead))
    with pytest.raises(ScenarioError, match=words):
        build(load(str(path)))


def test_without_a_map_it_is_refused(tmp_path: Path) -> None:
    path = Path(written(tmp_path, 1, driver(EAST)))
    path.write_text(path.read_text().replace("terrain: {map: maps/f110-track.yaml}", ""))
    with pytest.raises(ScenarioError, match="finds its way on a map"):
        build(load(str(path)))


def test_only_laps_without_end_never_end() -> None:
    goals = [(0.0, 0.0)]
    assert Navigate.ends(NavigateConfig(goals=goals, laps=3))
    assert not Navigate.ends(NavigateConfig(goals=goals, laps="forever"))
