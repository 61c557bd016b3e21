import numpy as np
import pytest
import shapely

HOME = """
time: {duration: 240}
areas:
  box: {square: 100}
  ell: {polygon: [[0, 0], [90, 0], [90, 30], [30, 30], [30, 90], [0, 90]]}
  slab: {square: 2000, floor: 40, ceiling: 60}
vehicles:
  - name: a
    count: 12
    kind: aerial/rotorcraft
    model: {length: 1.0, speed: 5}
    start: {within: AREA}
    behaviors: {wander: {}, periodic_turn: {}, stay_in_bounds: {area: AREA}}
"""
ELL = shapely.Polygon([[0, 0], [90, 0], [90, 30], [30, 30], [30, 90], [0, 90]])


@pytest.mark.parametrize(("area", "shape"), [("box", shapely.box(-50, -50, 50, 50)), ("ell", ELL)])
def test_whoever_leaves_comes_back_soon_and_not_by_the_long_way(driven, area, shape) -> None:
    seen = driven(HOME.replace("AREA", area))
    left = 0
    for v in seen.names:
        place = seen.place(v)
        far = shapely.distance(shape, shapely.points(place[:, 0], place[:, 1]))
        assert far.max() < 12  # a turning circle and a little
        outside = far > 0
        runs = np.diff(np.flatnonzero(np.diff(np.concatenate([[0], outside, [0]]))))[::2]
        left += len(runs)
        assert runs.max(initial=0) * 0.1 < 15
    assert left > 12


def test_speed_goes_up_by_a_tenth_on_the_way_back(driven) -> None:
    seen = driven(HOME.replace("AREA", "box"))
    for v in seen.names:
        back = np.array([b == "stay_in_bounds" for b in seen.behaviors(v)])
        assert seen.column("speed", v)[back].max(initial=0) <= 5.5 + 1e-6
        settled = np.all([np.roll(back, k) for k in range(9)], axis=0)
        assert seen.column("speed", v)[settled] == pytest.approx(5.5, abs=1e-5)


def test_a_wrong_height_is_left_at_once(driven) -> None:
    seen = driven(
        HOME.replace("AREA", "slab").replace("{wander: {}", "{wander: {hold_altitude: false}"),
        "vehicles.a.start.z=90",
        "time.duration=60",
    )
    for v in seen.names:
        z = seen.column("z", v)
        assert z[0] == 90
        assert 40 <= z[-1] <= 60
        assert (np.diff(z) <= 1e-9).all()


def test_a_start_far_outside_is_no_trap(driven) -> None:
    seen = driven(
        HOME.replace("AREA", "box"), "vehicles.a.start={line: {from: [300, -40], to: [300, 40]}}"
    )
    for v in seen.names:
        assert np.abs(seen.place(v)[800:, :2]).max() < 65
