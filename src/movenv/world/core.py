"""The Core: gathers reports into the State, states everyone at one instant, finds pairs.

A plain object without clock or socket: `take` a report, `tick` the clock.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from movenv.world.columns import F8, U1, U4, Rows, VidIndex
from movenv.world.frames import Frame, heading_deg
from movenv.world.messages import (
    Broadcasts,
    Detections,
    Encounters,
    Finds,
    Health,
    Heard,
    Inbox,
    Motions,
    Notices,
    Receptions,
    Remark,
    Report,
    Roster,
    Snapshot,
    VehicleStates,
)
from movenv.world.orders import Order
from movenv.world.proximity import ClosestPair, Proximity
from movenv.world.radio import Radio
from movenv.world.run_state import RunState, RunStateMachine


@dataclass(frozen=True)
class Update:
    """All that a tick of the Core tells."""

    snapshot: Snapshot
    notices: Notices
    encounters: Encounters
    closest: ClosestPair | None
    detections: Detections
    broadcasts: Broadcasts = field(default_factory=Broadcasts.empty)
    """What was said, sorted by sender."""
    heard: U4 = field(default_factory=lambda: np.empty(0, np.uint32))
    """How many vehicles hear each broadcast, now or later."""
    inbox: Inbox = field(default_factory=Inbox.empty)
    """What is heard now."""
    finds: Finds = field(default_factory=Finds.empty)
    """Who has found whom so far, of the pairs that missions ask for."""
    receptions: Receptions = field(default_factory=Receptions.empty)
    """How well real vehicles are heard, sorted by vid."""
    remarks: list[Remark] = field(default_factory=list)
    """What vehicles tell the operator, sorted by vid."""
    trespasses: list[Remark] = field(default_factory=list)
    """Who has come into something that should stop it; remarks too."""
    orders: tuple[Order, ...] = ()
    """What the script of a fast run orders now; a live Core tells of orders as they come."""


class Core:
    """The State of a run: one row a vehicle, sorted by vid."""

    def __init__(
        self,
        frame: Frame,
        roster: Roster,
        proximity: Proximity,
        period: float,
        radio: Radio | None = None,
        carry: float = np.inf,
        asked: Iterable[tuple[int, int]] = (),
        trespass: Callable[[VehicleStates], list[Remark]] = lambda vehicles: [],
    ) -> None:
        """Without a radio nobody hears anybody. `carry` is the most a report is carried on, s.

        `asked` are the pairs (searcher, target) whose finds missions want to know of. `trespass`
        says who has come into something since it was asked last.
        """
        self._trespass = trespass
        self._asked = set(asked)
        self._remarks: list[Remark] = []
        self._finds = Finds.empty()
        self._carry = carry
        self.roster = roster
        self._frame = frame
        self._proximity = proximity
        self._period = period
        self._radio = radio
        self._machine = RunStateMachine()
        self._index = VidIndex(roster.vids)
        self._state = Motions.empty(len(roster))
        self._state.vid[:] = roster.vids
        self._reported_at: F8 = np.full(len(roster), np.nan)
        self._lost_at: F8 = np.full(len(roster), np.inf)
        self._health: U1 = np.full(len(roster), Health.UNHEARD, np.uint8)
        self._run_states: U1 = np.full(len(roster), RunState.READY, np.uint8)
        self._fix_age: F8 = np.zeros(len(roster))
        """How old the fix beneath a report was when it was made; 0 for virtual vehicles."""
        self._rows_of_host: dict[str, tuple[U4, Rows | slice]] = {}
        self._receptions: dict[str, Receptions] = {}
        self._detections: list[Detections] = []
        self._broadcasts: list[Broadcasts] = []

    @property
    def run_state(self) -> RunState:
        return self._machine.state

    def move(self, wanted: RunState) -> None:
        """Change the run state; raises IllegalMove where that cannot be."""
        self._machine.move(wanted)

    def resume(self, state: RunState) -> None:
        """Go on in a run state that was reached before a restart."""
        self._machine.state = state

    def lose(self, vids: U4, t: float) -> None:
        """Mark vehicles whose host is gone: from `t` on they are not carried forward."""
        rows = self._index.rows(vids)
        heard = rows[np.isin(self._health[rows], (Health.HEARD, Health.STALE))]
        self._health[heard] = Health.LOST
        self._lost_at[heard] = t
        gone = [h for h, r in self._receptions.items() if np.isin(r.vid, vids).any()]
        for host in gone:
            del self._receptions[host]

    def restore(self, vehicles: VehicleStates, t: float) -> None:
        """Begin with everyone where they were at `t`, lost until they are heard."""
        known = vehicles.take(np.flatnonzero(vehicles.health != Health.UNHEARD))
        rows = self._index.rows(known.vid)
        for name in Motions.dtypes:
            getattr(self._state, name)[rows] = getattr(known, name)
        self._reported_at[rows] = self._lost_at[rows] = t
        self._health[rows] = Health.LOST

    def release(self, host: str) -> None:
        """A host's vehicles may from now on be reported by another."""
        self._rows_of_host.pop(host, None)
        self._receptions.pop(host, None)

    def say_state(self, vids: U4, state: RunState) -> None:
        """Enter the run state that a host without places to report says it is in."""
        self._run_states[self._index.rows(vids)] = state

    def latest(self, vids: U4) -> tuple[Motions, U1]:
        """What was last reported of some vehicles, and whether it was (values of `Health`)."""
        rows = self._index.rows(vids)
        return self._state.take(rows), self._health[rows]

    def take(self, report: Report) -> None:
        """Enter a host's report into the State."""
        placed = self._rows_of_host.get(report.host)
        if placed is None or not np.array_equal(placed[0], report.motions.vid):
            placed = self._place_host(report)
        rows = placed[1]
        for name, column in report.motions.columns():
            getattr(self._state, name)[rows] = column
        self._reported_at[rows] = report.t
        self._lost_at[rows] = np.inf
        self._health[rows] = Health.HEARD
        self._run_states[rows] = report.run_state
        if len(report.receptions):
            self._hear(report)
        if len(report.detections):
            self._detections.append(report.detections)
        if len(report.broadcasts):
            self._known(report.host, report.broadcasts.vid)
            self._broadcasts.append(report.broadcasts)
        self._remarks += report.remarks

    def _hear(self, report: Report) -> None:
        """Enter how well a gateway hears its vehicles."""
        receptions = report.receptions
        self._receptions[report.host] = receptions
        rows = self._known(report.host, receptions.vid)
        heard = receptions.heard != Heard.NEVER
        self._fix_age[rows[heard]] = receptions.age[heard]
        self._health[rows[receptions.heard == Heard.STALE]] = Health.STALE

    def _known(self, host: str, vids: U4) -> Rows:
        """The rows of vids; raises ValueError for one that is not on the roster."""
        rows = self._index.rows(vids)
        if (rows < 0).any():
            stranger = vids[rows < 0][0]
            raise ValueError(f"host '{host}' reports vid {stranger}, which is not on the roster")
        return rows

    def _place_host(self, report: Report) -> tuple[U4, Rows | slice]:
        found = self._known(report.host, report.motions.vid)
        rows: Rows | slice = found
        if len(found) and (np.diff(found) == 1).all():
            rows = slice(int(found[0]), int(found[-1]) + 1)
        self._rows_of_host[report.host] = report.motions.vid, rows
        return self._rows_of_host[report.host]

    def tick(self, tick: int, t: float) -> Update:
        """State everyone at `t`, and find who is too near to whom and who hears whom."""
        vehicles = self._everyone_at(t).sealed()
        snapshot = Snapshot(tick, t, self.run_state, vehicles)
        encounters, notices, closest = self._proximity.search(vehicles, t, self._period)
        detections = (
            self._detections[0] if len(self._detections) == 1 else _by_vid(self._detections)
        )
        self._detections = []
        broadcasts = Broadcasts.joined(self._broadcasts).by_vid()
        self._broadcasts = []
        trespasses = self._trespass(vehicles) if self.run_state == RunState.GO else []
        remarks, self._remarks = sorted(self._remarks + trespasses), []
        heard, inbox = np.zeros(len(broadcasts), np.uint32), Inbox.empty()
        if self._radio is not None:
            inbox, heard = self._radio.tick(tick, t, broadcasts, vehicles)
        return Update(
            snapshot,
            notices.sealed(),
            encounters,
            closest,
            detections,
            broadcasts,
            heard,
            inbox.sealed(),
            self._all_finds(detections, t),
            self._all_receptions(),
            remarks,
            trespasses,
        )

    def _all_finds(self, detections: Detections, t: float) -> Finds:
        if self._asked and len(detections):
            pairs = zip(detections.vid.tolist(), detections.target.tolist(), strict=True)
            news = sorted(self._asked.intersection(pairs))
            self._asked.difference_update(news)
            vid, target = np.array(news, np.uint32).reshape(-1, 2).T
            found = Finds({"vid": vid, "target": target, "t": np.full(len(news), t)})
            self._finds = Finds.joined([self._finds, found])
        return self._finds

    def _all_receptions(self) -> Receptions:
        joined = Receptions.joined(list(self._receptions.values()))
        return joined.take(np.argsort(joined.vid))

    def _everyone_at(self, t: float) -> VehicleStates:
        state = dict(self._state.columns())
        ahead = np.minimum(np.minimum(t, self._lost_at) - self._reported_at, self._carry)
        if (ahead != 0).any():
            # Where nothing has been reported `ahead` is nan, and so is the place.
            for place, velocity in (("x", "vx"), ("y", "vy"), ("z", "vz")):
                state[place] = state[place] + state[velocity] * ahead
        lat, lon, convergence = self._frame.columns_to_geodetic(state["x"], state["y"])
        return VehicleStates(
            {name: column.copy() for name, column in state.items()}
            | {
                "lat": lat,
                "lon": lon,
                "heading_deg": heading_deg(state["yaw"], convergence),
                "age": t - self._reported_at + self._fix_age,
                "run_state": self._run_states.copy(),
                "health": self._health.copy(),
            }
        )


def _by_vid(parts: list[Detections]) -> Detections:
    """Several hosts' detections in an order that does not depend on the hosts."""
    joined = Detections.joined(parts)
    return joined.take(np.lexsort((joined.target, joined.vid)))
