"""The run's state and time: which tick is due when, and what READY, SET, GO, PAUSE, STOP do to it.

Times are whole nanoseconds of the Core's monotonic clock.
"""

from movenv.runtime.live.clock import SECOND, Schedule
from movenv.runtime.live.wire import Beacon, ReportMessage
from movenv.world.run_state import RunState, RunStateMachine

RECOVERY = 5 * SECOND
"""How long a Core that was started again waits for a host that knows the time."""
BELIEVED = 10 * SECOND
"""A tick that was due longer ago than this is of a clock that has nothing in common with ours."""


class Timekeeper:
    """Where the run stands. `schedule` is None while a Core that was restarted has to learn it."""

    def __init__(self, run: str, core: str, pace: float, now: int) -> None:
        """`pace` is the wall time of a tick, ns."""
        self.tick = 0
        """The last tick that was stated."""
        self.hold_at = 0
        """In PAUSE: the tick after which nobody moves."""
        self.schedule: Schedule | None = Schedule(0, now, pace)
        self.recovering = False
        """Whether the hosts know better than we how far the run has come."""
        self._run, self._core, self._pace = run, core, pace
        self._machine = RunStateMachine()
        self._change = 0
        self._recover_by = now + RECOVERY

    @property
    def state(self) -> RunState:
        return self._machine.state

    @property
    def holding(self) -> bool:
        """Whether it is PAUSE and nobody moves any more."""
        return self.state == RunState.PAUSE and self.tick >= self.hold_at

    @property
    def beacon(self) -> Beacon:
        schedule = self.schedule or Schedule(self.tick, 0, 0.0)
        return Beacon(
            run=self._run,
            core=self._core,
            change=self._change,
            state=self.state,
            tick=self.tick,
            anchor_tick=schedule.tick,
            anchor_at=schedule.at,
            pace=schedule.pace,
            hold_at=self.hold_at,
        )

    def command(self, wanted: RunState, now: int) -> None:
        """Change the run state. Raises IllegalMove."""
        self._machine.move(wanted)
        self._change += 1
        if wanted == RunState.GO:
            self._anchor(now)
        elif wanted == RunState.PAUSE and self.schedule is None:
            self._anchor(now)
            self.hold_at = self.tick
        elif wanted == RunState.PAUSE:
            assert self.schedule is not None
            self.hold_at = max(self.tick, self.schedule.latest(now)) + 1

    def _anchor(self, now: int) -> None:
        self.schedule = Schedule(self.tick, now, self._pace)
        self.recovering = False

    def latest(self, now: int, end: int) -> int:
        """The tick that may be reported by now, stated or not: the Core may have slept.

        `end` is the last tick of the run.
        """
        if self.recovering:
            return end
        if self.schedule is None or self.state != RunState.GO:
            return self.tick
        return max(self.tick, self.schedule.latest(now))

    # --- after a restart

    def resume(self, state: RunState, tick: int) -> None:
        """Go on where a recording ends."""
        self._machine.state = state
        self.tick = self.hold_at = tick
        self.recovering = state in (RunState.GO, RunState.PAUSE)
        if state == RunState.GO:
            self.schedule = None  # the hosts know it

    def learn(self, message: ReportMessage, now: int) -> bool:
        """Believe a host how far the run has come. Returns whether time is known from now on."""
        if self.schedule is None and message.state == RunState.GO and message.due:
            lately = 0 <= now - message.due < BELIEVED
            self.schedule = Schedule(message.tick, message.due if lately else now, self._pace)
            self.tick = max(self.tick, message.tick - 1)
            self._change += 1
            self.recovering = False
            return True
        if self.state == RunState.PAUSE:
            self.tick = self.hold_at = max(self.tick, message.tick)
        return False

    def give_up_learning(self, now: int) -> bool:
        """When no host knows the time, go on from the last tick. Returns whether that is so."""
        if self.schedule is not None or self.state != RunState.GO or now < self._recover_by:
            return False
        self._anchor(now)
        self._change += 1
        return True
