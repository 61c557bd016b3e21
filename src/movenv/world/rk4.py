"""The one fixed-step integrator: classical fourth-order Runge-Kutta over columns.

A model gives three scalar functions; `rk4_block` turns them into one that advances LANES vehicles
side by side for all steps of a tick. Working on small blocks keeps everything in the first-level
cache, and since every lane runs the same straight code the compiler vectorises across lanes. A
block is always full (spare lanes hold ones), so a vehicle's result never depends on its
neighbours or on how vehicles are divided among hosts.
"""

from collections.abc import Callable
from typing import Any

from numba.cpython.unsafe import tuple as numba_tuple

from movenv.world.kernel import inline

tuple_setitem: Any = numba_tuple.tuple_setitem

LANES = 256


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


def rk4_block(
    hold: Callable[..., Any],
    derivative: Callable[..., Any],
    observe: Callable[..., Any],
    n_state: int,
    n_command: int,
    n_parameter: int,
) -> Callable[..., Any]:
    """Make the function that integrates one block.

    - `hold(state, command, parameters, h)`: the inputs, kept constant during a step;
    - `derivative(state, inputs, parameters)`: the rates of the state columns;
    - `observe(state, parameters)`: what others may see, after the last step.

    The block's memory `work` holds, LANES values each: state, command, parameters, observation.
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

    return block


@inline
def load(work, first, table, start, count):  # type: ignore[no-untyped-def]
    """Copy `count` vehicles from `start` of a (columns, vehicles) table into the block."""
    for j in range(table.shape[0]):
        for lane in range(count):
            work[(first + j) * LANES + lane] = table[j, start + lane]


@inline
def store(work, first, table, start, count):  # type: ignore[no-untyped-def]
    """The opposite of `load`."""
    for j in range(table.shape[0]):
        for lane in range(count):
            table[j, start + lane] = work[(first + j) * LANES + lane]
