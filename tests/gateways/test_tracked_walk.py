"""A walking person through a bad network: 40% of fixes lost, up to 1 s late, 3 m of noise an axis.

Everything is compared at the common instant, every 0.1 s, with where the person truly is then. The
rivals are the last fix held, the last fix carried on unfiltered, and a particle filter that knows
the walker's exact speed and habits. Limits of kinds were chosen on seeds 0 to 11; these are others.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from movenv.gateways.config import Entry, LiveConfig
from movenv.gateways.fix import Fix, sound_fix
from movenv.gateways.tracker import Trackers
from movenv.world.frames import Frame, heading_deg
from movenv.world.kinds import Kind

Array = NDArray[np.float64]

FRAME = Frame(29.19, -81.05)
EPOCH = 1.75e9
TICK, DURATION = 0.1, 300.0
TICKS = round(DURATION / TICK) + 1
SETTLED = 10.0  # s; what is shown before is not judged
SPEED, NOISE, SPEED_NOISE = 1.4, 3.0, 0.5
STALE_AFTER = 5.0
SEEDS = range(100, 116)


def waypoints(rng: np.random.Generator) -> Array:
    """From one random place of a 60 m field to the next, with a rest at every other one."""
    place, goal = rng.uniform(0, 60, (2, 2))
    rest, places = 0.0, np.empty((TICKS, 2))
    for k in range(TICKS):
        places[k] = place
        way = goal - place
        far = math.hypot(*way)
        if rest > 0:
            rest -= TICK
        elif far < SPEED * TICK:
            place, goal = goal, rng.uniform(0, 60, 2)
            rest = rng.uniform(0, 20) if rng.random() < 0.5 else 0.0
        else:
            place = place + way / far * SPEED * TICK
    return places


def square(rng: np.random.Generator) -> Array:
    """Around a block of 30 m with sharp corners."""
    way = (np.arange(TICKS) * TICK * SPEED + rng.uniform(0, 120)) % 120
    edge, along = (way // 30).astype(int), way % 30
    corners = np.array([[0, 0], [30, 0], [30, 30], [0, 30]], float)
    ways = (np.roll(corners, -1, axis=0) - corners) / 30
    return corners[edge] + ways[edge] * along[:, None]


@dataclass
class Heard:
    """What arrives of one walk, in order of arrival."""

    measured: Array
    arrived: Array
    place: Array
    velocity: Array


def heard(rng: np.random.Generator, places: Array, rate: float) -> Heard:
    rows = np.arange(0, TICKS, round(1 / rate / TICK))
    velocity = np.gradient(places, TICK, axis=0)[rows]
    noisy = places[rows] + rng.normal(0, NOISE, (len(rows), 2))
    velocity = velocity + rng.normal(0, SPEED_NOISE, velocity.shape)
    arrived = rows * TICK + rng.uniform(0.05, 1.05, len(rows))
    kept = np.flatnonzero(rng.random(len(rows)) > 0.4)
    kept = kept[np.argsort(arrived[kept])]
    return Heard(rows[kept] * TICK, arrived[kept], noisy[kept], velocity[kept])


def as_fixes(walk: Heard, speed: str) -> list[Fix]:
    lat, lon, convergence = FRAME.columns_to_geodetic(*np.ascontiguousarray(walk.place.T))
    vx, vy = walk.velocity.T
    course = heading_deg(np.arctan2(vy, vx), convergence)
    stated = {
        "silent": lambda k: {},
        "stated": lambda k: {"speed": math.hypot(vx[k], vy[k]), "course": course[k]},
        "zero": lambda k: {"speed": 0.0},
    }[speed]
    when = EPOCH + walk.measured
    accuracy = NOISE * 1.515
    return [
        sound_fix(lat[k], lon[k], time=when[k], accuracy=accuracy, **stated(k))
        for k in range(len(lat))
    ]


def tracked(walks: list[Heard], speed: str) -> Array:
    """Where the tracker shows each of them at every tick: walk, tick, xy."""
    config = LiveConfig(type="test", stale_after=STALE_AFTER)
    kind = Kind("pedestrian")
    trackers = Trackers(FRAME, [Entry(i + 1, f"p{i}", kind, config) for i in range(len(walks))])
    said = [as_fixes(walk, speed) for walk in walks]
    arrivals = sorted(
        (walk.arrived[k], i, k) for i, walk in enumerate(walks) for k in range(len(walk.arrived))
    )
    shown = np.full((len(walks), TICKS, 2), np.nan)
    done = 0
    for tick in range(TICKS):
        now = tick * TICK
        begin = done
        while done < len(arrivals) and arrivals[done][0] <= now:
            done += 1
        batch = arrivals[begin:done]
        trackers.take(
            [i + 1 for _, i, _ in batch],
            [said[i][k] for _, i, k in batch],
            [EPOCH + at for at, _, _ in batch],
        )
        motions, _ = trackers.state(EPOCH + now)
        shown[motions.vid.astype(int) - 1, tick] = np.column_stack([motions.x, motions.y])
    return shown


def newest_at_each_tick(walk: Heard) -> list[list[int]]:
    """At every tick, the fixes that were the newest when they came, up to now."""
    found, so_far, k = [], [], 0
    for tick in range(TICKS):
        while k < len(walk.arrived) and walk.arrived[k] <= tick * TICK:
            if not so_far or walk.measured[k] > walk.measured[so_far[-1]]:
                so_far = [*so_far[-1:], k]
            k += 1
        found.append(so_far)
    return found


def held(walk: Heard) -> Array:
    none = np.full(2, np.nan)
    return np.array([walk.place[own[-1]] if own else none for own in newest_at_each_tick(walk)])


def dead_reckoned(walk: Heard, speed: str) -> Array:
    """The newest fix, carried on by what it states, or else by the way from the one before."""
    places = np.full((TICKS, 2), np.nan)
    for tick, own in enumerate(newest_at_each_tick(walk)):
        if len(own) < 2:
            continue
        before, last = own
        seconds = walk.measured[last] - walk.measured[before]
        velocity = (walk.place[last] - walk.place[before]) / seconds
        if speed == "stated":
            velocity = walk.velocity[last]
        age = min(tick * TICK - walk.measured[last], STALE_AFTER)
        places[tick] = walk.place[last] + velocity * age
    return places


def particle_filter(walk: Heard, seed: int, count: int = 2000) -> Array:
    """The mean of walkers who turn and rest about as often as the true one, at its very speed."""
    rng = np.random.default_rng(seed)
    place, angle = np.zeros((count, 2)), rng.uniform(0, 2 * np.pi, count)
    walking = rng.random(count) < 0.8
    shown, when, k = np.full((TICKS, 2), np.nan), None, 0

    def velocity() -> Array:
        return SPEED * walking[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])

    for tick in range(TICKS):
        while k < len(walk.arrived) and walk.arrived[k] <= tick * TICK:
            fix, t = walk.place[k], walk.measured[k]
            k += 1
            if when is None:
                place, when = fix + rng.normal(0, NOISE, (count, 2)), t
                continue
            while when < t - TICK / 2:
                place = place + velocity() * TICK
                turns = walking & (rng.random(count) < TICK / 20)
                angle = np.where(turns, rng.uniform(0, 2 * np.pi, count), angle)
                rests, rises = turns & (rng.random(count) < 0.4), rng.random(count) < TICK / 10
                walking = np.where(walking, ~rests, rises)
                when += TICK
            weight = np.exp(-((place - fix) ** 2).sum(axis=1) / (2 * NOISE**2)) + 1e-300
            chosen = rng.choice(count, count, p=weight / weight.sum())
            place, walking = place[chosen], walking[chosen]
            angle = angle[chosen] + rng.normal(0, 0.03, count)
        if when is not None:
            age = min(tick * TICK - when, STALE_AFTER)
            shown[tick] = (place + velocity() * age).mean(axis=0)
    return shown


def p95(shown: Array, true: Array) -> float:
    settled = round(SETTLED / TICK)
    off = np.hypot(*np.moveaxis(shown - true, -1, 0))[..., settled:]
    return float(np.percentile(off[np.isfinite(off)], 95))


Walk = Callable[[np.random.Generator], Array]


def some_walks(walk: Walk, rate: float, seeds: range = SEEDS) -> tuple[Array, list[Heard]]:
    true, arriving = [], []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        true.append(walk(rng))
        arriving.append(heard(rng, true[-1], rate))
    return np.array(true), arriving


@pytest.mark.parametrize("walk", [waypoints, square])
@pytest.mark.parametrize(
    ("rate", "speed", "within"),
    [
        (1.0, "stated", 5.0),
        (10.0, "silent", 4.0),
        (10.0, "stated", 2.0),
        # Nobody can do better by much: see the particle filter below.
        (1.0, "silent", 7.6),
        # A sender that says 0 m/s whatever it does must not do much harm.
        (1.0, "zero", 8.0),
    ],
)
def test_a_walker_is_shown_where_it_is(walk: Walk, rate: float, speed: str, within: float) -> None:
    true, arriving = some_walks(walk, rate)
    ours = p95(tracked(arriving, speed), true)
    last = p95(np.array([held(one) for one in arriving]), true)
    straight = p95(np.array([dead_reckoned(one, speed) for one in arriving]), true)
    print(f"{walk.__name__} {rate:g} Hz, {speed}: {ours:.2f} held {last:.2f} dr {straight:.2f}")
    assert ours < within
    assert ours < last
    assert ours < straight


@pytest.mark.parametrize("walk", [waypoints, square])
def test_who_knows_the_walker_does_hardly_better_from_bare_places_at_1_hz(walk: Walk) -> None:
    true, arriving = some_walks(walk, 1.0, range(200, 206))
    knowing = np.array([particle_filter(one, seed) for seed, one in enumerate(arriving)])
    ours, best = p95(tracked(arriving, "silent"), true), p95(knowing, true)
    print(f"{walk.__name__}: {ours:.2f}, particle filter {best:.2f}")
    assert best > 5.0
    assert ours < 1.1 * best
