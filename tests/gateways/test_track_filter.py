"""The filter against a textbook Kalman filter, the Riccati equation and closed forms."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.linalg import solve_discrete_are

from movenv.gateways.config import Entry, LiveConfig
from movenv.gateways.fix import sound_fix
from movenv.gateways.limits import limits_of
from movenv.gateways.tracker import Outcome, Trackers
from movenv.world.frames import Frame, heading_deg
from movenv.world.kinds import Kind
from movenv.world.messages import Motions

Array = NDArray[np.float64]

FRAME = Frame(47.4, 8.5, 400.0)
EPOCH = 1.75e9
KINDS = ("pedestrian", "ground", "surface", "underwater", "aerial/rotorcraft", "aerial/fixedwing")
ACCURACY = 5.0
SIGMA = ACCURACY / math.sqrt(-2 * math.log(1 - 0.6827))  # Rayleigh: the circle that holds 68%


def one(kind: str, **config: object) -> Trackers:
    entry = Entry(1, "p", Kind.parse(kind), LiveConfig(type="test", **config))
    return Trackers(FRAME, [entry])


def enter(
    trackers: Trackers, t: float, x: float, y: float, z: float = math.nan, **more: float
) -> Outcome:
    """A fix at a local place, which arrives at once. `vx`, `vy` become speed and course."""
    lat, lon, convergence = FRAME.columns_to_geodetic(np.array([x]), np.array([y]))
    stated = {"accuracy": ACCURACY} | more
    if "vx" in stated:
        vx, vy = stated.pop("vx"), stated.pop("vy")
        stated["speed"] = math.hypot(vx, vy)
        stated["course"] = float(heading_deg(math.atan2(vy, vx), convergence)[0])
    fix = sound_fix(lat[0], lon[0], time=EPOCH + t, alt=z + FRAME.alt, **stated)
    return Outcome(trackers.take([1], [fix], [EPOCH + t])[0])


def shown(trackers: Trackers, t: float) -> Motions:
    return trackers.state(EPOCH + t)[0]


class Textbook:
    """x, y, vx, vy with matrices, as every book has it."""

    def __init__(self, kind: str, x: float, y: float) -> None:
        self.limits = limits_of(Kind.parse(kind))
        self.state = np.array([x, y, 0.0, 0.0])
        usual = self.limits.usual_speed**2
        self.P = np.diag([SIGMA**2, SIGMA**2, usual, usual])

    def predict(self, T: float) -> None:
        F, Q = transition(T, self.limits.acceleration, self.limits.fading)
        self.state, self.P = F @ self.state, F @ self.P @ F.T + Q

    def update(self, first: int, measured: Array, variance: float) -> None:
        """Of the place (first = 0) or of the velocity (first = 2)."""
        H = np.eye(4)[first : first + 2]
        S = H @ self.P @ H.T + variance * np.eye(2)
        K = self.P @ H.T @ np.linalg.inv(S)
        self.state = self.state + K @ (measured - H @ self.state)
        self.P = (np.eye(4) - K @ H) @ self.P


def transition(T: float, acceleration: float, fading: float = math.inf) -> tuple[Array, Array]:
    left = math.exp(-T / fading)
    way = T if math.isinf(fading) else fading * (1 - left)
    one_axis = np.array([[1.0, way], [0.0, left]])
    noise = acceleration**2 * np.array([[T**3 / 3, T**2 / 2], [T**2 / 2, T]])
    return np.kron(one_axis, np.eye(2)), np.kron(noise, np.eye(2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stated", [False, True])
def test_every_kind_moves_as_a_textbook_filter_says(kind: str, stated: bool) -> None:
    rng = np.random.default_rng(7)
    trackers, book, t = one(kind), None, 0.0
    place, velocity = np.zeros(2), np.zeros(2)
    for _ in range(60):
        T = rng.uniform(0.2, 4.0)
        t += T
        velocity = 0.9 * velocity + rng.normal(0, 0.5, 2)
        place = place + velocity * T
        x, y = place + rng.normal(0, SIGMA, 2)
        vx, vy = measured = velocity + rng.normal(0, 0.3, 2)
        more = {"vx": vx, "vy": vy} if stated else {}
        assert enter(trackers, t, x, y, **more) is Outcome.ACCEPTED
        if book is None:
            book = Textbook(kind, x, y)
        else:
            book.predict(T)
            book.update(0, np.array([x, y]), SIGMA**2)
        if stated:
            speed = math.hypot(vx, vy)
            slow = speed < 0.5
            variance = 0.25 if slow else 0.25 + (0.03 * speed) ** 2
            book.update(2, np.zeros(2) if slow else measured, variance)
        now = shown(trackers, t)
        ours = [now.x[0], now.y[0], now.vx[0], now.vy[0]]
        np.testing.assert_allclose(ours, book.state, atol=2e-3)


@pytest.mark.parametrize("kind", ["ground", "surface", "aerial/fixedwing"])
@pytest.mark.parametrize("T", [1.0, 2.0])
def test_the_gain_becomes_that_of_the_riccati_equation(kind: str, T: float) -> None:
    F, Q = transition(T, limits_of(Kind.parse(kind)).acceleration)
    axis, H = np.ix_([0, 2], [0, 2]), np.array([[1.0, 0.0]])
    P = solve_discrete_are(F[axis].T, H.T, Q[axis], np.array([[SIGMA**2]]))
    gain = P @ H.T / (P[0, 0] + SIGMA**2)
    trackers = one(kind)
    for k in range(200):
        enter(trackers, k * T, 0.0, 0.0)
    enter(trackers, 200 * T, 1.0, 0.0)
    now = shown(trackers, 200 * T)
    assert now.x[0] == pytest.approx(gain[0, 0], abs=2e-4)
    assert now.vx[0] == pytest.approx(gain[1, 0], abs=2e-4)


def test_at_a_high_rate_the_gain_is_that_of_the_continuous_filter() -> None:
    T = 0.01
    trackers = one("ground")
    for k in range(2000):
        enter(trackers, k * T, 1e-3 * (k % 2), 0.0)
    before = shown(trackers, 2000 * T).x[0]
    enter(trackers, 2000 * T, 1.0, 0.0)
    density = limits_of(Kind("ground")).acceleration ** 2
    expected = math.sqrt(2) * (density / (SIGMA**2 * T)) ** 0.25 * T
    assert shown(trackers, 2000 * T).x[0] - before == pytest.approx(expected, rel=0.03)


def test_a_constant_velocity_is_followed_without_lag() -> None:
    trackers = one("ground")
    for t in range(120):
        enter(trackers, t, 20.0 * t, -5.0 * t)
    now = shown(trackers, 120.5)
    assert now.x[0] == pytest.approx(20.0 * 120.5, abs=1e-3)
    assert now.y[0] == pytest.approx(-5.0 * 120.5, abs=1e-3)
    assert now.speed[0] == pytest.approx(math.hypot(20.0, 5.0), abs=1e-3)
    assert now.yaw[0] == pytest.approx(math.atan2(-5.0, 20.0), abs=1e-4)


def test_a_steady_walker_is_shown_0_3_m_behind_at_most() -> None:
    trackers = one("pedestrian")
    for t in range(120):
        enter(trackers, t, 1.4 * t, 0.0)
    now = shown(trackers, 119.0)
    assert 0.0 < 1.4 * 119.0 - now.x[0] < 0.3
    assert 1.25 < now.speed[0] < 1.4


def test_a_steady_climb_is_followed_without_lag() -> None:
    trackers = one("aerial/rotorcraft")
    for t in range(120):
        enter(trackers, t, 10.0 * t, 0.0, 30.0 + 3.0 * t)
    now = shown(trackers, 120.0)
    assert now.z[0] == pytest.approx(390.0, abs=0.01)
    assert now.vz[0] == pytest.approx(3.0, abs=0.01)
    assert now.speed[0] == pytest.approx(math.hypot(10.0, 3.0), abs=0.01)


def test_accuracy_decides_how_much_a_fix_counts() -> None:
    moved = []
    for accuracy in (1.0, 5.0, 50.0, 199.0):
        trackers = one("pedestrian")
        for t in range(30):
            enter(trackers, t, 0.0, 0.01 * (t % 2))
        enter(trackers, 30, 5.0, 0.0, accuracy=accuracy)
        moved.append(float(shown(trackers, 30).x[0]))
    assert moved == sorted(moved, reverse=True)
    assert moved[0] > 4.0
    assert moved[-1] < 0.05


def test_the_same_speed_without_a_course_counts_little_but_not_nothing() -> None:
    def speed_shown(**more: float) -> float:
        trackers = one("ground")
        for t in range(5):
            enter(trackers, t, 9.0 * t, 0.0, **more)
        return abs(float(shown(trackers, 4).speed[0]) - 10.0)

    assert speed_shown(vx=10.0, vy=0.0) < speed_shown(speed=10.0) < speed_shown()
