"""A gateway host in a live run: it listens to real vehicles and reports where they are.

Like a simulation host it knows no socket and no clock. People in a field neither wait for READY
nor stop for PAUSE: while nobody moves in the run, their places are told as they are, at rest.
"""

from movenv.gateways.view import View
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.host import LiveHost, standing, start_of
from movenv.runtime.live.real_vehicles import RealVehicles
from movenv.runtime.live.shadow import Shadow, needs_shadow
from movenv.runtime.live.views import Views
from movenv.runtime.live.wire import AwarenessMessage, Joined
from movenv.scenario.build import Stage
from movenv.world.messages import Inbox, Motions, Report
from movenv.world.run_state import RunState

LISTEN_ON = 0.1
"""How far into a tick a gateway still listens for it, in ticks: what has just come is told at
once, and a vehicle that must get out of the way knows it a tick later."""


class LiveGateway(LiveHost):
    """Lives through the run that the Core's beacons tell of."""

    def __init__(
        self, stage: Stage, name: str, joined: Joined, vehicles: RealVehicles, now: int, utc: int
    ) -> None:
        """`utc` is the time since 1970 at `now`, both in ns."""
        self._vehicles = vehicles
        self._views = Views(stage)
        self._utc_ahead = utc - now
        self.words = 0
        """Counts what the Core has told."""
        self._shadow: Shadow | None = None
        super().__init__(stage, name, joined, now)

    def set_utc(self, utc: int, now: int) -> None:
        """The wall clock may be set while we run: tell what it says now."""
        self._utc_ahead = utc - now

    def views(self, wanted: set[int], now: int) -> dict[int, View]:
        """What the carriers of some vehicles are told."""
        if not wanted:
            return {}
        own = self._latest if self._moving and self._latest else self._at_rest(now, placed=True)
        everyone = self._everyone(own, 0)
        return self._views.of(wanted, own, everyone, self._notices, self.state, self._utc(now))

    def hear(self, message: AwarenessMessage, now: int) -> bool:
        anew = super().hear(message, now)
        self.words += 1
        self._views.hear(self._notices, self._utc(message.answered - self._offset.ahead))
        return anew

    # --- what differs from a simulation host

    def _utc(self, at: int) -> float:
        """Seconds since 1970 of a moment on the monotonic clock."""
        return (at + self._utc_ahead) / SECOND

    def _begins(self, tick: int) -> int:
        return self._at(tick) + round(self._pace * LISTEN_ON)

    def _take_place(self, motions: Motions | None, now: int) -> None:
        """They are where they are, wherever the Core has last seen them."""
        if needs_shadow(self._stage, self._rows):
            _, steps = start_of(self._stage, motions)
            self._shadow = Shadow(self._stage, self.name, self._rows, steps)
        self._latest = self._at_rest(now, placed=True)

    def _lived(self, _now: int) -> Report:
        self._vehicles.listen()
        inbox = Inbox.joined(list(self._inboxes))
        self._inboxes.clear()
        motions, receptions = self._vehicles.state(self._utc(self._at(self._tick)))
        t = self._stage.time.t(self._tick)
        report = Report(self.name, self._tick, t, RunState.GO, motions, receptions=receptions)
        if self._shadow is None or self._latest is None:
            return report
        behind = self._tick - 1 - self._told_tick
        everyone = self._everyone(self._latest, behind)
        well = not self._shadow.failed
        told = self._shadow.seen(report, everyone, self._notices_now(behind), inbox, self._finds)
        if well and self._shadow.failed:
            self._vehicles.happened("behavior", f"no longer asked: {self._shadow.failed}")
        return told

    def _current(self, now: int) -> Report | None:
        return self._latest if self._moving else self._at_rest(now, self.state != RunState.READY)

    def _at_rest(self, now: int, placed: bool) -> Report:
        """While the run's time stands still: how they are heard and, if `placed`, also where."""
        self._vehicles.listen()
        motions, receptions = self._vehicles.state(self._utc(now))
        places = standing(motions) if placed else Motions.empty()
        if self._shadow is not None:
            places = self._shadow.told(places)
        t = self._stage.time.t(self._tick)
        return Report(self.name, self._tick, t, self.state, places, receptions=receptions)

    def _refused(self) -> dict[str, int]:
        return self._vehicles.refused
