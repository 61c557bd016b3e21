"""Cars by name, by published figures where there are any, else by usual ones of their class."""

from collections.abc import Mapping
from types import MappingProxyType

# Lengths m, masses kg, springs N/m, dampers N s/m, torques N m at all wheels together, power W.
CAR_BUILDS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        # A Toyota Highlander, as the NaviGator was: 1,850 kg, 160 kW, four-wheel drive.
        "navigator": MappingProxyType(
            {"mass": 1850.0, "length": 2.715, "front_share": 0.55, "cg_height": 0.68}
            | {"track_front": 1.575, "track_rear": 1.57, "radius": 0.36, "clearance": 0.19}
            | {"body_length": 4.69, "body_width": 1.825, "body_height": 1.735}
            | {"spring_front": 32_000.0, "spring_rear": 30_000.0, "anti_roll_front": 22_000.0}
            | {"damper_front": 2_600.0, "damper_rear": 2_500.0, "anti_roll_rear": 12_000.0}
            | {"bump": 0.09, "rebound": 0.09, "wheel_mass": 40.0, "wheel_inertia": 1.9}
            | {"tyre_spring": 230_000.0, "relaxation": 0.35, "rolling": 0.012}
            | {"power": 160_000.0, "drive_torque": 3_300.0, "drive_front": 0.5}
            | {"brake_torque": 6_600.0, "brake_front": 0.65, "drag_area": 1.0}
            | {"speed": 14.0, "max_speed": 50.0, "max_steer": 0.6, "max_steer_rate": 0.8}
        ),
        # A small family car: 85 kW on the front wheels.
        "compact": MappingProxyType(
            {"mass": 1300.0, "length": 2.6, "front_share": 0.6, "cg_height": 0.54}
            | {"track_front": 1.52, "track_rear": 1.51, "radius": 0.31, "clearance": 0.14}
            | {"body_length": 4.2, "body_width": 1.76, "body_height": 1.47}
            | {"spring_front": 26_000.0, "spring_rear": 22_000.0, "anti_roll_front": 16_000.0}
            | {"damper_front": 2_000.0, "damper_rear": 1_700.0, "anti_roll_rear": 6_000.0}
            | {"bump": 0.08, "rebound": 0.09, "wheel_mass": 34.0, "wheel_inertia": 1.1}
            | {"tyre_spring": 200_000.0, "relaxation": 0.3, "rolling": 0.012}
            | {"power": 85_000.0, "drive_torque": 1_700.0, "drive_front": 1.0}
            | {"brake_torque": 4_000.0, "brake_front": 0.7, "drag_area": 0.68}
            | {"speed": 14.0, "max_speed": 50.0, "max_steer": 0.6, "max_steer_rate": 0.8}
        ),
        # A loaded truck of two axles: 12 t, 180 kW on the rear wheels.
        "truck": MappingProxyType(
            {"mass": 12_000.0, "length": 4.5, "front_share": 0.4, "cg_height": 1.4}
            | {"track_front": 2.0, "track_rear": 1.85, "radius": 0.48, "clearance": 0.3}
            | {"body_length": 8.0, "body_width": 2.5, "body_height": 3.4}
            | {"spring_front": 240_000.0, "spring_rear": 420_000.0, "anti_roll_front": 200_000.0}
            | {"damper_front": 20_000.0, "damper_rear": 30_000.0, "anti_roll_rear": 200_000.0}
            | {"bump": 0.1, "rebound": 0.1, "wheel_mass": 250.0, "wheel_inertia": 22.0}
            | {"tyre_spring": 1_000_000.0, "relaxation": 0.5, "rolling": 0.008}
            | {"power": 180_000.0, "drive_torque": 16_000.0, "drive_front": 0.0}
            | {"brake_torque": 38_000.0, "brake_front": 0.5, "drag_area": 5.5}
            | {"speed": 12.0, "max_speed": 25.0, "max_steer": 0.7, "max_steer_rate": 0.5}
            | {"extremum_value": 0.8, "asymptote_value": 0.65}
        ),
        # The F1/10 car: chassis of 10 kg, wheels of 0.2 kg, friction 0.7.
        "f110": MappingProxyType(
            {"mass": 10.8, "length": 0.33, "front_share": 0.5, "cg_height": 0.08}
            | {"track_front": 0.24, "track_rear": 0.24, "radius": 0.05, "clearance": 0.03}
            | {"body_length": 0.55, "body_width": 0.28, "body_height": 0.2}
            | {"spring_front": 10_000.0, "spring_rear": 15_000.0, "anti_roll_front": 0.0}
            | {"damper_front": 150.0, "damper_rear": 200.0, "anti_roll_rear": 0.0}
            | {"bump": 0.015, "rebound": 0.015, "wheel_mass": 0.2, "wheel_inertia": 2.5e-4}
            | {"tyre_spring": 20_000.0, "relaxation": 0.04, "rolling": 0.015}
            | {"power": 600.0, "drive_torque": 2.2, "drive_front": 0.5}
            | {"brake_torque": 4.5, "brake_front": 0.5, "drag_area": 0.03}
            | {"speed": 2.0, "max_speed": 15.0, "max_steer": 0.42, "max_steer_rate": 3.2}
            | {"extremum_value": 0.7, "asymptote_value": 0.6}
        ),
    }
)

USUAL: Mapping[str, float] = MappingProxyType(
    {"extremum_slip": 0.12, "extremum_value": 1.0, "asymptote_slip": 0.6, "asymptote_value": 0.8}
    | {"load_sensitivity": 0.1, "ackermann": 1.0}
    | {"camber_stiffness": 0.0, "camber_front": 0.0, "camber_rear": 0.0, "sway": 1.0}
)
"""What a build does not say: tyres on dry asphalt, wheels that point to one middle of the turn."""
