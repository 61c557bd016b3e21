"""Random numbers by name instead of by order: Philox4x32-10, keyed and counted.

The generator is a function: (seed, vid, stream, tick, draw) in, the same number out, whoever asks
and in whatever order; a pair of vehicles has numbers of its own too. That is why a run gives the
same bytes on one host or on four.
"""

import zlib

import numpy as np

from movenv.world.columns import F8, U4, read_only
from movenv.world.kernel import inline, kernel

ROUNDS = 10
MULTIPLIER_0 = np.uint64(0xD2511F53)
MULTIPLIER_1 = np.uint64(0xCD9E8D57)
WEYL_0 = np.uint64(0x9E3779B9)
WEYL_1 = np.uint64(0xBB67AE85)
LOW_32 = np.uint64(0xFFFFFFFF)
HIGH = np.uint64(32)
ELEVEN = np.uint64(11)
TO_UNIT = 2.0**-53


@inline
def philox4x32(c0, c1, c2, c3, k0, k1):  # type: ignore[no-untyped-def]
    """Ten rounds over a 4 x 32-bit counter with a 2 x 32-bit key, all held in uint64."""
    for _ in range(ROUNDS):
        p0 = MULTIPLIER_0 * c0
        p1 = MULTIPLIER_1 * c2
        c0, c1, c2, c3 = (
            (p1 >> HIGH) ^ c1 ^ k0,
            p1 & LOW_32,
            (p0 >> HIGH) ^ c3 ^ k1,
            p0 & LOW_32,
        )
        k0 = (k0 + WEYL_0) & LOW_32
        k1 = (k1 + WEYL_1) & LOW_32
    return c0, c1, c2, c3


@kernel
def _uniform(seed, vids, stream, tick, draw, out):  # type: ignore[no-untyped-def]
    k0 = np.uint64(seed) & LOW_32
    k1 = np.uint64(seed) >> HIGH
    c1 = np.uint64(stream)
    c2 = np.uint64(tick)
    c3 = np.uint64(draw)
    for i in range(len(vids)):
        r0, r1, _, _ = philox4x32(np.uint64(vids[i]), c1, c2, c3, k0, k1)
        out[i] = np.float64(((r1 << HIGH) | r0) >> ELEVEN) * TO_UNIT


@kernel
def _uniform_pairs(seed, first, second, stream, tick, draws, out):  # type: ignore[no-untyped-def]
    # Two vids leave no room for the stream in the counter, so it goes into the key.
    k0 = (np.uint64(seed) & LOW_32) ^ np.uint64(stream)
    k1 = np.uint64(seed) >> HIGH
    c2 = np.uint64(tick)
    for i in range(len(first)):
        r0, r1, r2, r3 = philox4x32(
            np.uint64(first[i]), np.uint64(second[i]), c2, np.uint64(draws[i]), k0, k1
        )
        out[0, i] = np.float64(((r1 << HIGH) | r0) >> ELEVEN) * TO_UNIT
        out[1, i] = np.float64(((r3 << HIGH) | r2) >> ELEVEN) * TO_UNIT


def stream_number(name: str) -> int:
    """The number of a named stream: stable across runs, machines and versions."""
    return zlib.crc32(name.encode())


def uniform(seed: int, vids: U4, stream: str, tick: int, draw: int = 0) -> F8:
    """One number in [0, 1) for each vid."""
    out = np.empty(len(vids))
    _uniform(np.uint64(seed), read_only(vids), np.uint64(stream_number(stream)), tick, draw, out)
    return out


def uniform_pairs(seed: int, first: U4, second: U4, stream: str, tick: int, draws: U4) -> F8:
    """Two numbers in [0, 1) for each ordered pair of vids and its draw: (2, pairs)."""
    out = np.empty((2, len(first)))
    number = np.uint64(stream_number(stream))
    _uniform_pairs(
        np.uint64(seed), read_only(first), read_only(second), number, tick, read_only(draws), out
    )
    return out
