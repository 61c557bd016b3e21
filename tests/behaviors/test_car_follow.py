"""Car following against the equations of the Intelligent Driver Model, solved by scipy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from movenv.runtime.fast import updates
from movenv.scenario.build import build
from movenv.scenario.load import load

T, S0, A, B, DELTA, V0, LENGTH = 1.5, 2.0, 1.5, 2.0, 4, 14.0, 2.7
PLATOON = """
time: {duration: 200}
routes:
  road: {points: [[0, 0], [4000, 0]], speeds: [10], slow: [SLOW], stops: [STOPS]}
vehicles:
  - {name: lead, kind: ground, model: {speed: 10, max_acceleration: 6}, start: {at: [200, 0]},
     behaviors: {follow_path: {route: road}}}
  - name: f
    count: 5
    kind: ground
    model: {speed: 14, max_acceleration: 9}
    start: {line: {from: [175, 0], to: [75, 0]}, speed: 10}
    behaviors: {wander: {}, car_follow: {WHERE}}
"""


def platoon(slow: str = "", stops: str = "", where: str = "") -> str:
    text = PLATOON.replace("[SLOW]", f"[{slow}]").replace("[STOPS]", f"[{stops}]")
    return text.replace("{WHERE}", f"{{{where}}}")


def idm(v: np.ndarray, gap: np.ndarray, closing: np.ndarray) -> np.ndarray:
    desired = S0 + np.maximum(0, v * T + v * closing / (2 * math.sqrt(A * B)))
    return A * (1 - (v / V0) ** DELTA - (desired / gap) ** 2)


def solved(t: np.ndarray, lead_x: np.ndarray, lead_v: np.ndarray, x0: np.ndarray) -> np.ndarray:
    """Places of the followers at each t, by a solver that knows nothing of ticks."""
    count = len(x0)

    def rates(now: float, state: np.ndarray) -> np.ndarray:
        x, v = state[:count], np.maximum(state[count:], 0)
        ahead_x = np.concatenate([[np.interp(now, t, lead_x)], x[:-1]])
        ahead_v = np.concatenate([[np.interp(now, t, lead_v)], v[:-1]])
        rate = idm(v, np.maximum(ahead_x - x - LENGTH, 0.1), v - ahead_v)
        return np.concatenate([v, np.where((v <= 0) & (rate < 0), 0, rate)])

    start = np.concatenate([x0, np.full(count, 10.0)])
    answer = solve_ivp(rates, (t[0], t[-1]), start, t_eval=t, max_step=0.05, rtol=1e-8)
    return answer.y[:count].T


@pytest.mark.parametrize("where", ["", "route: road, speed: 14"])
def test_a_platoon_moves_as_the_equations_say(driven, where: str) -> None:
    """Behind a leader that brakes for a bump, stops, and drives on."""
    seen = driven(platoon("{at: 700, over: 5, speed: 2}", "{at: 1100, wait: 8}", where))
    x = np.array([seen.column("x", name) for name in seen.names]).T
    expected = solved(seen.t, x[:, 0], seen.column("speed", "lead"), x[0, 1:])
    error = np.abs(x[:, 1:] - expected)
    print(f"against scipy: {error.mean():.2f} m on average, {error.max():.2f} m at most")
    assert error.mean() < 0.25
    assert error.max() < 1.6  # over two kilometres, at 14 m/s
    gaps = x[:, :-1] - x[:, 1:] - LENGTH
    assert gaps.min() > 1.9


def test_the_gap_settles_where_the_closed_form_has_it(driven) -> None:
    seen = driven(platoon())
    x = np.array([seen.column("x", name)[-1] for name in seen.names])
    equilibrium = (S0 + 10 * T) / math.sqrt(1 - (10 / V0) ** DELTA)
    assert -np.diff(x) - LENGTH == pytest.approx(equilibrium, abs=0.05)
    assert seen.column("speed", "f-5")[-1] == pytest.approx(10, abs=0.01)


def test_a_shock_fades_along_the_string(driven) -> None:
    """With these settings a platoon is stable: each brakes less than the one before."""
    seen = driven(platoon("{at: 1000, over: 5, speed: 7}"))
    late = seen.t > 60
    slowest = [seen.column("speed", name)[late].min() for name in seen.names]
    assert slowest[0] == pytest.approx(7, abs=0.05)
    assert np.all(np.diff(slowest) > -0.02)
    assert slowest[-1] > slowest[0] + 0.2


def test_alone_it_drives_at_the_desired_speed(driven) -> None:
    seen = driven(platoon(), "vehicles.lead.start.at=[3000, 0]", "time.duration=60")
    assert seen.column("speed", "f-1")[-1] == pytest.approx(14, abs=0.1)


def test_a_desired_speed_near_zero_stops_it(driven) -> None:
    seen = driven(platoon(where="speed: 0.001, exponent: 100"), "time.duration=60")
    assert seen.column("speed", "f-1")[-1] == pytest.approx(0.0, abs=0.01)


def test_on_a_route_it_does_as_the_route_allows(driven) -> None:
    seen = driven(
        platoon(where="route: road"), "vehicles.lead.start.at=[3000, 0]", "time.duration=60"
    )
    assert seen.column("speed", "f-1").max() <= 10.05


def test_a_vehicle_beside_the_road_leads_nobody_and_one_round_the_bend_does(driven) -> None:
    text = """
time: {duration: 40}
routes: {road: {points: [[0, 0], [100, 0], [100, 300]]}}
vehicles:
  - {name: parked, kind: ground, start: {at: [60, WHERE]}, characteristic_length: 4}
  - {name: hidden, kind: ground, start: {at: [100, 40]}, characteristic_length: 4}
  - name: car
    kind: ground
    model: {speed: 10}
    start: {at: [0, 0]}
    behaviors: {follow_path: {route: road}, car_follow: {route: road}}
"""
    passed = driven(text.replace("WHERE", "6"))
    assert passed.place("car")[-1, :2] == pytest.approx([100, 40 - 2 - 1.35 - 2], abs=0.6)
    kept = driven(text.replace("WHERE", "0.5"))
    assert kept.place("car")[-1, :2] == pytest.approx([60 - 2 - 1.35 - 2, 0], abs=0.6)
    assert kept.behaviors("car")[-1] == "car_follow"


@pytest.mark.parametrize("minutes", [10, pytest.param(60, marks=pytest.mark.soak)])
def test_a_crowded_ring_without_a_touch_and_the_same_on_three_hosts(tmp_path, minutes: int) -> None:
    path = tmp_path / "ring.yaml"
    corners = [[64 * math.cos(t), 64 * math.sin(t)] for t in np.arange(0, math.tau, math.tau / 60)]
    starts = [corners[3 * i] for i in range(20)]
    path.write_text(f"""
name: ring
origin: {{lat: 29.193111, lon: -81.046171}}
time: {{duration: {60 * minutes}, step: 0.1, tick: 0.5}}
routes: {{ring: {{points: {corners}, closed: true}}}}
vehicles:
  - name: car
    count: 20
    kind: ground
    model: {{speed: 12}}
    start: {{points: {starts}, speed: 0}}
    behaviors: {{follow_path: {{route: ring, laps: forever}}, car_follow: {{route: ring}}}}
""")
    seen = [update.snapshot.vehicles for update in updates(build(load(str(path))))]
    shorter = updates(build(load(str(path), ["time.duration=120"]), hosts=3))
    for one, three in zip(seen, shorter, strict=False):
        assert one.x.tobytes() == three.snapshot.vehicles.x.tobytes()
    angle = np.unwrap(np.arctan2([s.y for s in seen], [s.x for s in seen]), axis=0)[240:]
    order = np.argsort(angle[0] % math.tau)
    ahead = np.diff(angle[:, order], axis=1) % math.tau * 64
    assert ahead.min() > LENGTH + 1.0
    laps = (angle[-1] - angle[0]) / math.tau
    assert laps.min() > 0.45 * (minutes - 2)  # they drive, all of them
