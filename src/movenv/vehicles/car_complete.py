"""From what is said of a car to every number its equations need."""

import math
from typing import Any

import numpy as np

from movenv.vehicles.car_body import G
from movenv.vehicles.car_builds import CAR_BUILDS, USUAL
from movenv.vehicles.car_config import CarConfig, Pacejka
from movenv.vehicles.tyre import FASTEST_EASE
from movenv.world.columns import F8

STOP = 10.0
"""A stop is so many times as stiff as the stiffer spring."""
TYRE_DAMPING = 0.05
"""Of a wheel on its tyre, share of what would keep it from swinging."""
THINNEST = 0.02
"""The least inertia of a body over its mass and the square of its extent."""
MOST_SQUEEZE = 0.33
"""How far a tyre may be pressed in at rest, over its radius."""
LIGHTEST_SPIN = 0.05
"""The least inertia of a wheel over its mass and the square of its radius; a disc has a half."""
WIDEST_TRACK = 1.3
"""The most from wheel to wheel, over the body's width."""
STIFFEST = 1800.0
"""Fastest swing on the springs, rad/s, and most damping for what is moved, 1/s."""
AXLES = ("front", "front", "rear", "rear")


def complete_car(config: CarConfig) -> dict[str, float]:
    """Every parameter. Raises ValueError where they cannot go together."""
    given = config.model_dump(exclude={"type", "build", "pacejka"}, exclude_none=True)
    whole: dict[str, float] = dict(USUAL) | dict(CAR_BUILDS[config.build]) | given
    _complete_body(whole)
    _complete_suspension(whole)
    _complete_tyre(whole, config.pacejka)
    _refuse(whole)
    return whole | _abilities(whole)


def _complete_body(whole: dict[str, float]) -> None:
    wheel = whole.pop("wheel_mass")
    whole["wheel_front"] = whole["wheel_rear"] = wheel
    whole["sprung"] = whole["mass"] - 4.0 * wheel
    if whole["sprung"] <= 0:
        raise ValueError(
            f"nothing is left for the body: mass is {whole['mass']:g} kg, and four wheels of "
            f"{wheel:g} kg weigh {4 * wheel:g} kg"
        )
    whole["front"] = whole["length"] * (1.0 - whole["front_share"])
    whole["rear"] = whole["length"] * whole.pop("front_share")
    whole["half_front"] = 0.5 * whole.pop("track_front")
    whole["half_rear"] = 0.5 * whole.pop("track_rear")
    long, wide = whole["body_length"], whole["body_width"]
    high = whole["body_height"] - whole["clearance"]
    sprung = whole["sprung"]
    apart = 2.0 * wheel * (whole["front"] ** 2 + whole["rear"] ** 2)
    whole.setdefault("inertia_x", sprung * (wide**2 + high**2) / 12.0)
    whole.setdefault("inertia_y", sprung * (long**2 + high**2) / 12.0)
    whole.setdefault("inertia_z", sprung * (long**2 + wide**2) / 12.0 + apart)


def _complete_suspension(whole: dict[str, float]) -> None:
    for axle, other in (("front", "rear"), ("rear", "front")):
        whole[f"load_{axle}"] = 0.5 * whole["sprung"] * G * whole[other] / whole["length"]
        track = 2.0 * whole[f"half_{axle}"]
        whole[f"bar_{axle}"] = whole.pop(f"anti_roll_{axle}") / track**2
        load = whole[f"load_{axle}"] + whole[f"wheel_{axle}"] * G
        whole[f"free_{axle}"] = whole["radius"] + load / whole["tyre_spring"]
    lightest = min(whole["wheel_front"], whole["wheel_rear"])
    whole["stop"] = STOP * max(whole["spring_front"], whole["spring_rear"])
    whole["tyre_damper"] = 2.0 * TYRE_DAMPING * math.sqrt(whole["tyre_spring"] * lightest)


def _complete_tyre(whole: dict[str, float], pacejka: Pacejka | None) -> None:
    whole["usual_load"] = 0.25 * whole["mass"] * G
    whole["magic"] = 0.0 if pacejka is None else 1.0
    slip, value = whole.pop("extremum_slip"), whole.pop("extremum_value")
    last_slip, last_value = whole.pop("asymptote_slip"), whole.pop("asymptote_value")
    if pacejka is not None:
        for axis, formula in (("x", pacejka.longitudinal), ("y", pacejka.lateral)):
            whole[f"friction_{axis}"] = formula.friction
            whole[f"stiff_{axis}"] = formula.stiffness / formula.friction
            whole[f"shape_{axis}"], whole[f"tail_{axis}"] = formula.shape, formula.curvature
        return
    if last_slip <= slip or last_value > value:
        raise ValueError(
            f"a tyre's asymptote, {last_value:g} at slip {last_slip:g}, must lie beyond and not "
            f"above its extremum, {value:g} at slip {slip:g}"
        )
    for axis in "xy":
        whole[f"friction_{axis}"], whole[f"stiff_{axis}"] = value, 1.0 / slip
        whole[f"shape_{axis}"], whole[f"tail_{axis}"] = last_slip / slip, last_value / value


def _refuse(whole: dict[str, float]) -> None:
    for found, words in (
        (whole["cg_height"] <= whole["clearance"], "the centre of gravity is below the floor"),
        (whole["cg_height"] >= whole["body_height"], "the centre of gravity is above the roof"),
        (whole["clearance"] >= whole["body_height"], "the floor is above the roof"),
        (2.0 * whole["radius"] >= whole["body_height"], "the wheels are higher than the body"),
        (2.0 * whole["radius"] >= whole["length"], "front and rear wheels overlap"),
        (whole["bump"] >= whole["radius"], "a wheel's travel is more than its radius"),
        (whole["body_length"] < whole["length"], "the body is shorter than the wheelbase"),
    ):
        if found:
            raise ValueError(f"{words}: {_sizes(whole)}")
    _refuse_thin(whole)
    _refuse_wheels(whole)
    if whole["speed"] > whole["max_speed"]:
        raise ValueError(f"speed {whole['speed']:g} is above max_speed {whole['max_speed']:g}")
    if whole["max_speed"] > FASTEST_EASE * whole["relaxation"]:
        raise ValueError(
            f"a relaxation length of {whole['relaxation']:g} m is too short for "
            f"{whole['max_speed']:g} m/s: give at least {whole['max_speed'] / FASTEST_EASE:.3g} m"
        )
    _refuse_stiff(whole)


def _refuse_thin(whole: dict[str, float]) -> None:
    """A body whose mass is all in its middle."""
    for axis, across in (("x", "body_width"), ("y", "body_length"), ("z", "body_length")):
        least = THINNEST * whole["sprung"] * whole[across] ** 2
        if whole[f"inertia_{axis}"] < least:
            raise ValueError(
                f"inertia_{axis} of {whole[f'inertia_{axis}']:g} kg m² is too little for "
                f"{whole['sprung']:.4g} kg in a body of {whole[across]:g} m: give at least "
                f"{least:.3g}"
            )


def _refuse_wheels(whole: dict[str, float]) -> None:
    """Wheels beside the body, without inertia, or on tyres that do not bear it."""
    for axle in ("front", "rear"):
        track = 2.0 * whole[f"half_{axle}"]
        if track > WIDEST_TRACK * whole["body_width"]:
            raise ValueError(
                f"track_{axle} of {track:g} m has wheels far beside a body of "
                f"{whole['body_width']:g} m"
            )
        squeeze = whole[f"free_{axle}"] - whole["radius"]
        if squeeze > MOST_SQUEEZE * whole["radius"]:
            least = whole["tyre_spring"] * squeeze / (MOST_SQUEEZE * whole["radius"])
            raise ValueError(
                f"the {axle} tyres do not bear the car: a tyre_spring of {whole['tyre_spring']:g} "
                f"N/m is pressed in by {squeeze:.3g} m at rest; give at least {least:.3g}"
            )
        least = LIGHTEST_SPIN * whole[f"wheel_{axle}"] * whole["radius"] ** 2
        if whole["wheel_inertia"] < least:
            raise ValueError(
                f"wheel_inertia of {whole['wheel_inertia']:g} kg m² is too little for wheels of "
                f"{whole[f'wheel_{axle}']:g} kg: give at least {least:.3g}"
            )


def _sizes(whole: dict[str, float]) -> str:
    names = ("cg_height", "clearance", "body_height", "body_length", "radius", "bump", "length")
    return ", ".join(f"{name} {whole[name]:g}" for name in names)


def _refuse_stiff(whole: dict[str, float]) -> None:
    """Wheels or a body that a step of 1 ms cannot follow."""
    yields = _hub_yields(whole)
    for axle, wheel in (("front", 0), ("rear", 2)):
        mass = whole[f"wheel_{axle}"]
        springs = whole[f"spring_{axle}"] + whole["tyre_spring"] + whole["stop"]
        swing = math.sqrt((springs + 2.0 * whole[f"bar_{axle}"]) / mass)
        damping = (whole[f"damper_{axle}"] + whole["tyre_damper"]) / mass
        if max(swing, damping) > STIFFEST:
            raise ValueError(
                f"the {axle} wheels of {mass:g} kg are too light for springs of {springs:.4g} N/m "
                f"and a damper of {whole[f'damper_{axle}']:g} N s/m"
            )
        yields[wheel : wheel + 2] += np.eye(4)[wheel : wheel + 2] / mass
    stiffness = [whole[f"spring_{axle}"] + whole["stop"] for axle in AXLES]
    swing = math.sqrt(_fastest(yields, stiffness))
    damping = _fastest(yields, [whole[f"damper_{axle}"] for axle in AXLES])
    if max(swing, damping) > STIFFEST:
        raise ValueError(
            f"the body of {whole['sprung']:.4g} kg, with inertia_x {whole['inertia_x']:.4g} and "
            f"inertia_y {whole['inertia_y']:.4g} kg m², is too light for its springs and dampers: "
            f"it would swing faster than a step of 1 ms can follow"
        )


def _hub_yields(whole: dict[str, float]) -> F8:
    """How much the body rises over each wheel for a push over each other one, 1/kg."""
    ahead = np.array([whole["front"]] * 2 + [-whole["rear"]] * 2)
    left = (
        np.array([1, -1, 0, 0]) * whole["half_front"] + np.array([0, 0, 1, -1]) * whole["half_rear"]
    )
    pitch, roll = (
        np.outer(ahead, ahead) / whole["inertia_y"],
        np.outer(left, left) / whole["inertia_x"],
    )
    yields: F8 = 1.0 / whole["sprung"] + pitch + roll
    return yields


def _fastest(yields: F8, strengths: list[float]) -> float:
    """The greatest rate with which springs or dampers of that strength at the wheels act."""
    root = np.sqrt(strengths)
    return float(np.linalg.eigvalsh(root[:, None] * yields * root)[-1])


def _abilities(whole: dict[str, Any]) -> dict[str, float]:
    """What behaviors and those who meet it may know."""
    held = G * min(whole["friction_x"], whole["brake_torque"] / whole["radius"] / whole["mass"] / G)
    pull = whole["drive_torque"] / (whole["radius"] * whole["mass"])
    # Sideways until it slides or tips over, whichever comes first.
    tips = min(whole["half_front"], whole["half_rear"]) / whole["cg_height"]
    found = {
        "max_acceleration": min(pull, whole["friction_x"] * G) - G * whole["rolling"],
        "max_braking": 0.9 * held,
        "max_lateral": 0.8 * G * min(whole["friction_y"], tips),
    }
    if found["max_acceleration"] <= 0:
        raise ValueError(
            f"it cannot set off: its engine gives {pull:.3g} m/s², and rolling resistance takes "
            f"{G * whole['rolling']:.3g} m/s²"
        )
    unlimited = {"floor": -math.inf, "ceiling": math.inf, "min_speed": 0.0, "max_pitch": 0.0}
    return unlimited | found
