"""The one fixed-step integrator: classical fourth-order Runge-Kutta over columns.

A model gives three scalar functions; `rk4` turns them into one that advances all vehicles, LANES
of them side by side for all steps of a tick. Working on small blocks keeps everything in the
first-level cache, and since every lane runs the same straight code the compiler vectorises. A
block is always full (spare lanes hold ones), so a vehicle's result never depends on its
neighbours or on how vehicles are divided among hosts.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from movenv.world.kernel import inline
from movenv.world.lanes import moved, reader, writer

LANES = 256


@inline
def clip(value, low, high):  # type: ignore[no-untyped-def]
    """The same within limits."""
    return min(max(value, low), high)


@inline
def load(work, first, table, start, count, lanes):  # type: ignore[no-untyped-def]
    """Copy `count` vehicles from `start` of a (columns, vehicles) table into the block."""
    for j in range(table.shape[0]):
        for lane in range(count):
            work[(first + j) * lanes + lane] = table[j, start + lane]


@inline
def store(work, first, table, start, count, lanes):  # type: ignore[no-untyped-def]
    """The opposite of `load`."""
    for j in range(table.shape[0]):
        for lane in range(count):
            table[j, start + lane] = work[(first + j) * lanes + lane]


def rk4(
    hold: Callable[..., Any],
    derivative: Callable[..., Any],
    observe: Callable[..., Any],
    n_state: int,
    n_command: int,
    n_parameter: int,
    n_seen: int,
) -> Callable[..., Any]:
    """Make the function that integrates columns, for a model's own kernel to call.

    It takes state, command, parameters, observation, h and the number of steps; of these tables
    (columns, vehicles) it changes the first and the fourth.

    - `hold(state, command, parameters, h)`: the inputs, kept constant during a step;
    - `derivative(state, inputs, parameters)`: the rates of the state columns;
    - `observe(state, parameters)`: what others may see, after the last step.

    A block's memory `work` holds, LANES values each: state, command, parameters, observation.
    """
    command_at = n_state
    parameter_at = command_at + n_command
    observe_at = parameter_at + n_parameter
    read_state, write_state = reader(0, n_state, LANES), writer(0, n_state, LANES)
    read_command = reader(command_at, n_command, LANES)
    read_parameters = reader(parameter_at, n_parameter, LANES)
    write_seen = writer(observe_at, n_seen, LANES)

    @inline
    def step(work, lane, h):  # type: ignore[no-untyped-def]
        s = read_state(work, lane)
        p = read_parameters(work, lane)
        u = hold(s, read_command(work, lane), p, h)
        k1 = derivative(s, u, p)
        k2 = derivative(moved(s, 0.5 * h, k1), u, p)
        k3 = derivative(moved(s, 0.5 * h, k2), u, p)
        k4 = derivative(moved(s, h, k3), u, p)
        slopes = moved(moved(moved(k1, 2.0, k2), 2.0, k3), 1.0, k4)
        write_state(work, lane, moved(s, h / 6.0, slopes))

    @inline
    def block(work, h, steps):  # type: ignore[no-untyped-def]
        for _ in range(steps):
            for lane in range(LANES):
                step(work, lane, h)
        for lane in range(LANES):
            write_seen(work, lane, observe(read_state(work, lane), read_parameters(work, lane)))

    size = (observe_at + n_seen) * LANES

    @inline
    def advance(state, command, parameters, seen, h, steps):  # type: ignore[no-untyped-def]
        work = np.ones(size)
        count = state.shape[1]
        for start in range(0, count, LANES):
            here = min(count - start, LANES)
            load(work, 0, state, start, here, LANES)
            load(work, command_at, command, start, here, LANES)
            load(work, parameter_at, parameters, start, here, LANES)
            block(work, h, steps)
            store(work, 0, state, start, here, LANES)
            store(work, observe_at, seen, start, here, LANES)

    return advance
