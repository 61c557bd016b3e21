"""What a scenario may say of a car."""

import math
from typing import Literal

from pydantic import Field

from movenv.parts.config import ModelConfig, Strict


class MagicFormula(Strict):
    """One axis of Pacejka's formula: friction · sin(C arctan(B s - E (B s - arctan(B s))))."""

    stiffness: float = Field(gt=0, le=1000, description="force over load for little slip s, B·C·D")
    shape: float = Field(ge=1, lt=2, description="C")
    friction: float = Field(gt=0, le=5, description="D, greatest force over load")
    curvature: float = Field(0.0, ge=-10, le=1, description="E")


class Pacejka(Strict):
    """Tyres by Pacejka's formula."""

    longitudinal: MagicFormula
    lateral: MagicFormula


class CarConfig(ModelConfig):
    """A car with suspension, tyres, engine and brakes. What is left out is taken from its build."""

    build: Literal["navigator", "compact", "truck", "f110"] = Field(
        "compact", description="a preset: the NaviGator (a Toyota Highlander), a small car, ..."
    )
    length: float | None = Field(None, gt=0, le=20, description="wheelbase L, m")
    mass: float | None = Field(None, gt=0, le=1e5, description="of all of it, kg")
    front_share: float | None = Field(
        None, gt=0, lt=1, description="of the sprung mass that rests on the front wheels"
    )
    cg_height: float | None = Field(
        None, gt=0, le=5, description="centre of gravity of the sprung mass above the ground, m"
    )
    inertia_x: float | None = Field(None, gt=0, le=1e7, description="in roll, kg m²")
    inertia_y: float | None = Field(None, gt=0, le=1e7, description="in pitch, kg m²")
    inertia_z: float | None = Field(None, gt=0, le=1e7, description="in yaw, kg m²")
    track_front: float | None = Field(None, gt=0, le=10, description="between the wheels, m")
    track_rear: float | None = Field(None, gt=0, le=10, description="between the wheels, m")
    body_length: float | None = Field(None, gt=0, le=40, description="m")
    body_width: float | None = Field(None, gt=0, le=10, description="m")
    body_height: float | None = Field(None, gt=0, le=10, description="of the roof, m")
    clearance: float | None = Field(None, gt=0, le=3, description="of the floor, m")
    spring_front: float | None = Field(None, gt=0, le=1e7, description="each, N/m")
    spring_rear: float | None = Field(None, gt=0, le=1e7, description="each, N/m")
    damper_front: float | None = Field(None, gt=0, le=1e6, description="each, N s/m")
    damper_rear: float | None = Field(None, gt=0, le=1e6, description="each, N s/m")
    anti_roll_front: float | None = Field(None, ge=0, le=1e7, description="bar, N m/rad")
    anti_roll_rear: float | None = Field(None, ge=0, le=1e7, description="bar, N m/rad")
    bump: float | None = Field(None, gt=0, le=2, description="travel up to the stop, m")
    rebound: float | None = Field(None, gt=0, le=2, description="travel down to the stop, m")
    wheel_mass: float | None = Field(None, gt=0, le=2000, description="of each, unsprung, kg")
    wheel_inertia: float | None = Field(None, gt=0, le=1000, description="of each in spin, kg m²")
    radius: float | None = Field(None, gt=0, le=3, description="of a wheel under load, m")
    tyre_spring: float | None = Field(None, gt=0, le=1e8, description="upward, each, N/m")
    relaxation: float | None = Field(None, gt=0, le=5, description="way until a tyre pulls, m")
    extremum_slip: float | None = Field(None, gt=0, le=1, description="where a tyre pulls most")
    extremum_value: float | None = Field(None, gt=0, le=5, description="that over its load")
    asymptote_slip: float | None = Field(None, gt=0, le=10, description="where it is level again")
    asymptote_value: float | None = Field(None, gt=0, le=5, description="what is left then")
    pacejka: Pacejka | None = Field(None, description="tyres by this formula instead")
    load_sensitivity: float | None = Field(
        None, ge=0, le=0.5, description="share of friction lost at twice the usual load"
    )
    camber_stiffness: float | None = Field(
        None, ge=-2, le=2, description="side force over load for each rad that a wheel leans to it"
    )
    camber_front: float | None = Field(
        None, ge=-5, le=5, description="lean inward for each m of travel, rad/m"
    )
    camber_rear: float | None = Field(
        None, ge=-5, le=5, description="lean inward for each m of travel, rad/m"
    )
    sway: float | None = Field(
        None,
        ge=0,
        le=1,
        description="share of the body's sway in roll that tyres feel: 1, or 0 as simpler models",
    )
    rolling: float | None = Field(None, ge=0, le=0.5, description="rolling resistance c_r")
    drag_area: float | None = Field(None, ge=0, le=50, description="drag coefficient · area, m²")
    power: float | None = Field(None, gt=0, le=1e7, description="at the wheels, W")
    drive_torque: float | None = Field(None, gt=0, le=1e6, description="at the wheels, N m")
    drive_front: float | None = Field(None, ge=0, le=1, description="share of the front wheels")
    brake_torque: float | None = Field(None, gt=0, le=1e6, description="of all brakes, N m")
    brake_front: float | None = Field(None, ge=0, le=1, description="share of the front wheels")
    max_steer: float | None = Field(None, gt=0, lt=math.pi / 2, description="steer angle, rad")
    max_steer_rate: float | None = Field(None, gt=0, le=100, description="of steer, rad/s")
    ackermann: float | None = Field(
        None, ge=0, le=1, description="1: all wheels circle one middle; 0: front wheels parallel"
    )
    speed: float | None = Field(None, gt=0, le=200, description="cruising speed, m/s")
    max_speed: float | None = Field(None, gt=0, le=200, description="m/s")
