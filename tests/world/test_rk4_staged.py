"""The staged integrator is the same to the bit as the other, and feels before each step."""

import numpy as np
import pytest

from movenv.world.kernel import inline, kernel
from movenv.world.rk4 import rk4
from movenv.world.rk4_staged import LANES, Widths, rk4_staged
from movenv.world.trig import sincos


@inline
def _hold(state, command, parameters, h):  # type: ignore[no-untyped-def]
    return (command[0] - h * state[0] * parameters[0],)


@inline
def _derivative(state, inputs, parameters):  # type: ignore[no-untyped-def]
    sine, _ = sincos(state[0])
    return state[1], inputs[0] - parameters[0] * sine


@inline
def _observe(state, parameters):  # type: ignore[no-untyped-def]
    return (state[0] * parameters[0],)


@inline
def _feel(state, parameters, surroundings):  # type: ignore[no-untyped-def]
    return (surroundings[0] if state[0] > 0.0 else 0.0 * parameters[0],)


@inline
def _pushed(state, inputs, parameters):  # type: ignore[no-untyped-def]
    return state[1], inputs[0] + parameters[1]


_plain = rk4(_hold, _derivative, _observe, 2, 1, 1, 1)
_same = rk4_staged(_feel, _hold, _derivative, _observe, Widths(2, 1, 1, 1, 1, 1))
_felt = rk4_staged(_feel, _hold, _pushed, _observe, Widths(2, 1, 1, 1, 1, 1))


@kernel
def _run_plain(state, command, parameters, seen, h, steps):  # type: ignore[no-untyped-def]
    _plain(state, command, parameters, seen, h, steps)


@kernel
def _run_same(state, command, parameters, seen, h, steps, around):  # type: ignore[no-untyped-def]
    _same(state, command, parameters, seen, h, steps, around)


@kernel
def _run_felt(state, command, parameters, seen, h, steps, around):  # type: ignore[no-untyped-def]
    _felt(state, command, parameters, seen, h, steps, around)


def test_it_gives_the_same_to_the_bit() -> None:
    rng = np.random.default_rng(1)
    count = 3 * LANES + 5
    start, command = rng.normal(size=(2, count)), rng.normal(size=(1, count))
    stiffness = rng.uniform(1, 5, size=(1, count))
    one, other = start.copy(), start.copy()
    seen, seen_too = np.zeros((1, count)), np.zeros((1, count))
    _run_plain(one, command, stiffness, seen, 0.01, 200)
    _run_same(other, command, stiffness, seen_too, 0.01, 200, np.zeros(1))
    assert np.array_equal(one, other)
    assert np.array_equal(seen, seen_too)


def test_what_is_felt_acts_from_the_next_step_on() -> None:
    """Pushed from where x is above 0: a parabola from there, a straight way before."""
    state, nothing = np.array([[-1.0], [1.0]]), np.zeros((1, 1))
    _run_felt(state, nothing, nothing, nothing.copy(), 0.001, 3000, np.array([2.0]))
    assert state[:, 0] == pytest.approx([6.0, 5.0], abs=0.01)
