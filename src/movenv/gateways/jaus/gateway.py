"""Listens to vehicles that report their poses by JAUS, and asks those that want to be asked."""

import threading
from collections import OrderedDict
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from movenv.gateways.config import Entry, HostAndPort, LiveConfig, Port
from movenv.gateways.fix import Fix, Unreadable
from movenv.gateways.inlet import Inlet
from movenv.gateways.jaus import judp
from movenv.gateways.jaus.asking import Asking
from movenv.gateways.jaus.codec import encode
from movenv.gateways.jaus.fixes import FixDecoder, Word
from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Address, Packet, address_in
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.part import Gateway, GatewayFailed, Reader, Surroundings
from movenv.gateways.udp import UdpListener

LOOK_EVERY = 0.5
"""How often it is looked who must be asked again, s."""
MOST_SENDERS = 256
"""Addresses whose velocities and half-heard messages are remembered."""


def _component(text: str) -> str:
    return str(address_in(text))


Component = Annotated[str, AfterValidator(_component)]


class JausConfig(LiveConfig):
    """A vehicle that speaks JAUS."""

    component: Component
    """SUBSYSTEM.NODE.COMPONENT that reports its pose, such as 126.1.10."""
    port: Port = judp.PORT
    """The UDP port here to which it reports, and from which it is asked."""
    at: HostAndPort | None = None
    """HOST:PORT where it is asked for its reports; default: it sends them unasked."""
    dialect: Literal["sae", "reference"] = "sae"
    """In which it is asked: AS5669A, or the Reference Architecture; it is heard in both."""
    own: Component = "126.254.1"
    """The component as which it is asked."""
    rate: float = Field(
        5.0, gt=0, le=100, description="reports a second that it is asked for, or rehearsed with"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.token is not None:
            raise ValueError("JAUS shows no token: pin the `address` instead")
        if self.device is not None:
            raise ValueError("a JAUS vehicle calls itself by its `component`; leave device out")
        if self.at is None and self.model_fields_set & {"dialect", "own"}:
            raise ValueError("dialect and own are for asking; say where, with `at`")
        for text in (self.component, self.own):
            if not address_in(text).fits(Dialect(self.dialect)):
                raise ValueError(f"'{text}': subsystems of dialect reference end at 254")
        return self

    @property
    def known_as(self) -> str | None:
        return self.component


class JausGateway(Gateway):
    """One thread listens on all ports, another asks."""

    Config = JausConfig
    name = "jaus"

    def __init__(self, entries: list[Entry], inlet: Inlet, around: Surroundings) -> None:
        super().__init__(entries, inlet, around)
        self._whose = {_place(entry): entry for entry in entries}
        self._asked = {
            entry.vid: Asking(Dialect(_config(entry).dialect), _config(entry).rate)
            for entry in entries
            if _config(entry).at is not None
        }
        self._decoders: OrderedDict[tuple[int, str], FixDecoder] = OrderedDict()
        ports = sorted({_config(entry).port for entry in entries})
        self._listener = UdpListener(ports, around.bind, self._datagram)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._asker = threading.Thread(target=self._ask, name="jaus asks", daemon=True)
        self._sequence = 0

    @classmethod
    def reader(cls) -> Reader:
        return FixDecoder().decode

    def check(self) -> None:
        for entry in self.entries:
            known = self._whose[_place(entry)]
            if known is not entry:
                raise GatewayFailed(
                    f"{entry.name} and {known.name} are both component {entry.device} at UDP port "
                    f"{_config(entry).port}, and could not be told apart"
                )

    def open(self) -> None:
        self.check()
        self._listener.open()
        if self._asked:
            self._asker.start()

    def close(self) -> None:
        self._closing.set()
        if self._asker.ident is not None:
            self._asker.join()
        for entry in self.entries:
            if entry.vid in self._asked:
                self._say(entry, self._asked[entry.vid].close())
        self._listener.close()

    def invitations(self) -> list[str]:
        return [f"{entry.name}: {self._invitation(entry)}" for entry in self.entries]

    def _invitation(self, entry: Entry) -> str:
        config = _config(entry)
        if config.at is not None:
            return f"be JAUS component {config.component} at {config.at}"
        here = f"{self.around.shown}:{config.port}"
        return f"report Global Pose as JAUS component {config.component} over UDP to {here}"

    # --- what comes

    def _datagram(self, data: bytes, sender: str, port: int) -> None:
        decoder, now = self._decoder(port, sender), self.inlet.clock()
        word: Word | Unreadable
        try:
            word = decoder.hear(data)
        except Unreadable as reason:
            word = reason
        entry = None if isinstance(word, Unreadable) else self._whose.get((port, word.by))

        def decode(_data: bytes) -> list[Fix]:
            if isinstance(word, Unreadable):
                raise word
            if entry is None:
                raise Unreadable("unknown component")
            return decoder.fixes(word, now)

        why_not = self.receive(data, sender, decode, entry.vid if entry else 0)
        if entry is not None and isinstance(word, Word) and entry.vid in self._asked:
            self._answered(entry, word, not why_not)

    def _decoder(self, port: int, sender: str) -> FixDecoder:
        key = port, sender.rpartition(":")[0]
        decoder = self._decoders.setdefault(key, FixDecoder())
        self._decoders.move_to_end(key)
        if len(self._decoders) > MOST_SENDERS:
            self._decoders.popitem(last=False)
        return decoder

    def _answered(self, entry: Entry, word: Word, is_fix: bool) -> None:
        asking = self._asked[entry.vid]
        with self._lock:
            if is_fix:
                asking.reported(self.inlet.clock())
            told = [asking.answered(message) for message in word.said]
        for words in filter(None, told):
            self.inlet.happened("gateway", f"{entry.name} {words}", entry.vid)

    # --- what goes

    def _ask(self) -> None:
        while True:
            for entry in self.entries:
                if entry.vid in self._asked:
                    with self._lock:
                        wishes = self._asked[entry.vid].due(self.inlet.clock())
                    self._say(entry, wishes)
            if self._closing.wait(LOOK_EVERY):
                return

    def _say(self, entry: Entry, messages: list[Message]) -> None:
        config = _config(entry)
        to, own = address_in(config.component), address_in(config.own)
        dialect = Dialect(config.dialect)
        if dialect is Dialect.REFERENCE:
            to, own = to._replace(instance=1), own._replace(instance=1)
        for message in messages:
            self._sequence = (self._sequence + 1) % 2**16
            for data in encode(message, Packet(to, own, b"", self._sequence), dialect):
                self._listener.send(data, config.at or "", config.port)


def _place(entry: Entry) -> tuple[int, Address]:
    config = _config(entry)
    return config.port, address_in(config.component)


def _config(entry: Entry) -> JausConfig:
    assert isinstance(entry.config, JausConfig)
    return entry.config
