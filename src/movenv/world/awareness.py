"""Who a host is told of: the vehicles within awareness range of its own, not the whole world.

What a vehicle owns needs no sending, and latitude, longitude and heading follow from the place, so
they are left out too: a host with one vehicle among ten thousand costs kilobytes.
"""

from typing import TypeVar

import numpy as np

from movenv.world.columns import F4, F8, U1, U4, Mask, Rows, Table, read_only
from movenv.world.frames import Frame, heading_deg
from movenv.world.kernel import kernel
from movenv.world.messages import Health, Notices, Report, VehicleStates
from movenv.world.proximity import CELL_MARGIN, bucket, cell_of


class Others(Table):
    """Vehicles at one instant, as they are sent to a host."""

    vid: U4
    run_state: U1
    health: U1
    behavior: U1
    x: F8
    y: F8
    z: F8
    yaw: F4
    pitch: F4
    roll: F4
    speed: F4
    vx: F4
    vy: F4
    vz: F4
    age: F4
    step: U1


def completed(others: Others, frame: Frame) -> VehicleStates:
    """The same vehicles with what was left out."""
    lat, lon, convergence = frame.columns_to_geodetic(others.x, others.y)
    return VehicleStates(
        dict(others.columns())
        | {"lat": lat, "lon": lon, "heading_deg": heading_deg(others.yaw, convergence)}
    )


def as_others(report: Report) -> Others:
    """A host's own vehicles as others see them."""
    count = len(report.motions)
    return Others(
        dict(report.motions.columns())
        | {
            "run_state": np.full(count, report.run_state, np.uint8),
            "health": np.full(count, Health.HEARD, np.uint8),
            "age": np.zeros(count, np.float32),
        }
    )


AnyMoving = TypeVar("AnyMoving", Others, Notices)


def carried(table: AnyMoving, seconds: float) -> AnyMoving:
    """The same with every place moved on by its velocity."""
    if seconds <= 0 or not len(table):
        return table
    columns = dict(table.columns())
    for place, velocity in (("x", "vx"), ("y", "vy"), ("z", "vz")):
        columns[place] = columns[place] + columns[velocity] * np.float64(seconds)
    if "age" in columns:
        columns["age"] = columns["age"] + np.float32(seconds)
    return type(table)(columns)


@kernel
def _near_any(x, y, own, reach, near):  # type: ignore[no-untyped-def]
    """Mark every row within `reach` of a row of `own`, measured on the ground."""
    per_metre = 1.0 / (reach * CELL_MARGIN)
    buckets = 64
    while buckets < 2 * len(own):
        buckets *= 2
    mask, stride = buckets - 1, 1 + 2 * np.int64(max(8.0, buckets**0.5))
    place = np.empty((2, len(x)))
    place[0], place[1] = x, y
    first = np.zeros(buckets + 1, np.int64)
    member = np.empty(len(own), np.int64)
    for i in own:
        cell_x, cell_y = cell_of(place, i, per_metre)
        first[bucket(cell_x, cell_y, stride, mask)] += 1
    for b in range(1, buckets + 1):
        first[b] += first[b - 1]
    for i in own:
        cell_x, cell_y = cell_of(place, i, per_metre)
        b = bucket(cell_x, cell_y, stride, mask)
        first[b] -= 1
        member[first[b]] = i
    for j in range(len(x)):
        cell_x, cell_y = cell_of(place, j, per_metre)
        for k in range(9):
            b = bucket(cell_x + k % 3 - 1, cell_y + k // 3 - 1, stride, mask)
            for at in range(first[b], first[b + 1]):
                i = member[at]
                if (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2 <= reach * reach:
                    near[j] = True
                    break
            if near[j]:
                break


def near_any(vehicles: VehicleStates, own: Rows, reach: float) -> Mask:
    """Which vehicles are within `reach` metres of one of `own`, measured on the ground.

    A vehicle without a place is near nobody.
    """
    near = np.zeros(len(vehicles), np.bool_)
    placed = np.isfinite(vehicles.x)
    if placed.all():
        _near_any(read_only(vehicles.x), read_only(vehicles.y), read_only(own), reach, near)
        return near
    rows = np.flatnonzero(placed)
    some = np.zeros(len(rows), np.bool_)
    own = np.searchsorted(rows, own[placed[own]])
    x, y = read_only(vehicles.x[rows]), read_only(vehicles.y[rows])
    _near_any(x, y, read_only(own), reach, some)
    near[rows] = some
    return near
