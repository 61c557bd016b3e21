"""Poses, velocity and effort against published tables of their fields, in exact fractions."""

import math
import struct
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus.message import KNOWN, Message, encode_message
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.stamp import stamp_of_bits

SAE, REFERENCE = Dialect.SAE, Dialect.REFERENCE
PI = math.pi

Table = dict[str, tuple[str, float, float]]
"""Unsigned type and limits of each field, in the order of the presence vector."""

ATTITUDE: Table = {
    "roll": ("H", -PI, PI),
    "pitch": ("H", -PI, PI),
    "yaw": ("H", -PI, PI),
    "attitude_rms": ("H", 0, PI),
    "time": ("I", 0, 2**32 - 1),
}
GLOBAL: Table = {
    "latitude": ("I", -90, 90),
    "longitude": ("I", -180, 180),
    "altitude": ("I", -10_000, 35_000),
    "position_rms": ("I", 0, 100),
    **ATTITUDE,
}
AXES = ("x", "y", "z", "roll", "pitch", "yaw")
WRENCH: Table = {f"propulsive_{axis}": ("H", -100, 100) for axis in AXES}
WRENCH |= {f"resistive_{axis}": ("B", 0, 100) for axis in AXES}


def local(low: float, high: float) -> Table:
    far = ("I", -100_000, 100_000)
    return {"x": far, "y": far, "z": ("I", low, high), "position_rms": ("I", 0, 100), **ATTITUDE}


def velocity(speed: tuple[str, float, float], rate: tuple[str, float, float]) -> Table:
    speeds = {"x": speed, "y": speed, "z": speed, "velocity_rms": ("I", 0, 100)}
    rates = {"roll_rate": rate, "pitch_rate": rate, "yaw_rate": rate, "rate_rms": ("H", 0, PI)}
    return {**speeds, **rates, "time": ATTITUDE["time"]}


TABLES: list[tuple[Dialect, type[Message], Table]] = [
    (SAE, m.ReportGlobalPose, GLOBAL),
    (REFERENCE, m.ReportGlobalPose, GLOBAL),
    (SAE, m.ReportLocalPose, local(-100_000, 100_000)),
    (REFERENCE, m.ReportLocalPose, local(-10_000, 35_000)),
    (SAE, m.ReportVelocityState, velocity(("I", -327.68, 327.67), ("H", -32.768, 32.767))),
    (REFERENCE, m.ReportVelocityState, velocity(("I", -65.534, 65.534), ("H", -32.767, 32.767))),
    (SAE, m.SetWrenchEffort, WRENCH),
    (REFERENCE, m.SetWrenchEffort, WRENCH),
    (SAE, m.ReportWrenchEffort, WRENCH),
    (REFERENCE, m.ReportWrenchEffort, WRENCH),
]


def packed(dialect: Dialect, table: Table, values: dict[str, float]) -> bytes:
    vector, body = 0, b""
    for bit, (name, (kind, low, high)) in enumerate(table.items()):
        if name not in values:
            continue
        vector += 2**bit
        most = 256 ** struct.calcsize(kind) - 1
        share = (Fraction(values[name]) - Fraction(low)) / (Fraction(high) - Fraction(low))
        if dialect is REFERENCE and low < 0:
            body += struct.pack("<" + kind.lower(), round((share - Fraction(1, 2)) * (most - 1)))
        else:
            body += struct.pack("<" + kind, round(share * most))
    return struct.pack("<H", vector) + body


@pytest.mark.parametrize(("dialect", "kind", "table"), TABLES)
@given(data=st.data())
def test_as_the_table_has_it(
    dialect: Dialect, kind: type[Message], table: Table, data: st.DataObject
) -> None:
    values: dict[str, float] = {}
    for name in data.draw(st.sets(st.sampled_from(sorted(table)))):
        _, low, high = table[name]
        share = (data.draw(st.integers(0, 1000)) + 0.123) / 1001  # no halves, which floats decide
        values[name] = low + (high - low) * share
    said: dict[str, Any] = dict(values)
    if "time" in values:
        values["time"] = int(values["time"])
        said["time"] = stamp_of_bits(int(values["time"]))
    payload = encode_message(kind(**said), dialect)
    assert payload == struct.pack("<H", kind.code) + packed(dialect, table, values)


def test_the_codes() -> None:
    codes = {kind: kind.code for _, kind, _ in TABLES}
    assert codes == {
        m.ReportGlobalPose: 0x4402,
        m.ReportLocalPose: 0x4403,
        m.ReportVelocityState: 0x4404,
        m.SetWrenchEffort: 0x0405,
        m.ReportWrenchEffort: 0x4405,
    }


def test_no_table_is_missing() -> None:
    known = {(dialect, kind) for dialect in Dialect for kind in KNOWN[dialect].values()}
    vectored = {(dialect, kind) for dialect, kind in known if kind.presence == 2}
    assert {(dialect, kind) for dialect, kind, _ in TABLES} == vectored
