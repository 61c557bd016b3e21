"""Every scan once and in order, whatever the layer does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.runtime.injection.order import RECENT, Delivery, ScanOrder

MS = 1_000_000
PATIENCE = 20 * MS


def taken(deliveries: list[Delivery]) -> list[tuple[int, bool]]:
    return [(delivery.number, delivery.altered) for delivery in deliveries]


def with_layer() -> ScanOrder:
    """Scans 0 and 1 have come through a layer that is there."""
    order = ScanOrder(PATIENCE)
    assert taken(order.raw(0, b"r0", 0)) == [(0, False)]
    assert order.layer(True, 1) == []
    assert order.altered(0, b"a0", 2) == []
    assert order.raw(1, b"r1", 25 * MS) == []
    assert taken(order.altered(1, b"a1", 26 * MS)) == [(1, True)]
    return order


def test_without_a_layer_scans_pass_at_once() -> None:
    order = ScanOrder(PATIENCE)
    for number in range(5, 9):
        assert taken(order.raw(number, b"", number)) == [(number, False)]
    assert order.due() is None


def test_nobody_waits_for_a_layer_that_has_not_been_heard() -> None:
    order = ScanOrder(PATIENCE)
    order.layer(True, 0)
    assert taken(order.raw(1, b"", 0)) == [(1, False)]


def test_a_layer_that_is_gone_is_not_waited_for() -> None:
    order = with_layer()
    assert order.raw(2, b"r2", 50 * MS) == []
    assert taken(order.layer(False, 51 * MS)) == [(2, False)]
    assert order.altered(2, b"a2", 52 * MS) == []
    assert taken(order.raw(3, b"r3", 75 * MS)) == [(3, False)]


def test_a_layer_that_hangs_is_waited_for_once() -> None:
    order = with_layer()
    assert order.raw(2, b"r2", 50 * MS) == []
    assert order.due() == 70 * MS
    assert order.ready(69 * MS) == []
    assert taken(order.ready(70 * MS)) == [(2, False)]
    assert taken(order.raw(3, b"r3", 75 * MS)) == [(3, False)]
    assert order.altered(2, b"a2", 80 * MS) == []  # too late to be waited for
    assert taken(order.raw(4, b"r4", 100 * MS)) == [(4, False)]
    assert order.altered(4, b"a4", 101 * MS) == []
    assert order.raw(5, b"r5", 125 * MS) == []
    assert taken(order.altered(5, b"a5", 126 * MS)) == [(5, True)]


def test_a_scan_that_the_layer_passed_over_goes_as_it_is() -> None:
    order = with_layer()
    assert order.raw(2, b"r2", 50 * MS) == []
    assert order.raw(3, b"r3", 51 * MS) == []
    assert taken(order.altered(3, b"a3", 52 * MS)) == [(2, False), (3, True)]


def test_an_altered_scan_that_overtakes_its_raw_self_is_the_one() -> None:
    order = with_layer()
    assert taken(order.altered(2, b"a2", 50 * MS)) == [(2, True)]
    assert order.raw(2, b"r2", 51 * MS) == []


def test_an_altered_scan_waits_for_the_raw_one_before_it() -> None:
    order = with_layer()
    assert order.altered(3, b"a3", 50 * MS) == []
    assert taken(order.raw(2, b"r2", 51 * MS)) == [(2, False), (3, True)]


def test_a_number_that_never_comes_is_given_up() -> None:
    order = ScanOrder(PATIENCE)
    order.raw(1, b"", 0)
    assert order.raw(4, b"", 10 * MS) == []
    assert taken(order.ready(30 * MS)) == [(4, False)]
    assert order.missing == 2


def test_a_scanner_that_counts_anew_is_followed() -> None:
    order = ScanOrder(PATIENCE)
    order.raw(1000, b"", 0)
    assert taken(order.raw(0, b"", 1)) == [(0, False)]
    assert taken(order.raw(1, b"", 2)) == [(1, False)]
    assert order.altered(1001, b"", 3) == []  # of before
    assert taken(order.raw(2, b"", 4)) == [(2, False)]


STEPS = st.tuples(
    st.sampled_from(["raw", "raw", "altered", "altered", "skip", "here", "gone", "wait"]),
    st.integers(0, 15),
)


@settings(max_examples=500)
@given(st.integers(0, 1000), st.lists(STEPS, max_size=80))
def test_each_number_once_and_in_order_whatever_the_layer_does(
    first: int, steps: list[tuple[str, int]]
) -> None:
    """Both streams are in order and raw is complete; the layer comes, goes, stalls and dies."""
    order, now = ScanOrder(PATIENCE), 0
    got = order.raw(first, b"r%d" % first, now)
    raw, altered = first + 1, first
    for what, milliseconds in steps:
        now += milliseconds * MS
        if what == "altered" and altered < raw + 2:
            got += order.altered(altered, b"a%d" % altered, now)
            altered += 1
        elif what == "skip":
            altered += 1
        elif what in ("here", "gone"):
            got += order.layer(what == "here", now)
        elif what == "wait":
            got += order.ready(now)
        # The raw stream is never behind for as long as somebody would wait for it.
        for _ in range(max(what == "raw", altered - raw)):
            got += order.raw(raw, b"r%d" % raw, now)
            raw += 1
    got += order.ready(now + PATIENCE)
    assert [delivery.number for delivery in got] == list(range(first, raw))
    assert order.missing == 0
    for delivery in got:
        assert delivery.data == (b"a%d" if delivery.altered else b"r%d") % delivery.number
    assert order.due() is None


@pytest.mark.parametrize("lower", [1, RECENT])
def test_a_number_that_was_there_is_not_handed_over_again(lower: int) -> None:
    order = ScanOrder(PATIENCE)
    for number in range(200):
        order.raw(number, b"", number)
    assert order.raw(199 - lower, b"", 300) == []
    assert order.doubled == 1
