"""Where a component is believed to be, and for how long."""

from movenv.gateways.door import RELEASE
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.peers import MOST, MOST_OF_HOST, Peers

ANN, BOB = Address(126, 1, 20), Address(126, 1, 21)
HERE, THERE = "10.0.0.1:5000", "10.0.0.2:5000"


def made_up(k: int) -> Address:
    return Address(1000 + k, 1, 1)


def test_nobody_speaks_for_somebody_at_another_host() -> None:
    peers = Peers()
    assert peers.place(ANN) is None
    assert peers.admit(ANN, HERE, 0.0) == ""
    assert peers.admit(ANN, THERE, 1.0) == "other address"
    assert peers.place(ANN) == HERE
    assert peers.admit(BOB, THERE, 1.0) == ""  # for itself it may
    assert peers.admit(ANN, "10.0.0.1:6000", 50.0) == ""  # a program that was started anew
    assert peers.place(ANN) == "10.0.0.1:6000"
    assert peers.admit(ANN, THERE, 50.0 + RELEASE - 1) == "other address"
    assert peers.admit(ANN, THERE, 50.0 + RELEASE) == ""
    assert peers.place(ANN) == THERE


def test_made_up_components_push_nobody_out() -> None:
    peers = Peers()
    assert peers.admit(ANN, HERE, 0.0) == ""
    for k in range(2 * MOST):  # of one host, then of as many as it likes
        peers.admit(made_up(k), "10.0.9.9:1", 1.0)
    for k in range(2 * MOST):
        peers.admit(made_up(k), f"10.1.{k // 250}.{k % 250}:1", 2.0)
    assert peers.admit(BOB, HERE, 3.0) == "too many components"
    assert peers.place(BOB) is None
    assert peers.admit(ANN, THERE, RELEASE - 1.0) == "other address"
    assert peers.place(ANN) == HERE
    assert peers.admit(BOB, HERE, 1.0 + RELEASE) == ""  # somebody was silent for long


def test_one_host_leaves_room_for_others() -> None:
    peers = Peers()
    answers = [peers.admit(made_up(k), THERE, 0.0) for k in range(MOST_OF_HOST + 1)]
    assert answers == [""] * MOST_OF_HOST + ["too many components"]
    assert peers.admit(ANN, HERE, 0.0) == ""
    assert peers.admit(made_up(7), "10.0.0.2:6000", 0.0) == ""  # who is known stays so


def test_the_longest_silent_gives_way_and_never_who_is_needed() -> None:
    peers = Peers(lambda who: who == made_up(0))
    for k in range(MOST_OF_HOST):
        peers.admit(made_up(k), HERE, float(k) / 100)
    peers.admit(made_up(1), HERE, 5.0)
    assert peers.admit(ANN, HERE, 2.0 + RELEASE) == ""
    assert peers.place(made_up(0)) is not None
    assert peers.place(made_up(1)) is not None
    assert peers.place(made_up(2)) is None
