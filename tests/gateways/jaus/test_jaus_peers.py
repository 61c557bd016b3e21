"""Where a component is believed to be, and for how long."""

from movenv.gateways.door import RELEASE
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.peers import MOST, Peers

ANN, BOB = Address(126, 1, 20), Address(126, 1, 21)


def test_nobody_speaks_for_somebody_at_another_host() -> None:
    peers = Peers()
    assert peers.place(ANN) is None
    assert peers.admit(ANN, "10.0.0.1:5000", 0.0)
    assert not peers.admit(ANN, "10.0.0.2:5000", 1.0)
    assert peers.place(ANN) == "10.0.0.1:5000"
    assert peers.admit(BOB, "10.0.0.2:5000", 1.0)  # for itself it may
    assert peers.admit(ANN, "10.0.0.1:6000", 50.0)  # a program that was started anew
    assert peers.place(ANN) == "10.0.0.1:6000"
    assert not peers.admit(ANN, "10.0.0.2:5000", 50.0 + RELEASE - 1)
    assert peers.admit(ANN, "10.0.0.2:5000", 50.0 + RELEASE)
    assert peers.place(ANN) == "10.0.0.2:5000"


def test_the_longest_silent_are_forgotten() -> None:
    peers = Peers()
    for k in range(MOST):
        assert peers.admit(Address(k + 1, 1, 1), "10.0.0.1:5000", float(k))
    peers.admit(Address(1, 1, 1), "10.0.0.1:5000", 2000.0)
    peers.admit(ANN._replace(instance=9), "10.0.0.1:5000", 2001.0)
    assert peers.place(Address(1, 1, 1)) is not None
    assert peers.place(Address(2, 1, 1)) is None
