"""What a fast run tells beside its snapshots; in a live run the Core does."""

from collections.abc import Iterator
from functools import cached_property

import msgspec

from movenv.recording.layouts import EVENTS, ORDERS, EventRecord, RunRecord
from movenv.recording.order_record import ORDER, OrderRecord, order_words
from movenv.recording.remark_log import names_by_vid, remark_events
from movenv.world.core import Update
from movenv.world.frames import Frame
from movenv.world.messages import Roster


class FastLog:
    """Turns orders and remarks of updates into messages for the recording."""

    def __init__(self, run: RunRecord) -> None:
        self._run = run

    @cached_property
    def _frame(self) -> Frame:
        return Frame(*self._run.origin)

    @cached_property
    def _roster(self) -> Roster:
        return self._run.roster.roster()

    @cached_property
    def _names(self) -> dict[int, str]:
        return names_by_vid(self._roster)

    def messages(self, update: Update) -> Iterator[tuple[str, bytes]]:
        """Topic and data of each."""
        t = update.snapshot.t
        if update.remarks:
            for event in remark_events(update.remarks, self._names, t, 0.0):
                yield EVENTS, msgspec.json.encode(event)
        for order in update.orders:
            record = OrderRecord.of(order, t, 0.0, self._frame)
            yield ORDERS, msgspec.json.encode(record)
            words = order_words(order, self._roster)
            event = EventRecord(t, 0.0, ORDER, words, order.who, record.vids)
            yield EVENTS, msgspec.json.encode(event)
