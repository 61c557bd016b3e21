"""The paper's second experiment: one lap, seven bumps, an accordion."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from movenv.runtime.rehearsal.imperfections import Imperfections
from movenv.runtime.rehearsal.motion import SimulatedMotion
from movenv.runtime.rehearsal.plan import Wishes, rehearsal
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.terrain.route_set import RouteSet
from movenv.testing import Drive, drive

CARS = ["lead", "follower-1", "follower-2", "follower-3"]
LENGTH = 4.5
STARTS = [60.0, 48.0, 36.0, 24.0]


@pytest.fixture(scope="module")
def lap() -> Drive:
    return drive("traffic-wave")


@pytest.fixture(scope="module")
def along(lap: Drive) -> Callable[[str], np.ndarray]:
    """Metres along the lap at each tick."""
    routes = RouteSet([Stage(load("traffic-wave")).routes["lap"]])
    one = np.zeros(1, np.intp)
    found: dict[str, np.ndarray] = {}

    def of(name: str) -> np.ndarray:
        if name not in found:
            s, here = [], np.array([STARTS[CARS.index(name)]])
            for x, y, _ in lap.place(name):
                reach = np.full(1, 5.0)
                here, _ = routes.near(one, np.array([x]), np.array([y]), here, reach, reach)
                s.append(float(here[0]))
            found[name] = np.array(s)
        return found[name]

    return of


def test_the_lap_is_that_of_the_paper() -> None:
    scenario = load("traffic-wave").scenario
    route = Stage(load("traffic-wave")).routes["lap"]
    assert route.length == pytest.approx(2500, rel=0.01)
    assert len(route.slow) == 7
    assert len(route.stops) >= 2
    by_name = {group.name: group for group in scenario.vehicles}
    assert by_name["lead"].vid == 100
    assert by_name["follower"].count == 3
    assert by_name["wanderer"].count == 4
    assert set(by_name["wanderer"].behaviors) == {"wander", "periodic_turn", "stay_in_bounds"}
    assert all(by_name[name].live["type"] == "phone_udp" for name in ("lead", "follower"))
    assert scenario.fidelity.claimed == {}


def stretch(length: float, v0: float, v1: float, top: float = 9.2) -> float:
    """Seconds from v0 over at most `top` to v1, with 1.5 m/s² up and 2 m/s² down."""
    a, b = 1.5, 2.0
    peak = min(top, math.sqrt((2 * a * b * length + b * v0**2 + a * v1**2) / (a + b)))
    used = (peak**2 - v0**2) / (2 * a) + (peak**2 - v1**2) / (2 * b)
    return (peak - v0) / a + (peak - v1) / b + max(length - used, 0.0) / peak


def test_the_lead_takes_just_under_six_minutes_as_arithmetic_says(lap: Drive, along) -> None:
    s = along("lead")
    took = float(lap.t[np.argmax(s >= 2560 - 0.2)])
    assert 330 <= took <= 359
    radius = 3.0 / (math.sqrt(2) - 1)
    slow = math.sqrt(2 * radius)
    # Where the speed is given: (where, speed), bumps from end to end and bends from end to end.
    marks = [(60.0, 0.0)]
    for at in (160, 330, 500, 900, 1560, 1750, 2230):
        marks += [(at, 3.0), (at + 4, 3.0)]
    for at in (700, 1100, 1280, 1430, 1950, 2500):
        marks += [(at - radius, slow), (at + radius, slow)]
    marks += [(at, 0.0) for at in (688, 1268, 1938)] + [(2560.0, 0.0)]
    marks.sort()
    expected = 3 * 3.0
    for (here, v0), (there, v1) in pairwise(marks):
        if there - here == 4 or there - here == pytest.approx(2 * radius):
            length = 4 if there - here == 4 else math.pi / 2 * radius
            expected += length / v0
        else:
            expected += stretch(there - here, v0, v1)
    print(f"the lead's lap: {took:.1f} s, by arithmetic {expected:.1f} s")
    assert took == pytest.approx(expected, rel=0.01)


def test_the_followers_bunch_up_at_bumps_and_stretch_behind_them(lap: Drive, along) -> None:
    gaps = {b: along(a) - along(b) - LENGTH for a, b in pairwise(CARS)}
    for name, gap in gaps.items():
        assert gap.min() > 1.5, name  # nobody touches
    crossing = [int(np.argmax(along("lead") >= at)) for at in (330, 500, 900, 1560, 1750, 2230)]
    for tick in crossing:
        bunched = gaps["follower-1"][tick : tick + 60].min()
        stretched = gaps["follower-1"][tick + 60 : tick + 200].max()
        assert stretched > bunched + 3.0
    late = [[float(lap.t[np.argmax(along(car) >= at)]) for car in CARS] for at in (160, 330, 500)]
    for times in late:
        assert np.diff(times) == pytest.approx(3.7, abs=0.6)  # each so many seconds later


def test_everybody_stops_at_every_stop_sign_and_comes_round(lap: Drive, along) -> None:
    for car, start in zip(CARS, STARTS, strict=True):
        s, still = along(car), lap.column("speed", car) < 0.05
        for at in (688, 1268, 1938):
            here = still & (np.abs(s - at) < 0.5)
            assert np.count_nonzero(here) * 0.1 == pytest.approx(3.0, abs=0.3)
        assert s[-1] == pytest.approx(start + 2500, abs=0.5)


def test_the_virtual_ones_stay_about_their_lot(lap: Drive) -> None:
    for k in range(1, 5):
        place = lap.place(f"wanderer-{k}")[:, :2] - [820, 200]
        assert np.abs(place[150:]).max() < 80 + 30


def test_rehearsed_the_phones_send_ten_times_a_second_and_drive_the_same_lap(lap: Drive) -> None:
    wishes = Wishes(
        source="traffic-wave", host="127.0.0.1", port=None, format=None, rate=None,
        imperfections=Imperfections(), with_speed=True, count=1, device=None, vehicles=["*"],
        seed=0, changes=[], truth=lambda *place: None,
    )  # fmt: skip
    player, lines = rehearsal(wishes)
    player.close()
    assert len(lines) == 4
    assert all(line.endswith("10 fixes/s") for line in lines)
    stage = Stage(load("traffic-wave"), real=False)
    rows = np.flatnonzero(stage.roster.vids >= 100)
    motion = SimulatedMotion(stage, rows)
    for t in (30.0, 100.0, 150.0):
        truth = motion.at(t, np.arange(4))
        x, y, _ = stage.frame.to_local(truth.lat, truth.lon)
        tick = round(t * 10)
        assert x == pytest.approx([lap.place(car)[tick, 0] for car in CARS], abs=0.01)
        assert y == pytest.approx([lap.place(car)[tick, 1] for car in CARS], abs=0.01)
