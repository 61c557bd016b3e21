"""The fixed-wing model: turns, climbs and stalls as the closed forms of flight mechanics say."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from movenv.vehicles.airframes import AIRFRAMES
from movenv.vehicles.fixedwing import (
    LIFT_TIME,
    PARAMETERS,
    STATE,
    THRUST_TIME,
    FixedWing,
    FixedWingConfig,
    drag_at,
    stall_speed,
)
from movenv.world.kinds import Kind
from movenv.world.model import MOTION

KIND = Kind("aerial", "fixedwing")
G = 9.80665


def whole(**settings: Any) -> dict[str, float]:
    return FixedWing.complete(FixedWingConfig(**settings), KIND)


def aircraft(start: dict[str, float] | None = None, **settings: Any) -> FixedWing:
    made = whole(**settings)
    parameters = np.array([[made[name]] for name in PARAMETERS])
    motion = np.zeros((len(MOTION), 1))
    for name, value in ({"speed": made["speed"], "z": 500.0} | (start or {})).items():
        motion[MOTION.index(name)] = value
    return FixedWing(parameters, motion)


def fly(model: FixedWing, steer: float, speed: float, pitch: float, time: float) -> np.ndarray:
    """One row of MOTION a tick of 0.1 s."""
    seen = []
    for _ in range(round(time / 0.1)):
        model.advance(np.array([[steer], [speed], [pitch]]), 0.01, 10)
        seen.append(model.motion[:, 0].copy())
    return np.array(seen)


def column(seen: np.ndarray, name: str) -> np.ndarray:
    return seen[:, MOTION.index(name)]


@pytest.mark.parametrize("airframe", AIRFRAMES)
def test_every_airframe_flies_level_and_straight(airframe: str) -> None:
    model = aircraft(airframe=airframe)
    cruise = whole(airframe=airframe)["speed"]
    seen = fly(model, 0.0, cruise, 0.0, 60.0)
    assert column(seen, "z")[-1] == pytest.approx(500.0, abs=0.01)
    assert column(seen, "x")[-1] == pytest.approx(60.0 * cruise, rel=1e-4)
    assert model.state[STATE.index("thrust"), 0] == pytest.approx(
        drag_at(whole(airframe=airframe), cruise, 1.0), rel=1e-3
    )


@pytest.mark.parametrize("bank_deg", [10.0, 30.0, 44.0])
@pytest.mark.parametrize("airframe", ["small", "trainer"])
def test_a_steady_turn_has_the_radius_of_its_bank(airframe: str, bank_deg: float) -> None:
    made = whole(airframe=airframe)
    v, bank = made["speed"], math.radians(bank_deg)
    radius = v * v / (G * math.tan(bank))
    model = aircraft(airframe=airframe)
    seen = fly(model, made["length"] / radius, v, 0.0, 90.0)
    late = seen[-300:]
    assert -np.degrees(column(late, "roll")).mean() == pytest.approx(bank_deg, rel=0.01)
    turned = np.diff(np.unwrap(column(late, "yaw"))) / 0.1
    assert (column(late, "speed").mean() / turned.mean()) == pytest.approx(radius, rel=0.02)
    assert model.state[STATE.index("load"), 0] == pytest.approx(1 / math.cos(bank), rel=0.01)
    assert abs(column(late, "z") - 500.0).max() < 15.0


def test_no_turn_is_tighter_than_the_airframe_allows() -> None:
    made = whole()
    model = aircraft()
    seen = fly(model, 1.0, made["speed"], 0.0, 30.0)
    steepest = np.degrees(np.abs(column(seen, "roll"))).max()
    assert steepest <= made["max_bank"] * 180 / math.pi + 0.5
    told = made["length"] / made["max_steer"]
    turned = np.diff(np.unwrap(column(seen[-100:], "yaw"))) / 0.1
    assert column(seen[-100:], "speed").mean() / turned.mean() == pytest.approx(told, rel=0.05)


def test_a_slow_aircraft_must_turn_wider_because_its_wing_would_stall() -> None:
    made = whole()
    slow = made["min_speed"]
    model = aircraft(start={"speed": slow})
    seen = fly(model, 1.0, slow, 0.0, 20.0)
    most = (column(seen, "speed") / stall_speed(made)) ** 2
    needed = 1 / np.cos(column(seen, "roll"))
    assert (needed <= most * 1.02).all()
    assert column(seen, "z").min() > 480.0


def test_a_climb_ends_at_what_the_engine_can_do() -> None:
    made = whole()
    model = aircraft()
    seen = fly(model, 0.0, made["speed"], 1.0, 40.0)
    climb = column(seen[-100:], "vz").mean()
    v = column(seen[-100:], "speed").mean()
    assert climb / v == pytest.approx(math.sin(made["max_pitch"]), rel=0.05)
    assert column(seen, "speed").min() > made["min_speed"] * 0.95


def test_it_levels_off_above_its_floor_and_below_its_ceiling() -> None:
    made = whole()
    down = fly(aircraft(start={"z": 100.0}), 0.0, made["speed"], -1.0, 60.0)
    up = fly(aircraft(start={"z": 100.0}, ceiling=150.0), 0.0, made["speed"], 1.0, 60.0)
    assert column(down, "z").min() > -0.5
    assert column(down, "z")[-1] == pytest.approx(0.0, abs=1.0)
    assert column(up, "z").max() < 150.5


def test_it_agrees_with_another_integrator() -> None:
    """Bank held at 0.5 rad, lift and thrust fixed: the equations once more, for scipy."""
    made = whole(airframe="trainer")
    model = aircraft(airframe="trainer")
    m, s, k, cd0 = (made[name] for name in ("mass", "wing_area", "induced", "cd0"))
    wanted = {"bank": 0.3, "load": 1.1, "thrust": 1500.0}
    for name, value in wanted.items():
        model.state[STATE.index(name)] = value
    seen = fly(model, 0.001, made["speed"], 0.0, 5.0)
    length = made["length"]

    def rates(_t: float, state: np.ndarray) -> list[float]:
        _x, _y, _z, psi, v, gamma, phi, p, n, thrust = state
        q = 0.5 * 1.225 * v**2 * s
        drag = q * (cd0 + k * (n * m * G / q) ** 2)
        phi_to = math.atan(v**2 * 0.001 / (length * G))
        n_to = (math.cos(gamma) + v * (0.0 - gamma) / G) / math.cos(phi)
        t_to = min(
            drag + m * (G * math.sin(gamma) + (made["speed"] - v) / 2.0),
            min(made["max_thrust"], made["power"] / v),
        )
        return [
            v * math.cos(gamma) * math.cos(psi),
            v * math.cos(gamma) * math.sin(psi),
            v * math.sin(gamma),
            n * G * math.sin(phi) / (v * math.cos(gamma)),
            (thrust - drag) / m - G * math.sin(gamma),
            G / v * (n * math.cos(phi) - math.cos(gamma)),
            p,
            (phi_to - phi) / made["roll_time"] ** 2 - 2 * p / made["roll_time"],
            (n_to - n) / LIFT_TIME,
            (t_to - thrust) / THRUST_TIME,
        ]

    begin = [0.0, 0.0, 500.0, 0.0, made["speed"], 0.0, 0.3, 0.0, 1.1, 1500.0]
    other = solve_ivp(rates, (0, 5.0), begin, rtol=1e-9, atol=1e-9).y[:, -1]
    # Ours holds what the pilot wants for 10 ms, the other follows it at once.
    assert [column(seen, a)[-1] for a in "xyz"] == pytest.approx(other[:3], abs=0.2)
    assert column(seen, "speed")[-1] == pytest.approx(other[4], abs=0.02)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"speed": 5.0}, "just above the stall"),
        ({"speed": 60.0}, "max_speed 45"),
        ({"power": 100.0}, "cannot fly level"),
        ({"floor": 10.0, "ceiling": 5.0}, "not below ceiling"),
    ],
)
def test_what_cannot_fly_is_refused_with_words(settings: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        whole(**settings)


def test_only_a_fixed_wing_aircraft_can_have_it() -> None:
    with pytest.raises(ValueError, match="found ground"):
        FixedWing.complete(FixedWingConfig(), Kind("ground"))


def test_everyone_flies_the_same_however_many_there_are() -> None:
    made = whole()
    parameters = np.array([np.full(300, made[name]) for name in PARAMETERS])
    motion = np.zeros((len(MOTION), 300))
    motion[MOTION.index("speed")] = made["speed"]
    many = FixedWing(parameters, motion)
    one = aircraft(start={"z": 0.0})
    for _ in range(50):
        many.advance(np.array([[0.01] * 300, [30.0] * 300, [0.1] * 300]), 0.01, 10)
        one.advance(np.array([[0.01], [30.0], [0.1]]), 0.01, 10)
    assert (many.motion == one.motion).all()
