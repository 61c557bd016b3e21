"""Cars with real wheels: how many live in real time, and how fast one lives alone."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from movenv.bench.measure import Row, best_time
from movenv.terrain.features import Terrain
from movenv.terrain.height_map import HeightMap
from movenv.vehicles.car import Car
from movenv.vehicles.car_config import CarConfig
from movenv.world.columns import F8
from movenv.world.kinds import Kind
from movenv.world.model import COMMAND, MOTION

H = 1e-3
MANY = 1000
CORES = 2
SPAN = 0.1
"""Simulated at a time, s."""


def rolling_ground() -> Terrain:
    """200 m square that rises and falls, so that no wheel stands as another."""
    along = np.arange(400) * 0.5
    heights = 0.5 * np.sin(along[None, :] / 7.0) + 0.4 * np.cos(along[:, None] / 9.0)
    return Terrain(relief=HeightMap(-100.0, -100.0, 0.5, heights.astype(np.float32)))


def cars(count: int, terrain: Terrain) -> Car:
    """Cars of the Urban Challenge in rows, each with a speed of its own."""
    whole = Car.complete(CarConfig(type="car", build="navigator"), Kind("ground"))
    parameters = np.array([np.full(count, whole[name]) for name in Car.parameter_names])
    start = np.zeros((len(MOTION), count))
    start[0], start[1] = np.linspace(-60, 60, count), np.linspace(60, -60, count)
    start[3] = np.linspace(-3, 3, count)
    start[6] = 8.0
    made = Car(parameters, start)
    made.stand_on(terrain)
    return made


def command(count: int) -> F8:
    """Everyone turns a little."""
    wanted = np.zeros((len(COMMAND), count))
    wanted[0], wanted[1] = np.linspace(-0.1, 0.1, count), 8.0
    return wanted


def measure(quick: bool) -> list[Row]:
    terrain, repeats, steps = rolling_ground(), 3 if quick else 10, round(SPAN / H)
    one = cars(1, terrain)
    alone = best_time(lambda: one.advance(command(1), H, steps), repeats)
    halves = [cars(MANY // CORES, terrain) for _ in range(CORES)]
    wanted = command(MANY // CORES)

    def together() -> None:
        # As two hosts would; the kernel lets go of the interpreter.
        list(pool.map(lambda half: half.advance(wanted, H, steps), halves))

    with ThreadPoolExecutor(CORES) as pool:
        together()
        many = best_time(together, repeats)
    apart = [cars(1, terrain) for _ in range(20)]
    turn = command(1)

    def one_by_one() -> None:
        for car in apart:
            car.advance(turn, H, steps)

    each = best_time(one_by_one, repeats) / len(apart)
    return [
        Row(f"full cars in real time, RK4 at 1 ms, {CORES} cores", MANY * SPAN / many, "cars",
            1000.0, "higher", "the same kernel, one car after the other", CORES * SPAN / each),
        Row("one full car alone, RK4 at 1 ms", SPAN / alone, "× real time", 200.0, "higher",
            f"{MANY:,} of them together", SPAN / many),
    ]  # fmt: skip
