"""Chance for sensors: by vehicle and number of the sample, whatever hosts and ticks are."""

import math

import numpy as np
from numpy.typing import ArrayLike

from movenv.parts import SensorSetup
from movenv.world.columns import F8, U4, Mask, read_only
from movenv.world.kernel import inline, kernel
from movenv.world.random_streams import HIGH, LOW_32, philox4x32, stream_number, uniform

TO_UNIT = 2.0**-32
LOST = ".lost"


def lost(seed: int, vids: U4, sensor: str, numbers: list[int], chance: float) -> Mask:
    """Which measurements are lost, (vehicles, samples)."""
    found = np.zeros((len(vids), len(numbers)), np.bool_)
    if chance > 0.0:
        for k, number in enumerate(numbers):
            found[:, k] = uniform(seed, vids, sensor + LOST, number) < chance
    return found


def prepare(setup: SensorSetup) -> None:
    """Compile what draws, before anything moves: that takes time, which no tick has."""
    normals(0, setup.vids[:0], setup.name, 0, 1)
    lost(0, setup.vids[:0], setup.name, [0], setup.config.dropout)


@inline
def four_units(seed, vid, stream, number, draw):  # type: ignore[no-untyped-def]
    """Four numbers in (0, 1), for kernels."""
    a, b, c, d = philox4x32(
        np.uint64(vid), np.uint64(stream), np.uint64(number), np.uint64(draw),
        np.uint64(seed) & LOW_32, np.uint64(seed) >> HIGH,
    )  # fmt: skip
    return (
        (np.float64(a) + 0.5) * TO_UNIT,
        (np.float64(b) + 0.5) * TO_UNIT,
        (np.float64(c) + 0.5) * TO_UNIT,
        (np.float64(d) + 0.5) * TO_UNIT,
    )


@inline
def four_normals(seed, vid, stream, number, draw):  # type: ignore[no-untyped-def]
    """Four standard normal numbers, for kernels."""
    a, b, c, d = four_units(seed, vid, stream, number, draw)
    first, second = math.sqrt(-2.0 * math.log(a)), math.sqrt(-2.0 * math.log(c))
    b, d = 2.0 * math.pi * b, 2.0 * math.pi * d
    return (
        first * math.cos(b), first * math.sin(b), second * math.cos(d), second * math.sin(d),
    )  # fmt: skip


def normals(seed: int, vids: U4, stream: str, numbers: ArrayLike, count: int) -> F8:
    """Standard normal numbers of some samples, (samples, count, vehicles)."""
    which = np.atleast_1d(np.asarray(numbers, np.int64))
    found = np.empty((len(which), count, len(vids)))
    name = np.uint64(stream_number(stream))
    _fill(np.uint64(seed), read_only(vids), name, read_only(which), found)
    return found


@kernel
def _fill(seed, vids, stream, numbers, found):  # type: ignore[no-untyped-def]
    samples, count, vehicles = found.shape
    for k in range(samples):
        for i in range(vehicles):
            for block in range((count + 3) // 4):
                four = four_normals(seed, vids[i], stream, numbers[k], block)
                for j in range(min(4, count - 4 * block)):
                    found[k, 4 * block + j, i] = four[j]
