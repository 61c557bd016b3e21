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
from numba.cpython.unsafe import tuple as numba_tuple

from movenv.world.kernel import inline

tuple_setitem: Any = numba_tuple.tuple_setitem

LANES = 256


@inline
def clip(value, low, high):  # type: ignore[no-untyped-def]
    """The same within limits."""
    return min(max(value, low), high)


@inline
def _moved(state, amount, rates):  # type: ignore[no-untyped-def]
    for j in range(len(state)):
        state = tuple_setitem(state, j, state[j] + amount * rates[j])
    return state


@inline
def _read(work, first, lane, blank):  # type: ignore[no-untyped-def]
    for j in range(len(blank)):
        blank = tuple_setitem(blank, j, work[(first + j) * LANES + lane])
    return blank


@inline
def _load(work, first, table, start, count):  # type: ignore[no-untyped-def]
    """Copy `count` vehicles from `start` of a (columns, vehicles) table into the block."""
    for j in range(table.shape[0]):
        for lane in range(count):
            work[(first + j) * LANES + lane] = table[j, start + lane]


@inline
def _store(work, first, table, start, count):  # type: ignore[no-untyped-def]
    """The opposite of `_load`."""
    for j in range(table.shape[0]):
        for lane in range(count):
            table[j, start + lane] = work[(first + j) * LANES + lane]


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
    blank_state = (0.0,) * n_state
    blank_command = (0.0,) * n_command
    blank_parameters = (0.0,) * n_parameter

    @inline
    def step(work, lane, h):  # type: ignore[no-untyped-def]
        s = _read(work, 0, lane, blank_state)
        p = _read(work, parameter_at, lane, blank_parameters)
        u = hold(s, _read(work, command_at, lane, blank_command), p, h)
        k1 = derivative(s, u, p)
        k2 = derivative(_moved(s, 0.5 * h, k1), u, p)
        k3 = derivative(_moved(s, 0.5 * h, k2), u, p)
        k4 = derivative(_moved(s, h, k3), u, p)
        for j in range(n_state):
            work[j * LANES + lane] = s[j] + h / 6.0 * (k1[j] + 2.0 * k2[j] + 2.0 * k3[j] + k4[j])

    @inline
    def block(work, h, steps):  # type: ignore[no-untyped-def]
        for _ in range(steps):
            for lane in range(LANES):
                step(work, lane, h)
        for lane in range(LANES):
            s = _read(work, 0, lane, blank_state)
            seen = observe(s, _read(work, parameter_at, lane, blank_parameters))
            for j in range(len(seen)):
                work[(observe_at + j) * LANES + lane] = seen[j]

    size = (observe_at + n_seen) * LANES

    @inline
    def advance(state, command, parameters, seen, h, steps):  # type: ignore[no-untyped-def]
        work = np.ones(size)
        count = state.shape[1]
        for start in range(0, count, LANES):
            here = min(count - start, LANES)
            _load(work, 0, state, start, here)
            _load(work, command_at, command, start, here)
            _load(work, parameter_at, parameters, start, here)
            block(work, h, steps)
            _store(work, 0, state, start, here)
            _store(work, observe_at, seen, start, here)

    return advance
