"""A host's orders: each is heard again and again until the Core knows, and carried out once."""

from collections.abc import Iterable

from movenv.recording.order_record import OrderRecord
from movenv.recording.standing_orders import StandingOrders
from movenv.runtime.live.wire import Garbled
from movenv.world.messages import Motions
from movenv.world.orders import Order, taken_up


def checked_orders(records: list[OrderRecord]) -> list[OrderRecord]:
    """The same; raises Garbled where one says nothing."""
    for record in records:
        try:
            _ = record.order
        except ValueError as error:
            raise Garbled(str(error)) from None
    return records


class HostOrders:
    """What a host was told for its vehicles."""

    def __init__(self) -> None:
        self.had = 0
        """The highest number that was heard."""
        self._pending: list[Order] = []
        self._standing = StandingOrders()

    def hear(self, records: Iterable[OrderRecord]) -> None:
        """What the Core tells, oldest first; what is known already is passed over."""
        for record in records:
            if record.number > self.had:
                self.had = record.number
                self._pending.append(record.order)
                self._standing.take(record)

    def pending(self) -> tuple[Order, ...]:
        """What is to be carried out with the tick that begins; asking makes it done."""
        orders, self._pending = tuple(self._pending), []
        return orders

    def take_up(self, motions: Motions) -> None:
        """Go on with what vehicles have begun under another host, from where they are."""
        places = motions.vid, motions.x, motions.y, motions.yaw.astype(float)
        self._pending = [part for order in self._pending for part in taken_up(order, *places)]

    def standing(self, vids: list[int]) -> list[OrderRecord]:
        """What these vehicles obey."""
        return self._standing.records(vids)

    def clear(self) -> None:
        """The run begins anew."""
        self._pending = []
        self._standing.clear()
