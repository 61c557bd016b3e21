"""Airframes by name: what a fixed-wing aircraft is made of, in round figures."""

from collections.abc import Mapping
from types import MappingProxyType

# Mass kg, wing area m², span m, lengths m, speeds m/s, power W at the propeller, bank degrees.
AIRFRAMES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        # The small long-range aircraft that textbooks on unmanned flight use.
        "small": MappingProxyType(
            {"mass": 13.5, "wing_area": 0.55, "span": 2.9, "length": 2.0, "speed": 30.0}
            | {"cd0": 0.03, "cl_max": 1.4, "power": 1_500.0, "max_thrust": 60.0}
            | {"max_speed": 45.0, "max_bank_deg": 45.0, "max_load": 3.0, "roll_time": 0.25}
        ),
        # A foam aircraft that is thrown by hand.
        "hand": MappingProxyType(
            {"mass": 2.0, "wing_area": 0.45, "span": 1.8, "length": 1.2, "speed": 14.0}
            | {"cd0": 0.04, "cl_max": 1.3, "power": 160.0, "max_thrust": 14.0}
            | {"max_speed": 24.0, "max_bank_deg": 45.0, "max_load": 3.0, "roll_time": 0.2}
        ),
        # A four-seat trainer with one propeller.
        "trainer": MappingProxyType(
            {"mass": 1_100.0, "wing_area": 16.2, "span": 11.0, "length": 8.3, "speed": 55.0}
            | {"cd0": 0.031, "cl_max": 1.6, "power": 95_000.0, "max_thrust": 3_200.0}
            | {"max_speed": 80.0, "max_bank_deg": 45.0, "max_load": 3.8, "roll_time": 0.5}
        ),
        # A twin-jet that supports ground forces; its engines give thrust, whatever the speed.
        "attack": MappingProxyType(
            {"mass": 14_000.0, "wing_area": 47.0, "span": 17.5, "length": 16.3, "speed": 140.0}
            | {"cd0": 0.032, "cl_max": 1.6, "power": 1e9, "max_thrust": 80_000.0}
            | {"max_speed": 200.0, "max_bank_deg": 60.0, "max_load": 5.0, "roll_time": 0.6}
        ),
    }
)
