"""Questions on the bus, with real sessions."""

import threading
import time

import pytest

from movenv.runtime.live.bus import Bus, BusError

from .processes import free_port

KEY = "movenv/test/question"


def test_who_asks_before_anybody_listens_is_answered_all_the_same() -> None:
    """A host that was killed together with the Core may be back before the Core listens."""
    address = f"tcp/127.0.0.1:{free_port()}"
    with Bus.listen([address], None) as core, Bus.connect(address) as host:
        late = threading.Timer(0.5, lambda: core.answer(KEY, lambda data: data + b"!"))
        late.start()
        assert host.ask(KEY, b"here", timeout=10) == b"here!"
        late.join()


def test_without_an_answer_it_is_given_up_in_time() -> None:
    address = f"tcp/127.0.0.1:{free_port()}"
    with Bus.listen([address], None), Bus.connect(address) as host:
        began = time.monotonic()
        with pytest.raises(BusError, match="does not answer"):
            host.ask(KEY, b"", timeout=0.5)
        assert 0.4 < time.monotonic() - began < 2
