"""What goes out, and who asked for it."""

from dataclasses import dataclass

from movenv.gateways.jaus.message import Message
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.scaled import Dialect


@dataclass(frozen=True)
class Asker:
    """Who said something, and in which dialect."""

    address: Address
    dialect: Dialect
    sequence: int = 0
    """Of the packet."""


@dataclass(frozen=True)
class Said:
    """A message on its way out."""

    to: Address
    dialect: Dialect
    message: Message
    serves: bool = False
    """Whether it goes by a service connection."""


Answer = list[Message | Said]
"""Messages go to whoever asked."""
