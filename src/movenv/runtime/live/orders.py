"""The Core's orders: given by an operator or by the scenario's script, kept, and handed on."""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from pydantic import ValidationError

from movenv.parts.config import GeoPoint, Point
from movenv.recording.layouts import EventRecord
from movenv.recording.order_record import ORDER, OrderRecord, order_words
from movenv.recording.remark_log import names_by_vid, remark_events
from movenv.recording.standing_orders import StandingOrders
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.seat import Seat
from movenv.runtime.live.seats import Seats
from movenv.runtime.live.wire import Ordered, OrderMessage
from movenv.scenario.build import Stage
from movenv.scenario.order_schema import MOST_PLACES
from movenv.scenario.orders import OrderDesk, OrderRefused, OrderWish
from movenv.world.columns import F8, Rows, VidIndex
from movenv.world.core import Update
from movenv.world.messages import VehicleStates
from movenv.world.orders import ARRIVED, Order
from movenv.world.run_state import RunState

WITH_ORDERS = (RunState.SET, RunState.GO, RunState.PAUSE)
AHEAD = 1_000_000
"""A host may know of so many orders that this Core does not: of before it was restarted."""
SAY_AGAIN = 10 * SECOND
"""What holds is told to the recording when it changes, and so often: see `last_seen`."""


class Orders:
    """What vehicles are told to do."""

    def __init__(self, stage: Stage, seats: Seats) -> None:
        self._stage, self._seats = stage, seats
        self._desk, self._gathering = OrderDesk(stage), stage.gathering
        self._index = VidIndex(stage.roster.vids)
        self._names = names_by_vid(stage.roster)
        self._standing = StandingOrders()
        self._last = 0
        """The highest number that was ever given."""
        self._script = deque(stage.script)
        self.given: deque[OrderRecord] = deque()
        """Those that are not in the recording yet."""
        self._said: list[int] = []
        self._say_again = 0

    # --- giving

    def resolved(self, message: OrderMessage, who: str, stated: VehicleStates | None) -> Order:
        """What an operator wants, not given yet: it may take a while, in any thread.

        Raises OrderRefused.
        """
        if len(message.to) > MOST_PLACES:
            said = f"{len(message.to):,} places; at most {MOST_PLACES:,}"
            raise OrderRefused("to", said)
        wish = OrderWish(
            what=message.what,
            vehicles=message.vehicles,
            unit=message.unit,
            to=[_point(number, place) for number, place in enumerate(message.to, start=1)],
            speed=message.speed,
            roads=message.roads,
            formation=message.formation,
            spacing=message.spacing,
            leader=message.leader,
        )
        order = self._desk.order(wish, 0, who, _heights(stated))
        return self._given_out(order, stated)

    def give(self, order: Order, t: float) -> tuple[Ordered, EventRecord]:
        """Give an order to everyone it names."""
        order = replace(order, number=self._last + 1)
        event = self._give(order, t)
        names = [self._names[vid] for vid in sorted(order.vids.tolist())]
        return Ordered(order.number, t, names), event

    def _given_out(self, order: Order, stated: VehicleStates | None) -> Order:
        return order if stated is None else self._gathering.given_out(order, stated)

    def script(self, tick: int, t: float, stated: VehicleStates) -> list[EventRecord]:
        """Give what the scenario orders up to a tick, with everybody where it is `stated`."""
        events = []
        while self._script and self._script[0].tick <= tick:
            order = self._given_out(self._script.popleft().order, stated)
            events.append(self._give(replace(order, number=self._last + 1), t))
        return events

    def _give(self, order: Order, t: float) -> EventRecord:
        record = OrderRecord.of(order, t, 0.0, self._stage.frame)
        self._last = order.number
        self._standing.take(record)
        self.given.append(record)
        for seat in self._seats:
            self._hand_on(seat, [record])
        words = order_words(order, self._stage.roster)
        return EventRecord(t, 0.0, ORDER, words, order.who, record.vids)

    # --- hosts

    def joined(self, seat: Seat, brought: Iterable[OrderRecord]) -> list[OrderRecord]:
        """A host has come, perhaps with orders that its vehicles obey; returns those that hold."""
        vids = seat.vids.tolist()
        for record in brought:
            if self._is_sound(record):
                self._last = max(self._last, record.number)
                self._standing.take(record, vids)
        held = self._standing.records(vids)
        self._hand_on(seat, held)
        return held

    def had(self, seat: Seat, number: int) -> None:
        """A host says up to which number it has orders; one beyond all reason does not count."""
        if number > self._last + AHEAD:
            return
        self._last = max(self._last, number)  # a Core that was restarted may not know
        if seat.orders:
            seat.orders = [record for record in seat.orders if record.number > number]

    def _hand_on(self, seat: Seat, records: list[OrderRecord]) -> None:
        """Put orders into a host's box, where they stay until it has them."""
        mine = set(seat.vids.tolist())
        for record in records:
            told = mine.intersection(record.vids)
            if told:
                kept = [r for r in seat.orders if not mine.intersection(r.vids) <= told]
                seat.orders = [*kept, record]
        seat.in_formation = self._in_formation(seat)

    def _in_formation(self, seat: Seat) -> Rows:
        """Whom a host is told of however far away: all who keep a formation with its own."""
        vids: set[int] = set()
        for record in self._standing.records(seat.vids.tolist()):
            if record.formation:
                vids.update(record.vids, [record.leader])
        return self._index.rows(np.array(sorted(vids), np.uint32))

    # --- going on

    def remarked(self, update: Update, t: float) -> list[EventRecord]:
        """What vehicles tell the operator, as events; who has arrived is noted."""
        if not update.remarks:
            return []
        self._standing.arrive(remark.vid for remark in update.remarks if remark.text == ARRIVED)
        return remark_events(update.remarks, self._names, t, 0.0)

    def resume(self, records: Iterable[OrderRecord], tick: int) -> None:
        """Go on with what a recording tells; what was scripted up to `tick` was given."""
        for record in records:
            if self._is_sound(record):
                self._last = max(self._last, record.number)
                self._standing.take(record)
        while self._script and self._script[0].tick <= tick:
            self._script.popleft()

    def clear(self) -> None:
        """The run begins anew. Numbers go on, so that no old order is taken for a new one."""
        self._standing.clear()
        self._script = deque(self._stage.script)
        for seat in self._seats:
            seat.orders = []
            seat.in_formation = self._in_formation(seat)

    def to_record(self, now: int) -> list[OrderRecord] | None:
        """Those that hold; None where the recording was told lately."""
        held = self.records()
        numbers = [record.number for record in held]
        if numbers == self._said and now < self._say_again:
            return None
        self._said, self._say_again = numbers, now + SAY_AGAIN
        return held

    def records(self) -> list[OrderRecord]:
        """Those that hold."""
        return self._standing.records()

    def listed(self, names: bool = False) -> list[dict[str, Any]]:
        """Those that hold, for people, perhaps with the names of whom they were given to."""
        found = self._standing.listed()
        if names:
            for entry in found:
                entry["names"] = [self._names[vid] for vid in entry["vids"]]
        return found

    def _is_sound(self, record: OrderRecord) -> bool:
        """Whether it is about vehicles of this run and says something."""
        if record.number > self._last + AHEAD:
            return False
        try:
            order = record.order
        except ValueError:
            return False
        return bool((self._index.rows(order.vids) >= 0).all())


def _heights(stated: VehicleStates | None) -> F8 | None:
    return None if stated is None else np.where(np.isnan(stated.z), math.inf, stated.z)


def _point(number: int, place: list[float] | dict[str, float]) -> Point:
    """Raises OrderRefused."""
    if isinstance(place, dict):
        try:
            return GeoPoint.model_validate(place)
        except ValidationError as error:
            first = error.errors()[0]
            said = f"place {number}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise OrderRefused("to", said) from None
    if len(place) == 2:
        return place[0], place[1]
    if len(place) == 3:
        return place[0], place[1], place[2]
    raise OrderRefused("to", f"place {number} has {len(place)} numbers, expected x, y or x, y, z")
