"""READY, SET, GO, PAUSE, STOP."""

import itertools

import pytest

from movenv.world.run_state import IllegalMove, RunState, RunStateMachine

R, S, G, P, X = RunState
LEGAL = {(R, S), (S, R), (S, G), (G, P), (P, G), (R, X), (S, X), (G, X), (P, X)}
WAY_TO = {R: [], S: [S], G: [S, G], P: [S, G, P], X: [X]}


@pytest.mark.parametrize(("here", "wanted"), list(itertools.product(RunState, RunState)))
def test_only_legal_moves_are_made(here: RunState, wanted: RunState) -> None:
    machine = RunStateMachine()
    for step in WAY_TO[here]:
        machine.move(step)
    if (here, wanted) in LEGAL:
        machine.move(wanted)
        assert machine.state == wanted
    else:
        with pytest.raises(IllegalMove) as refusal:
            machine.move(wanted)
        assert machine.state == here
        for state in RunState:
            said = state.name in str(refusal.value).partition("legal:")[2]
            assert said == ((here, state) in LEGAL)


def test_numbers_are_those_of_the_paper() -> None:
    assert [state.value for state in RunState] == [1, 2, 3, 4, 5]
