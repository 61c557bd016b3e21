"""A JAUS controller of our own, over a real socket: what drives, in tests."""

import socket
import time
from collections.abc import Callable

from movenv.gateways.jaus import messages as m
from movenv.gateways.jaus import subscriptions as s
from movenv.gateways.jaus.codec import JausDecoder, encode
from movenv.gateways.jaus.message import Message, decode_message, encode_message
from movenv.gateways.jaus.packet import Address, Packet
from movenv.gateways.jaus.scaled import Dialect

OPERATOR = Address(126, 1, 20)


class Controller:
    """Asks, and remembers all that it hears."""

    def __init__(
        self,
        port: int,
        to: Address,
        own: Address = OPERATOR,
        dialect: Dialect = Dialect.SAE,
        host: str = "127.0.0.1",
    ) -> None:
        self.to, self.own, self.dialect = to, own, dialect
        self.heard: list[Message] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((host, 0))
        self._socket.connect(("127.0.0.1", port))
        self._socket.setblocking(False)
        self._decoder = JausDecoder()
        self._sequence = 0

    def say(self, message: Message) -> None:
        self._sequence = (self._sequence + 1) % 2**16
        packet = Packet(self.to, self.own, b"", self._sequence)
        for data in encode(message, packet, self.dialect):
            self._socket.send(data)

    def send_raw(self, data: bytes) -> None:
        self._socket.send(data)

    def listen(self) -> list[Message]:
        """What has come since."""
        found: list[Message] = []
        while True:
            try:
                data = self._socket.recv(65536)
            except (BlockingIOError, ConnectionRefusedError):
                break
            said = [heard.said for heard in self._decoder.decode(data)]
            found += [self._opened(one) for one in said if isinstance(one, Message)]
        self.heard += found
        return found

    def _opened(self, message: Message) -> Message:
        if isinstance(message, s.Event):
            return decode_message(message.report, self.dialect)
        return message

    def wait(
        self, kind: type[Message], again: Callable[[], None] | None = None, timeout: float = 20
    ) -> Message:
        """The next message of a kind; `again` is done all the while."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            if again is not None:
                again()
            for message in self.listen():
                if isinstance(message, kind):
                    return message
            time.sleep(0.02)
        raise AssertionError(f"no {kind.__name__} in {timeout} s")

    def subscribe(self, query: Message, rate: float) -> None:
        """A report again and again, in the way of the dialect."""
        if self.dialect is Dialect.SAE:
            inner = encode_message(query, Dialect.SAE)
            self.say(s.CreateEvent(1, s.When.PERIODIC, rate, inner))
            self.wait(s.ConfirmEventRequest)
        else:
            wanted = getattr(query, "wanted", 0)
            self.say(s.CreateServiceConnection(query.code ^ 0x6000, rate, wanted))
            answer = self.wait(s.ConfirmServiceConnection)
            assert answer.response == s.Connected.SUCCESSFUL

    def drive(self, throttle: float = 0.0, yaw: float = 0.0, brake: float = 0.0) -> None:
        """Shares of the whole; yaw to the right."""
        effort = m.SetWrenchEffort(
            propulsive_x=100 * throttle, propulsive_yaw=100 * yaw, resistive_x=100 * brake
        )
        self.say(effort)

    def close(self) -> None:
        self._socket.close()
