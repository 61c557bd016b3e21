"""Scaled integers: real numbers of a known range in 8, 16 or 32 bits.

AS6009 counts from the lower limit in an unsigned integer. The Reference Architecture does so only
where the range begins at zero; elsewhere it counts from the middle in a signed integer that never
takes its lowest value.
"""

from dataclasses import dataclass
from enum import Enum


class Dialect(Enum):
    """Which family of documents a message follows."""

    SAE = "sae"
    """AS5669A, AS5710 and AS6009."""
    REFERENCE = "reference"
    """The Reference Architecture 3.2 and 3.3."""


@dataclass(frozen=True)
class Scale:
    low: float
    high: float
    size: int
    """Bytes of the integer."""

    def signed(self, dialect: Dialect) -> bool:
        return dialect is Dialect.REFERENCE and self.low < 0.0

    def quantum(self, dialect: Dialect) -> float:
        """The real number that one count is worth."""
        steps = (1 << 8 * self.size) - (2 if self.signed(dialect) else 1)
        return (self.high - self.low) / steps

    def write(self, value: float, dialect: Dialect) -> bytes:
        """To the nearest count, halves to the even one; what is out of range at its limit."""
        within = min(max(value, self.low), self.high)
        count = round((within - self._zero(dialect)) / self.quantum(dialect))
        return count.to_bytes(self.size, "little", signed=self.signed(dialect))

    def read(self, data: bytes, dialect: Dialect) -> float:
        count = int.from_bytes(data, "little", signed=self.signed(dialect))
        value = count * self.quantum(dialect) + self._zero(dialect)
        return min(max(value, self.low), self.high)

    def _zero(self, dialect: Dialect) -> float:
        """What a count of zero stands for."""
        return (self.low + self.high) / 2.0 if self.signed(dialect) else self.low
