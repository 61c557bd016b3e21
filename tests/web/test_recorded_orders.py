"""Which orders held when, without comparing each with all before it."""

from typing import Any

import pytest

from movenv.recording.order_record import OrderRecord
from movenv.recording.standing_orders import StandingOrders
from movenv.web.replay import orders as module
from movenv.web.replay.orders import RecordedOrders


class Compared(OrderRecord):
    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]


class Counted(StandingOrders):
    taken = 0

    def take(self, *args: Any) -> None:
        Counted.taken += 1
        super().take(*args)


def test_playing_through_many_orders_takes_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "StandingOrders", Counted)
    monkeypatch.setattr(Counted, "taken", 0)
    monkeypatch.setattr(Compared, "times", 0)
    recorded = RecordedOrders()
    for number in range(1, 1001):
        for _ in range(2):  # told again to a new recorder
            recorded.add(Compared(float(number), 0.0, number, "hold", [number % 7]))
    for number in range(1, 1001):
        (*_, latest) = recorded.listed(float(number))
        assert latest["number"] == number
    assert len(recorded.listed(1000.0)) == 7
    assert Counted.taken == 1000
    assert Compared.times < 2000


def test_one_may_look_back() -> None:
    recorded = RecordedOrders()
    recorded.add(OrderRecord(1.0, 0.0, 1, "go", [1, 2], [(5.0, 5.0, None)]))
    recorded.arrived(4.0, [1, 2])
    recorded.add(OrderRecord(5.0, 0.0, 2, "hold", [2]))

    def numbers(t: float) -> list[tuple[int, list[int], bool]]:
        return [(e["number"], e["vids"], e["arrived"]) for e in recorded.listed(t)]

    for _ in range(2):
        assert numbers(6.0) == [(1, [1], True), (2, [2], False)]
        assert numbers(4.5) == [(1, [1, 2], True)]
        assert numbers(1.0) == [(1, [1, 2], False)]
        assert numbers(0.5) == []
