"""The kernels of Monte Carlo localisation: guesses of where a vehicle is, moved, judged and drawn
anew."""

import math

import numpy as np

from movenv.behaviors.scan_fit import explained, score
from movenv.world.kernel import inline, kernel
from movenv.world.random_streams import HIGH, LOW_32, philox4x32, stream_number
from movenv.world.trig import TWO_PI, sincos, wrap

STREAM = np.uint64(stream_number("localisation"))
TO_UNIT_32 = 2.0**-32
DRAWING = 1 << 30
"""Draws from here on are of resampling, before it of moving."""
TEMPER = 0.3
"""The weight of a beam: neighbours err alike, so that 60 of them count as some 20."""
AROUND, AROUND_YAW = 0.5, 0.5
"""Guesses so near to the best one are of the same opinion, m and rad."""
BIN, BIN_YAW = 0.25, TWO_PI / 36
"""The bins whose number tells how many guesses are needed, m and rad."""
ERROR, CONFIDENCE = 0.05, 2.326
"""Of KLD sampling: the largest error of the distribution, and the normal quantile of 99%."""
NEGLIGIBLE = 1e-3
"""A guess with such a share of the best one's weight fills no bin."""
SLOTS = 1 << 14
"""Of the table in which bins are counted, more than twice the most guesses."""
CLIMBERS = 16
"""So many of the guesses put anywhere, the best ones, are moved to where they fit best: a guess
that is nearly right must not lose against one that has settled in a place that looks alike."""
STRIDES = (0.12, 0.06, 0.03, 0.015)
"""In which these climb, m and rad."""
X, Y, YAW, XX, XY, YY, YAWS, AGREED, FIT, PLAIN = range(10)
"""What is estimated: the mean, the covariance, variance of the yaw, which share of the weight is
of this opinion, and how well the map explains the beams, from 0 to 1, without and with those of
others (see `explained`)."""


@inline
def _four(seed, vid, tick, draw):  # type: ignore[no-untyped-def]
    """Four numbers in (0, 1)."""
    a, b, c, d = philox4x32(
        np.uint64(vid), STREAM, np.uint64(tick), np.uint64(draw),
        np.uint64(seed) & LOW_32, np.uint64(seed) >> HIGH,
    )  # fmt: skip
    return (
        (np.float64(a) + 0.5) * TO_UNIT_32,
        (np.float64(b) + 0.5) * TO_UNIT_32,
        (np.float64(c) + 0.5) * TO_UNIT_32,
        (np.float64(d) + 0.5) * TO_UNIT_32,
    )


@inline
def _two_normal(a, b):  # type: ignore[no-untyped-def]
    far = math.sqrt(-2.0 * math.log(a))
    sin, cos = sincos(TWO_PI * b)
    return far * cos, far * sin


@kernel
def cloud(particles, count, row, vid, seed, tick, most, place, spread):  # type: ignore[no-untyped-def]
    """Guesses about a place (x, y, yaw) with these standard deviations of place and yaw."""
    count[row] = most
    for p in range(most):
        a, b, c, d = _four(seed, vid, tick, p)
        u, v = _two_normal(a, b)
        w, _ = _two_normal(c, d)
        particles[row, p, 0] = place[0] + spread[0] * u
        particles[row, p, 1] = place[1] + spread[0] * v
        particles[row, p, 2] = wrap(place[2] + spread[1] * w)


@kernel
def anywhere(particles, count, row, vid, seed, tick, most, free, cell):  # type: ignore[no-untyped-def]
    """Guesses evenly over the free cells, whose middles are `free`, in all directions."""
    count[row] = most
    for p in range(most):
        _anywhere(particles[row, p], seed, vid, tick, p, free, cell)


@inline
def _anywhere(particle, seed, vid, tick, draw, free, cell):  # type: ignore[no-untyped-def]
    a, b, c, d = _four(seed, vid, tick, draw)
    at = min(int(a * free.shape[1]), free.shape[1] - 1)
    particle[0] = free[0, at] + (b - 0.5) * cell
    particle[1] = free[1, at] + (c - 0.5) * cell
    particle[2] = TWO_PI * (d - 0.5)


@inline
def _move(particle, move, noise, seed, vid, tick, p):  # type: ignore[no-untyped-def]
    """On by what the odometry says, each guess with its own error."""
    a, b, c, d = _four(seed, vid, tick, p)
    u, v = _two_normal(a, b)
    w, _ = _two_normal(c, d)
    ahead, left = move[0] + noise[0] * u, move[1] + noise[1] * v
    sin, cos = sincos(particle[2])
    particle[0] += cos * ahead - sin * left
    particle[1] += sin * ahead + cos * left
    particle[2] = wrap(particle[2] + move[2] + noise[2] * w)


@inline
def _weigh(weight, count):  # type: ignore[no-untyped-def]
    """From logarithms to weights with a sum of 1; returns the best one's place."""
    best = 0
    for p in range(count):
        if weight[p] > weight[best]:
            best = p
    most, total = weight[best], 0.0
    for p in range(count):
        weight[p] = math.exp(TEMPER * (weight[p] - most))
        total += weight[p]
    for p in range(count):
        weight[p] /= total
    return best


@inline
def estimate_from(particles, weight, count, best, out):  # type: ignore[no-untyped-def]
    """Mean and covariance of the guesses that are of the best one's opinion."""
    x, y, yaw = particles[best, 0], particles[best, 1], particles[best, 2]
    agreed = mx = my = ma = xx = xy = yy = aa = 0.0
    for p in range(count):
        dx, dy = particles[p, 0] - x, particles[p, 1] - y
        turn = wrap(particles[p, 2] - yaw)
        if dx * dx + dy * dy > AROUND * AROUND or abs(turn) > AROUND_YAW:
            continue
        w = weight[p]
        agreed += w
        mx += w * dx
        my += w * dy
        ma += w * turn
        xx += w * dx * dx
        xy += w * dx * dy
        yy += w * dy * dy
        aa += w * turn * turn
    mx, my, ma = mx / agreed, my / agreed, ma / agreed
    out[X], out[Y], out[YAW] = x + mx, y + my, wrap(yaw + ma)
    out[XX], out[XY], out[YY] = xx / agreed - mx * mx, xy / agreed - mx * my, yy / agreed - my * my
    out[YAWS], out[AGREED] = aa / agreed - ma * ma, agreed


@inline
def needed(particles, weight, count, best, slots):  # type: ignore[no-untyped-def]
    """How many guesses KLD sampling asks for, by the bins that the weighty ones fill."""
    slots[:] = -1
    bins = 0
    for p in range(count):
        if weight[p] < NEGLIGIBLE * weight[best]:
            continue
        key = np.int64(math.floor(particles[p, 0] / BIN)) * 1_000_003
        key = (key + np.int64(math.floor(particles[p, 1] / BIN))) * 1_000_003
        key = (key + np.int64(math.floor(particles[p, 2] / BIN_YAW))) & 0x7FFFFFFFFFFFFFFF
        at = (key ^ (key >> 17)) & (SLOTS - 1)
        while slots[at] != -1 and slots[at] != key:
            at = (at + 1) & (SLOTS - 1)
        if slots[at] == -1:
            slots[at] = key
            bins += 1
    if bins < 2:
        return 1
    part = 2.0 / (9.0 * (bins - 1))
    root = 1.0 - part + math.sqrt(part) * CONFIDENCE
    return math.ceil((bins - 1) / (2.0 * ERROR) * root * root * root)


@inline
def draw_anew(particles, weight, count, wanted, start, drawn):  # type: ignore[no-untyped-def]
    """Low-variance resampling: evenly spaced places on the running sum of the weights."""
    p, reached = 0, weight[0]
    for k in range(wanted):
        place = (k + start) / wanted
        while reached < place and p < count - 1:
            p += 1
            reached += weight[p]
        for axis in range(3):
            drawn[k, axis] = particles[p, axis]


@inline
def _climb(particle, points, beams, field):  # type: ignore[no-untyped-def]
    """Move a guess to where it fits best nearby, along one axis at a time."""
    best = score(particle[0], particle[1], particle[2], points, beams, field)
    for stride in STRIDES:
        for _ in range(8):
            before = best
            for axis in range(3):
                for way in (-stride, stride):
                    particle[axis] += way
                    now = score(particle[0], particle[1], particle[2], points, beams, field)
                    if now > best:
                        best = now
                    else:
                        particle[axis] -= way
            if best == before:
                break
    particle[2] = wrap(particle[2])


@inline
def _search(mine, count, share, seed, vid, tick, points, beams, field, free, weight):  # type: ignore[no-untyped-def]
    """Put a share of the guesses anywhere, and the best of these where they fit."""
    due = 0.0
    for p in range(count):
        weight[p] = -math.inf
        # Spread over the whole list, so that no opinion loses more of its guesses than another.
        due += share
        if due >= 1.0:
            due -= 1.0
            _anywhere(mine[p], seed, vid, tick, DRAWING + 1 + p, free, field.resolution)
            weight[p] = score(mine[p, 0], mine[p, 1], mine[p, 2], points, beams, field)
    for _ in range(CLIMBERS):
        best = 0
        for p in range(count):
            if weight[p] > weight[best]:
                best = p
        if weight[best] == -math.inf:
            break
        weight[best] = -math.inf
        _climb(mine[best], points, beams, field)


@kernel
def update(  # type: ignore[no-untyped-def]
    particles, count, bounds, rows, vids, seed, tick, moves, noises, points, beams, field, free,
    strange, estimates,
):  # fmt: skip
    """Move, judge by a scan and draw anew the guesses of some vehicles.

    `strange` is the share of guesses to be put anywhere. With fewer than 5 beams guesses are only
    moved, and estimates keep what they say of fit and spread.
    """
    weight, slots = np.empty(particles.shape[1]), np.empty(SLOTS, np.int64)
    drawn = np.empty((particles.shape[1], 3))
    for k in range(len(rows)):
        row = rows[k]
        mine, n, vid, out = particles[row], count[row], vids[row], estimates[row]
        for p in range(n):
            _move(mine[p], moves[k], noises[k], seed, vid, tick, p)
        if beams[k] < 5:
            weight[:n] = 1.0 / n
            estimate_from(mine, weight, n, 0, out)
            continue
        for p in range(n):
            weight[p] = score(mine[p, 0], mine[p, 1], mine[p, 2], points[k], beams[k], field)
        best = _weigh(weight, n)
        estimate_from(mine, weight, n, best, out)
        out[FIT], out[PLAIN] = explained(out[X], out[Y], out[YAW], points[k], beams[k], field)
        wanted = needed(mine, weight, n, best, slots)
        if strange[row] > 0.0:
            wanted = bounds[1, row]
        wanted = min(max(wanted, bounds[0, row]), bounds[1, row])
        start, _, _, _ = _four(seed, vid, tick, DRAWING)
        draw_anew(mine, weight, n, wanted, start, drawn)
        for p in range(wanted):
            for axis in range(3):
                mine[p, axis] = drawn[p, axis]
        if strange[row] > 0.0:
            _search(mine, wanted, strange[row], seed, vid, tick, points[k], beams[k], field, free,
                    weight)  # fmt: skip
        count[row] = wanted
