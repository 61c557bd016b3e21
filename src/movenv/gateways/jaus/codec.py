"""Datagrams to messages and back, in both framings; told apart by the first bytes."""

from dataclasses import dataclass, replace

from movenv.gateways.fix import NothingInIt, Unreadable
from movenv.gateways.jaus import judp, reference
from movenv.gateways.jaus import messages as messages  # known as soon as they are imported
from movenv.gateways.jaus import subscriptions as subscriptions
from movenv.gateways.jaus.message import Message, decode_message, encode_message
from movenv.gateways.jaus.packet import Acknowledge, Assembly, Packet
from movenv.gateways.jaus.scaled import Dialect


@dataclass(frozen=True)
class Heard:
    dialect: Dialect
    packet: Packet
    said: Message | Unreadable
    """What it means, or why it means nothing to us."""


class JausDecoder:
    """Listens on one port, to as many senders as there are."""

    def __init__(self) -> None:
        self._assemblies = {dialect: Assembly() for dialect in Dialect}

    def decode(self, data: bytes, sender: str = "") -> list[Heard]:
        """What is complete with this datagram; raises Unreadable if it is no JAUS at all.

        Parts of large messages come from the same `sender`.
        """
        if data.startswith(reference.PREFIX):
            return self._heard(reference.decode(data), Dialect.REFERENCE, sender)
        return self._heard(judp.decode(data), Dialect.SAE, sender)

    def _heard(self, packets: list[Packet], dialect: Dialect, sender: str) -> list[Heard]:
        found = []
        for packet in packets:
            said: Message | Unreadable
            try:
                whole = self._assemblies[dialect].add(packet, sender)
                if whole is None:
                    continue
                packet, said = whole, _meant(whole, dialect)
            except Unreadable as error:
                said = error
            found.append(Heard(dialect, packet, said))
        return found


def _meant(packet: Packet, dialect: Dialect) -> Message:
    if packet.acknowledge in (Acknowledge.REFUSED, Acknowledge.DONE):
        raise NothingInIt("an acknowledgement")  # which may repeat the message it is for
    return decode_message(packet.payload, dialect)


def encode(message: Message, packet: Packet, dialect: Dialect) -> list[bytes]:
    """Datagrams with the message, addressed as the packet is."""
    addressed = replace(packet, payload=encode_message(message, dialect))
    return judp.encode(addressed) if dialect is Dialect.SAE else reference.encode(addressed)
