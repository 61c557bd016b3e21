"""The radio against brute force over all pairs, a binomial bound and delays counted by hand."""

import numpy as np
import pytest
from scipy import stats

from movenv.world.messages import Broadcasts, Health, Inbox, VehicleStates
from movenv.world.radio import Radio

PERIOD = 0.1
NOBODY = Broadcasts.empty()


def everyone(vids: list[int], places: np.ndarray) -> VehicleStates:
    vehicles = VehicleStates.empty(len(vids))
    vehicles.health[:] = Health.HEARD
    vehicles.vid[:] = vids
    vehicles.x[:], vehicles.y[:], vehicles.z[:] = np.asarray(places, float).T
    return vehicles


def crowd(count: int, side: float, seed: int = 1) -> VehicleStates:
    places = np.random.default_rng(seed).uniform(0, side, (count, 3))
    return everyone(list(range(1, count + 1)), places)


def radio(vehicles: VehicleStates, seed: int = 5, **how: float) -> Radio:
    return Radio(vehicles.vid, seed, PERIOD, **({"range": 300.0} | how))


def said(inbox: Inbox) -> list[tuple[int, int, float, bytes]]:
    return [
        (int(inbox.vid[i]), int(inbox.sender[i]), float(inbox.t_sent[i]), inbox.payload(i))
        for i in range(len(inbox))
    ]


def test_exactly_those_within_range_hear_except_the_sender() -> None:
    vehicles = crowd(150, 1000.0)
    senders = vehicles.vid[::3]
    sent = Broadcasts(senders, [b"from %d" % vid for vid in senders])
    inbox, heard = radio(vehicles).tick(7, 0.7, sent, vehicles)
    places = np.column_stack([vehicles.x, vehicles.y, vehicles.z])
    expected = [
        (b + 1, int(a), 0.7, b"from %d" % a)
        for b in range(150)
        for a in senders
        if a != b + 1 and np.linalg.norm(places[a - 1] - places[b]) <= 300.0
    ]
    assert said(inbox) == expected
    assert heard.tolist() == [sum(s == a for _, s, _, _ in expected) for a in senders]
    assert len(inbox.payloads) <= len(senders)


def test_the_edge_of_the_range_is_inside_it_and_height_counts() -> None:
    vehicles = everyone([1, 2, 3, 4], np.array([[0, 0, 0], [180, 0, 240], [0, 301, 0], [0, 0, 0]]))
    inbox, heard = radio(vehicles).tick(1, 0.1, Broadcasts([1], [b"here"]), vehicles)
    assert inbox.vid.tolist() == [2, 4]
    assert heard.tolist() == [2]


def test_a_vehicle_that_never_reported_hears_nothing() -> None:
    vehicles = everyone([1, 2, 3], np.zeros((3, 3)))
    vehicles.health[1], vehicles.x[1] = Health.UNHEARD, np.nan
    inbox, _ = radio(vehicles).tick(1, 0.1, Broadcasts([3], [b"?"]), vehicles)
    assert inbox.vid.tolist() == [1]


@pytest.mark.parametrize(
    ("delay", "ticks"), [(0.0, 0), (0.05, 1), (0.1, 1), (0.3, 3), (0.31, 4), (0.7, 7), (1.1, 11)]
)
def test_a_message_arrives_at_the_first_tick_not_before_its_delay(delay: float, ticks: int) -> None:
    vehicles = crowd(2, 10.0)
    air = radio(vehicles, delay=delay)
    arrived = {}
    for tick in range(40, 60):
        t = round(tick * PERIOD, 9)
        sent = Broadcasts([1], [b"at %d" % tick]) if tick < 43 else NOBODY
        for _, _, t_sent, payload in said(air.tick(tick, t, sent, vehicles)[0]):
            arrived[payload] = (tick, t_sent)
    assert arrived == {b"at %d" % k: (k + ticks, round(k * PERIOD, 9)) for k in (40, 41, 42)}


def test_jitter_spreads_arrivals_evenly_between_its_bounds() -> None:
    vehicles = crowd(1500, 100.0)
    air = radio(vehicles, delay=0.2, jitter=0.5)
    air.tick(0, 0.0, Broadcasts([9], [b"x"]), vehicles)
    arrivals = [len(air.tick(k, k * PERIOD, NOBODY, vehicles)[0]) for k in range(1, 12)]
    assert arrivals[:2] == [0, 0]  # ticks 1 and 2: only a jitter of exactly 0 could be there
    assert arrivals[7:] == [0] * 4  # from tick 8 on
    assert sum(arrivals) == 1499
    assert stats.chisquare(arrivals[2:7]).pvalue > 1e-4


def test_loss_takes_its_share_and_no_more() -> None:
    vehicles = crowd(200, 100.0)
    sent = Broadcasts(vehicles.vid, [b""] * 200)
    inbox, heard = radio(vehicles, loss=0.3).tick(3, 0.3, sent, vehicles)
    pairs = 200 * 199
    assert len(inbox) == heard.sum()
    low, high = stats.binom.interval(1 - 1e-6, pairs, 0.7)
    assert low <= len(inbox) <= high
    assert len(radio(vehicles, loss=1.0).tick(3, 0.3, sent, vehicles)[0]) == 0


def test_each_message_to_each_hearer_has_a_fate_of_its_own() -> None:
    vehicles = crowd(400, 100.0)
    twice = Broadcasts([8, 8], [b"first", b"second"])
    air = radio(vehicles, loss=0.5)
    heard = [said(air.tick(k, 0.1 * k, twice, vehicles)[0]) for k in (1, 2)]
    got = [
        {vid for vid, _, _, payload in inbox if payload == what}
        for inbox in heard
        for what in (b"first", b"second")
    ]
    for i, one in enumerate(got):
        for other in got[:i]:
            assert 60 < len(one & other) < 140  # independent: a quarter of 399


def test_who_hears_does_not_depend_on_who_else_speaks() -> None:
    vehicles = crowd(100, 400.0)
    alone, _ = radio(vehicles, loss=0.4, jitter=0.0).tick(
        5, 0.5, Broadcasts([50], [b"m"]), vehicles
    )
    everybody = Broadcasts(vehicles.vid, [b"m"] * 100)
    among_all, _ = radio(vehicles, loss=0.4).tick(5, 0.5, everybody, vehicles)
    assert alone.vid.tolist() == among_all.vid[among_all.sender == 50].tolist()
    other_seed, _ = radio(vehicles, seed=6, loss=0.4).tick(5, 0.5, everybody, vehicles)
    assert said(other_seed) != said(among_all)


def test_range_counts_when_sent_not_when_heard() -> None:
    near, far = (everyone([1, 2], np.array([[0, 0, 0], [x, 0, 0]])) for x in (10.0, 900.0))
    air = radio(near, delay=0.2)
    air.tick(1, 0.1, Broadcasts([1], [b"while near"]), near)
    air.tick(2, 0.2, Broadcasts([1], [b"while far"]), far)
    assert said(air.tick(3, 0.3, NOBODY, far)[0]) == [(2, 1, 0.1, b"while near")]
    assert len(air.tick(4, 0.4, NOBODY, near)[0]) == 0


def test_the_inbox_is_in_order_and_skipped_ticks_lose_nothing() -> None:
    vehicles = crowd(30, 100.0)
    air = radio(vehicles, jitter=1.0)
    sent, seen = 0, []
    for tick in (1, 2, 5, 6, 40):
        payloads = [b"%d-%d" % (tick, k) for k in range(60)]
        inbox, heard = air.tick(
            tick, tick * PERIOD, Broadcasts(np.repeat(vehicles.vid, 2), payloads), vehicles
        )
        sent += int(heard.sum())
        keys = [(vid, t, sender) for vid, sender, t, _ in said(inbox)]
        assert keys == sorted(keys)
        seen += said(inbox)
    seen += said(air.tick(100, 10.0, NOBODY, vehicles)[0])
    assert len(seen) == len(set(seen)) == sent == 5 * 60 * 29


def test_an_inbox_is_cut_to_some_receivers_with_only_their_payloads() -> None:
    vehicles = everyone([1, 2, 3, 4], np.array([[0, 0, 0], [10, 0, 0], [900, 0, 0], [910, 0, 0]]))
    sent = Broadcasts([1, 2, 3, 4], [b"a", b"b", b"c", b"d"])
    inbox, _ = radio(vehicles).tick(1, 0.1, sent, vehicles)
    mine = inbox.for_vids(np.array([4, 1], np.uint32))
    assert said(mine) == [(1, 2, 0.1, b"b"), (4, 3, 0.1, b"c")]
    assert mine.payloads == [b"b", b"c"]
    assert len(inbox.for_vids(np.array([77], np.uint32)).payloads) == 0
