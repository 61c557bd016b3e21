"""Fixes for rehearsal, and what must hold of every fix that a codec gives."""

import math
from typing import Any

from hypothesis import strategies as st

from movenv.gateways.fix import NAN, Fix, sound_fix


def maybe(values: st.SearchStrategy[float]) -> st.SearchStrategy[float]:
    return st.one_of(st.just(NAN), values)


def fixes(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Fix]:
    """Fixes as a phone may have them, times from 1980 to 2079."""
    strategies = {
        "lat": st.floats(-90, 90),
        "lon": st.floats(-180, 180).filter(lambda lon: abs(lon) > 1e-3),
        "time": maybe(st.floats(315_964_800, 3_400_000_000)),
        "alt": maybe(st.floats(-400, 9000).filter(lambda alt: abs(alt) > 0.01)),
        "speed": maybe(st.floats(0, 300)),
        "course": maybe(st.floats(0, 360, exclude_max=True)),
        "accuracy": maybe(st.floats(0.1, 5000)),
        "vertical_accuracy": maybe(st.floats(0.1, 5000)),
        "battery": maybe(st.floats(0, 1)),
        **fields,
    }
    return st.builds(sound_fix, **strategies)


def same(one: float, other: float, resolution: float) -> bool:
    """Both unknown, or as near as a format can say."""
    return (math.isnan(one) and math.isnan(other)) or abs(one - other) <= resolution * 1.0001


def same_course(one: float, other: float, resolution: float) -> bool:
    off = abs(one - other)
    return same(one, other, resolution) or 360.0 - off <= resolution * 1.0001


def assert_sound(fix: Fix) -> None:
    """No nonsense, whatever came in."""
    assert -90 <= fix.lat <= 90
    assert -180 <= fix.lon <= 180
    assert (fix.lat, fix.lon) != (0, 0)
    for value, low, high in (
        (fix.time, 0, 1e11),
        (fix.alt, -12_000, 100_000),
        (fix.speed, 0, 1e4),
        (fix.course, 0, 360),
        (fix.accuracy, 0, 1e7),
        (fix.vertical_accuracy, 0, 1e7),
        (fix.battery, 0, 1),
    ):
        assert math.isnan(value) or low <= value <= high
    assert fix.course != 360
    assert -1 <= fix.sequence < 2**53
    assert len(fix.device) <= 100
    assert len(fix.token) <= 200
