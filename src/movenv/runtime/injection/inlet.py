"""How a vehicle's software reads its scans, so that a layer may come and go while it runs."""

import threading
import time
from collections.abc import Callable

from movenv.gateways.fix import Unreadable
from movenv.gateways.scans.codec import encode_datagram, read_scan
from movenv.runtime.injection.on_bus import checked_name
from movenv.runtime.injection.order import PATIENCE, Delivery, ScanOrder
from movenv.runtime.live import bus as keys
from movenv.runtime.live.bus import Bus
from movenv.runtime.live.clock import SECOND
from movenv.world.scan import Scan

Handler = Callable[[Scan, bool], None]


class ScanInlet:
    """Hands over every scan once and in order: altered while there is a layer, else as it is.

    A layer that starts, stops or is killed costs no scan and doubles none. Scans must be numbered.
    """

    def __init__(
        self, bus: Bus, raw: str, altered: str, handler: Handler, patience: int = PATIENCE
    ) -> None:
        """`raw` and `altered` are names on the bus: `--from` and `--to` of the layer.

        `handler` gets a scan and whether it came through the layer, in a thread of ours. A scan
        waits for the layer no longer than `patience`, ns. Raises EndpointRefused.
        """
        self.unreadable = 0
        self.order = ScanOrder(patience)
        self._handler = handler
        self._changed = threading.Condition()
        self._closing = False
        writer = keys.scan_writer_key(checked_name(altered))
        bus.watch_alive(writer, lambda _, here: self._do(lambda now: self.order.layer(here, now)))
        bus.hear(keys.scan_key(altered), lambda _, data: self._take(self.order.altered, data))
        bus.hear(keys.scan_key(checked_name(raw)), lambda _, data: self._take(self.order.raw, data))
        threading.Thread(target=self._watch, name="scans", daemon=True).start()

    def close(self) -> None:
        """Nothing is handed over any more."""
        with self._changed:
            self._closing = True
            self._changed.notify()

    def _take(self, put: Callable[[int, bytes, int], list[Delivery]], data: bytes) -> None:
        try:
            number = read_scan(data).scan.number
        except Unreadable:
            self.unreadable += 1
            return
        self._do(lambda now: put(number, data, now))

    def _do(self, what: Callable[[int], list[Delivery]]) -> None:
        with self._changed:
            self._hand_over(what(time.monotonic_ns()))
            self._changed.notify()

    def _hand_over(self, deliveries: list[Delivery]) -> None:
        """Under the lock: they must not overtake each other."""
        if not self._closing:
            for delivery in deliveries:
                self._handler(read_scan(delivery.data).scan, delivery.altered)

    def _watch(self) -> None:
        """Hand over what has waited long enough."""
        with self._changed:
            while not self._closing:
                due = self.order.due()
                wait = None if due is None else max(0, due - time.monotonic_ns()) / SECOND
                self._changed.wait(wait)
                self._hand_over(self.order.ready(time.monotonic_ns()))


class ScanOutlet:
    """How a scanner's driver puts scans on the bus."""

    def __init__(self, bus: Bus, name: str) -> None:
        self._send = bus.sender(keys.scan_key(checked_name(name)), urgent=True, patient=True)

    def write(self, scan: Scan) -> None:
        self._send(encode_datagram(scan))
