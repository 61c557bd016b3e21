"""READY, SET, GO, PAUSE, STOP: the states of a run and the moves between them."""

from enum import IntEnum


class RunState(IntEnum):
    READY = 1
    """Processes are up; status is sent at a low rate."""
    SET = 2
    """Initial conditions are assigned and reported; nothing moves."""
    GO = 3
    """Time runs."""
    PAUSE = 4
    """Positions hold; the pause is not simulated time."""
    STOP = 5
    """The end: recordings close."""


LEGAL: dict[RunState, tuple[RunState, ...]] = {
    RunState.READY: (RunState.SET, RunState.STOP),
    RunState.SET: (RunState.READY, RunState.GO, RunState.STOP),
    RunState.GO: (RunState.PAUSE, RunState.STOP),
    RunState.PAUSE: (RunState.GO, RunState.STOP),
    RunState.STOP: (),
}


class IllegalMove(ValueError):
    """A run state was asked for that cannot follow the present one."""


class RunStateMachine:
    """Holds the run state and lets only legal moves through."""

    def __init__(self) -> None:
        self.state = RunState.READY

    def move(self, wanted: RunState) -> None:
        legal = LEGAL[self.state]
        if wanted not in legal:
            choices = ", ".join(state.name for state in legal) or "none: the run has ended"
            raise IllegalMove(
                f"cannot go from {self.state.name} to {wanted.name}; legal: {choices}"
            )
        self.state = wanted
