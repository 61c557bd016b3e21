"""The same manoeuvre by CommonRoad's multi-body model and by ours, with the same parameters.

Theirs takes a tyre's slip from the velocity of the centre of gravity, without the sway of a rolling
body, so ours is told to (`sway` 0) where the two are compared; it has no relaxation length, so
ours has as little as a step can follow. Three of its tyre's shifts are left out: p_hy1 and p_vy1,
which jump with the sign of a wheel's lean, and r_vy1, which pulls to one side under braking.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from tests.vehicles.cars import car, state
from vehiclemodels.init_mb import init_mb
from vehiclemodels.vehicle_dynamics_mb import vehicle_dynamics_mb
from vehiclemodels.vehicle_parameters import setup_vehicle_parameters

from movenv.vehicles.car_config import CarConfig
from movenv.vehicles.tyre import FASTEST_EASE

H, EVERY = 1e-3, 10
HARDEST = 10.0
"""Deceleration with the brake pedal down, m/s²."""
BEGIN = 0.5
FASTEST = 1.1
"""Top speed over that of the manoeuvre."""
RELAXATION = 1.01 * FASTEST / FASTEST_EASE
"""Relaxation length over that speed: the least that a step can follow, s."""
Profile = Callable[[float], float]


class Run(NamedTuple):
    """What one of the two did, every 10 ms."""

    time: np.ndarray
    yaw_rate: np.ndarray
    lateral: np.ndarray
    """Acceleration of all the mass to the left, m/s²."""
    speed: np.ndarray


def parameters(vehicle: int) -> Any:
    found = setup_vehicle_parameters(vehicle)
    found.tire.p_hy1 = found.tire.p_vy1 = found.tire.r_vy1 = 0.0
    return found


def settings(p: Any, speed: float, sway: float = 0.0) -> dict[str, Any]:
    """Our car with their parameters."""
    tire = p.tire
    # It starts with squeezed tyres below a body at full height, which sinks by as much.
    squeeze = (p.m_s + p.m_uf + p.m_ur) * 9.81 / 4 / p.K_zt
    given = {
        "length": p.a + p.b, "mass": p.m, "front_share": p.b / (p.a + p.b),
        "cg_height": p.h_s - squeeze,
        "inertia_x": p.I_Phi_s, "inertia_y": p.I_y_s, "inertia_z": p.I_z,
        "track_front": p.T_f, "track_rear": p.T_r, "body_length": p.l, "body_width": p.w,
        "spring_front": p.K_sf, "spring_rear": p.K_sr,
        "damper_front": p.K_sdf, "damper_rear": p.K_sdr,
        "anti_roll_front": -p.K_tsf, "anti_roll_rear": -p.K_tsr, "bump": 0.15, "rebound": 0.15,
        "wheel_mass": p.m_uf / 2, "wheel_inertia": p.I_y_w, "radius": p.R_w,
        "tyre_spring": p.K_zt, "relaxation": RELAXATION * speed, "load_sensitivity": 0.0,
        "sway": sway,
        "camber_stiffness": tire.p_ky1 * tire.p_hy3 + tire.p_vy3,
        "camber_front": -p.D_f, "camber_rear": -p.D_r,
        "rolling": 0.0, "drag_area": 0.0, "ackermann": 0.0,
        "brake_torque": p.m * p.R_w * HARDEST, "brake_front": p.T_sb,
        "max_steer": p.steering.max, "max_steer_rate": p.steering.v_max,
        "speed": speed, "max_speed": FASTEST * speed,
        "pacejka": {
            "longitudinal": {
                "stiffness": tire.p_kx1, "shape": tire.p_cx1, "friction": tire.p_dx1,
                "curvature": tire.p_ex1,
            },
            "lateral": {
                "stiffness": -tire.p_ky1, "shape": tire.p_cy1, "friction": tire.p_dy1,
                "curvature": tire.p_ey1,
            },
        },
    }  # fmt: skip
    return {name: value for name, value in CarConfig(**given) if name in given}


def step_steer(angle: float, rate: float = 0.4) -> Profile:
    return lambda t: min(max((t - BEGIN) * rate, 0.0), angle)


def lane_change(angle: float, period: float = 3.0) -> Profile:
    def steer(t: float) -> float:
        within = BEGIN <= t <= BEGIN + period
        return angle * float(np.sin(2 * np.pi * (t - BEGIN) / period)) if within else 0.0

    return steer


def theirs(p: Any, speed: float, steer: Profile, brake: Profile, time: float) -> Run:
    x = np.array(init_mb([0, 0, 0, speed, 0, 0, 0], p))
    seen = []
    for i in range(round(time / H)):
        t = i * H
        told = [(steer(t + H) - steer(t)) / H, -brake(t)]

        def rate(x: np.ndarray, told: list[float] = told) -> np.ndarray:
            return np.array(vehicle_dynamics_mb(list(x), told, p))

        k1 = rate(x)
        if i % EVERY == 0:
            pushed = p.m_s * k1[10] + p.m_uf * k1[15] + p.m_ur * k1[20]
            seen.append((t, x[5], pushed / p.m + x[5] * x[3], x[3]))
        k2 = rate(x + H / 2 * k1)
        k3 = rate(x + H / 2 * k2)
        x = x + H / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + H * k3))
    return Run(*np.array(seen).T)


def ours(
    p: Any, speed: float, steer: Profile, brake: Profile, time: float, sway: float = 0.0
) -> Run:
    model = car(start={"speed": speed}, **settings(p, speed, sway))
    seen = []
    for i in range(round(time / H)):
        t = i * H
        model.pedals[:, 0] = 0.0, brake(t) / HARDEST, 0.0
        u, v, r = (state(model, name)[0] for name in "uvr")
        model.advance(np.array([[steer(t + H)], [0.0], [0.0]]), H, 1)
        if i % EVERY == 0:
            seen.append((t, r, (state(model, "v")[0] - v) / H + r * u, u))
    return Run(*np.array(seen).T)


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """The most that they ever differ, against the most that the first shows."""
    return float(np.abs(one - other).max() / np.abs(one).max())
