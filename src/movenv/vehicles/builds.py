"""Ground vehicles by name: how they accelerate, brake and climb, in round published figures."""

from collections.abc import Mapping
from types import MappingProxyType

# Length (wheelbase or track) m, speeds m/s, accelerations m/s², power W/kg at the wheels or
# tracks, steer rad and rad/s.
BUILDS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        # 1,100 kW in 62 t, of which three quarters reach the tracks; 67 km/h on a road.
        "tank": MappingProxyType(
            {"length": 4.6, "speed": 10.0, "max_speed": 18.6, "max_steer": 0.8}
            | {"max_acceleration": 2.5, "max_braking": 5.0, "power": 13.5}
            | {"rolling": 0.04, "max_lateral": 3.0, "max_steer_rate": 1.0}
        ),
        # 205 kW in 12.3 t, on tracks.
        "carrier": MappingProxyType(
            {"length": 2.7, "speed": 10.0, "max_speed": 18.0, "max_steer": 0.8}
            | {"max_acceleration": 2.5, "max_braking": 5.0, "power": 12.5}
            | {"rolling": 0.04, "max_lateral": 3.0, "max_steer_rate": 1.0}
        ),
        # A loaded army truck: 100 kW in 8 t.
        "truck": MappingProxyType(
            {"length": 4.0, "speed": 12.0, "max_speed": 25.0, "max_steer": 0.55}
            | {"max_acceleration": 1.5, "max_braking": 4.5, "power": 10.0}
            | {"rolling": 0.02, "max_lateral": 3.0, "max_steer_rate": 1.0}
        ),
        # A light four-wheel-drive: 140 kW in 4 t.
        "jeep": MappingProxyType(
            {"length": 3.3, "speed": 14.0, "max_speed": 31.0, "max_steer": 0.6}
            | {"max_acceleration": 2.8, "max_braking": 6.5, "power": 28.0}
            | {"rolling": 0.02, "max_lateral": 4.5, "max_steer_rate": 1.0}
        ),
        # A family car: 85 kW in 1.4 t.
        "car": MappingProxyType(
            {"length": 2.7, "speed": 14.0, "max_speed": 45.0, "max_steer": 0.6}
            | {"max_acceleration": 3.5, "max_braking": 8.0, "power": 50.0}
            | {"rolling": 0.012, "max_lateral": 6.0, "max_steer_rate": 1.0}
        ),
        # A car of a tenth of the size: 600 W in 10 kg; its top speed is that of tests indoors.
        "f110": MappingProxyType(
            {"length": 0.33, "speed": 2.0, "max_speed": 6.0, "max_steer": 0.42}
            | {"max_acceleration": 4.0, "max_braking": 6.0, "power": 60.0}
            | {"rolling": 0.015, "max_lateral": 5.0, "max_steer_rate": 3.2}
        ),
    }
)
