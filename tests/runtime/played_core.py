"""A bus with a Core at its other end, as far as a JAUS gateway needs one, without processes."""

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from movenv.recording.layouts import (
    FORMAT_VERSION,
    SNAPSHOT_LAYOUT,
    SNAPSHOTS,
    RosterRecord,
    RunRecord,
)
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.wheel_wire import (
    WHEEL,
    WHEEL_RELEASE,
    Dashboard,
    Turn,
    WheelGiven,
    WheelReleased,
    dashboard_key,
)
from movenv.runtime.live.wire import Mark, Records, Refusal
from movenv.world.messages import Health, VehicleStates
from movenv.world.model import MOTION
from movenv.world.run_state import RunState

TICK, TICKET = 0.05, 7
RECORD = RunRecord(
    format=FORMAT_VERSION, movenv="", scenario="", name="played", seed=0, started_utc=1.8e9,
    origin=(29.19, -81.05, 12.0), tick=TICK, levels={}, every_pair=False, fidelity=None,
    changes=[],
    roster=RosterRecord([1], ["car"], ["ground"], [0], [1], [4.0], [], driven=[True]),
)  # fmt: skip


class PlayedCore:
    """Has one car, and gives its wheel to whoever asks."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.marks: list[str] = []
        self.asked: list[str] = []
        self.lease = 3.0
        self.refuses = ""
        """Why it gives no wheel."""
        self._ears: defaultdict[str, list[Callable[[str, bytes], None]]] = defaultdict(list)

    # --- as a bus

    def hear(self, key: str, handler: Callable[[str, bytes], None]) -> Callable[[], None]:
        self._ears[key].append(handler)
        return lambda: self._ears[key].remove(handler)

    def sender(self, _key: str, **_how: bool) -> Callable[[bytes], None]:
        return lambda data: self.turns.append(wire.decode(Turn, data))

    def ask(self, key: str, data: bytes, _timeout: float = 0.0) -> bytes:
        self.asked.append(key)
        if key == keys.MARK:
            self.marks.append(wire.decode(Mark, data).text)
            return b""
        if self.refuses:
            return Refusal(self.refuses).encoded()
        given = {WHEEL: WheelGiven(1, TICKET, self.lease), WHEEL_RELEASE: WheelReleased(1)}
        return given[key].encoded()

    # --- as a Core and a host

    def states(
        self,
        t: float,
        utc: float,
        state: RunState = RunState.GO,
        health: Health = Health.HEARD,
        **columns: float,
    ) -> None:
        """A snapshot with the car in it."""
        told = {"vid": 1, "health": health} | columns
        car = VehicleStates({name: np.array([told.get(name, 0)]) for name in VehicleStates.dtypes})
        numbers = dict.fromkeys(SNAPSHOT_LAYOUT.numbers, 0) | {
            "t": t, "utc": utc, "tick": round(t / TICK), "state": int(state),
        }  # fmt: skip
        items = [(SNAPSHOTS, t, SNAPSHOT_LAYOUT.encode(numbers, car))]
        self._tell(keys.RECORDS, Records("run", "core", 1, True, 0, items).encoded())

    def dashboard(self, t: float, ticket: int = TICKET, **motion: float) -> None:
        told = [motion.get(name, 0.0) for name in MOTION]
        shown = Dashboard(1, round(t / TICK), t, ticket, 0, told, (0.0, 0.0, 1.0, 1, 0.0), 0.0)
        self._tell(dashboard_key(1), shown.encoded())

    def _tell(self, key: str, data: bytes) -> None:
        for ear in list(self._ears[key]):
            ear(key, data)
