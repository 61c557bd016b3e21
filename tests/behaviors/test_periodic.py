import numpy as np
import pytest

TURNERS = """
time: {duration: 300}
vehicles:
  - name: a
    count: 20
    kind: aerial/rotorcraft
    model: {speed: 10, max_steer_rate: 100}
    start: {grid: {spacing: 1000}}
    behaviors:
      wander: {}
      NAME: {wait: [3, 9], lasts: [1, 2]}
"""


def episodes(held: list[str], name: str) -> list[int]:
    """Lengths of unbroken runs, in ticks."""
    flags = np.array([1 if b == name else 0 for b in ["", *held, ""]])
    edges = np.flatnonzero(np.diff(flags))
    return (edges[1::2] - edges[::2]).tolist()


@pytest.mark.parametrize("name", ["periodic_turn", "periodic_pitch"])
def test_episodes_come_at_random_times_and_last_as_long_as_set(driven, name: str) -> None:
    seen = driven(TURNERS.replace("NAME", name))
    lasts = [n for v in seen.names for n in episodes(seen.behaviors(v), name)[:-1]]
    assert min(lasts) >= 9
    assert max(lasts) <= 21
    per_vehicle = len(lasts) / 20
    assert 300 / 11 * 0.7 < per_vehicle < 300 / 4 * 1.1
    firsts = {seen.behaviors(v).index(name) for v in seen.names}
    assert len(firsts) > 10  # everyone at a time of its own


def test_a_turn_takes_a_random_steer_and_a_tenth_off_the_speed(driven) -> None:
    seen = driven(TURNERS.replace("NAME", "periodic_turn"))
    steers = []
    for v in seen.names:
        turning = np.array([b == "periodic_turn" for b in seen.behaviors(v)])
        late = turning & np.roll(turning, 3)  # three ticks in, speed and steer have settled
        assert seen.column("speed", v)[late] == pytest.approx(9.0, abs=0.6)
        yaw = np.unwrap(seen.column("yaw", v))
        speed = seen.column("speed", v)
        k = np.flatnonzero(late[1:-1] & late[2:]) + 1
        steers.extend((yaw[k + 1] - yaw[k]) / 0.1 / speed[k + 1])
    assert -1.05 < min(steers) < -0.7
    assert 0.7 < max(steers) < 1.05
    assert abs(np.mean(steers)) < 0.2


def test_a_ground_vehicle_has_no_pitch_to_play_with(driven) -> None:
    seen = driven(TURNERS.replace("NAME", "periodic_pitch").replace("aerial/rotorcraft", "ground"))
    assert all(set(seen.behaviors(v)) == {"", "wander"} for v in seen.names)
