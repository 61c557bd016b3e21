"""Which orders hold: of two to one vehicle the later one."""

from collections.abc import Iterable
from typing import Any

from movenv.recording.order_record import OrderRecord


class StandingOrders:
    """The order that each vehicle obeys now."""

    def __init__(self) -> None:
        self._of: dict[int, OrderRecord] = {}
        """By vid."""
        self._arrived: set[int] = set()

    def __len__(self) -> int:
        return len(self._of)

    def take(self, record: OrderRecord, among: Iterable[int] | None = None) -> None:
        """An order was given; `among` are the only ones it is taken for, where that is known.

        Who leads a formation goes where it was going: for it `form` changes nothing.
        """
        told = set(record.vids) if among is None else set(record.vids).intersection(among)
        for vid in told:
            before = self._of.get(vid)
            if before is not None and before.number > record.number:
                continue
            if record.what == "form" and vid == record.leader and before and _leads(before, vid):
                continue
            self._arrived.discard(vid)
            if record.what == "resume":
                self._of.pop(vid, None)
            else:
                self._of[vid] = record

    def arrive(self, vids: Iterable[int]) -> None:
        """These have come to the last place of their orders."""
        self._arrived.update(vid for vid in vids if vid in self._of)

    def clear(self) -> None:
        self._of.clear()
        self._arrived.clear()

    def records(self, among: Iterable[int] | None = None) -> list[OrderRecord]:
        """Those that hold for anybody, or for anybody `among` these vids, oldest first."""
        of = self._of
        held = of.values() if among is None else [of[vid] for vid in among if vid in of]
        each = {record.number: record for record in held}
        return [each[number] for number in sorted(each)]

    def listed(self) -> list[dict[str, Any]]:
        """For people and programs, oldest first; see docs/reference/console.md."""
        vids: dict[int, list[int]] = {}
        for vid, record in sorted(self._of.items()):
            vids.setdefault(record.number, []).append(vid)
        return [self._entry(record, vids[record.number]) for record in self.records()]

    def _entry(self, record: OrderRecord, vids: list[int]) -> dict[str, Any]:
        going = [vid for vid in vids if _goes(record, vid)]
        return {
            "number": record.number,
            "what": record.what,
            "t": record.t,
            "who": record.who,
            "vids": vids,
            "unit": record.unit or None,
            "places": [[lon, lat] for lat, lon in record.places],
            "formation": record.formation or None,
            "spacing": record.spacing,
            "leader": record.leader or None,
            "speed": record.speed,
            "roads": record.roads,
            "arrived": bool(going) and self._arrived.issuperset(going),
        }


def _leads(record: OrderRecord, vid: int) -> bool:
    """Whether somebody under this order keeps to nobody."""
    return not record.formation or vid == record.leader


def _goes(record: OrderRecord, vid: int) -> bool:
    """Whether somebody under this order goes to its places itself."""
    return record.what == "go" and _leads(record, vid)
