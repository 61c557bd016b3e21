"""The fields of which messages are made, one behind the other, as their bytes."""

from dataclasses import dataclass
from typing import Any, Protocol

from movenv.gateways.fix import Unreadable
from movenv.gateways.jaus.packet import Address
from movenv.gateways.jaus.scaled import Dialect, Scale
from movenv.gateways.jaus.stamp import Stamp, stamp_of_bits


class Reader:
    """Takes bytes off the front."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise Unreadable("cut off")
        self._at += count
        return self._data[self._at - count : self._at]

    def integer(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def left(self) -> int:
        return len(self._data) - self._at


class Field(Protocol):
    """How a value stands in a message. Dialects that `only` leaves out know no such field."""

    @property
    def only(self) -> Dialect | None: ...

    def read(self, reader: Reader, dialect: Dialect) -> Any: ...

    def write(self, value: Any, dialect: Dialect) -> bytes: ...


@dataclass(frozen=True)
class Integer:
    size: int
    only: Dialect | None = None

    def read(self, reader: Reader, _: Dialect) -> int:
        return reader.integer(self.size)

    def write(self, value: int, _: Dialect) -> bytes:
        return value.to_bytes(self.size, "little")


class Scaled:
    """A real number; `reference` is the range of the Reference Architecture, if another."""

    only = None

    def __init__(
        self, size: int, low: float, high: float, reference: tuple[float, float] | None = None
    ) -> None:
        old_low, old_high = reference or (low, high)
        self.scales = {
            Dialect.SAE: Scale(low, high, size),
            Dialect.REFERENCE: Scale(old_low, old_high, size),
        }

    def read(self, reader: Reader, dialect: Dialect) -> float:
        scale = self.scales[dialect]
        return scale.read(reader.take(scale.size), dialect)

    def write(self, value: float, dialect: Dialect) -> bytes:
        return self.scales[dialect].write(value, dialect)


class TimeStamp:
    only = None

    def read(self, reader: Reader, _: Dialect) -> Stamp:
        return stamp_of_bits(reader.integer(4))

    def write(self, value: Stamp, _: Dialect) -> bytes:
        return value.bits().to_bytes(4, "little")


class Whom:
    """An address in a body, where it stands the other way round than in a header."""

    only = None

    def read(self, reader: Reader, dialect: Dialect) -> Address:
        if dialect is Dialect.REFERENCE:
            return Address(*reader.take(4))
        return Address(reader.integer(2), *reader.take(2))

    def write(self, value: Address, dialect: Dialect) -> bytes:
        if dialect is Dialect.REFERENCE:
            return bytes(value)
        return value.subsystem.to_bytes(2, "little") + bytes((value.node, value.component))


class Enclosed:
    """Another message, code and body, behind its length."""

    only = None

    def read(self, reader: Reader, _: Dialect) -> bytes:
        size = reader.integer(4)
        if size < 2:
            raise Unreadable("a message without a code")
        return reader.take(size)

    def write(self, value: bytes, _: Dialect) -> bytes:
        return len(value).to_bytes(4, "little") + value


@dataclass(frozen=True)
class Variant:
    """One of several integers, and in front of it a byte that tells which one."""

    sizes: tuple[int, ...]
    only: Dialect | None = None

    def read(self, reader: Reader, _: Dialect) -> tuple[int, int]:
        which = reader.integer(1)
        if which >= len(self.sizes):
            raise Unreadable("an unknown variant")
        return which, reader.integer(self.sizes[which])

    def write(self, value: tuple[int, int], _: Dialect) -> bytes:
        which, number = value
        return bytes((which,)) + number.to_bytes(self.sizes[which], "little")


@dataclass(frozen=True)
class Listed:
    """Records of the same fields, one behind the other, behind a byte with their number."""

    fields: tuple[Field, ...]
    only: Dialect | None = None

    def read(self, reader: Reader, dialect: Dialect) -> tuple[tuple[Any, ...], ...]:
        return tuple(
            tuple(field.read(reader, dialect) for field in self.fields)
            for _ in range(reader.integer(1))
        )

    def write(self, value: tuple[tuple[Any, ...], ...], dialect: Dialect) -> bytes:
        return bytes((len(value),)) + b"".join(
            field.write(one, dialect)
            for record in value
            for field, one in zip(self.fields, record, strict=True)
        )


@dataclass(frozen=True)
class Text:
    """UTF-8 in a fixed number of bytes, zeros behind it; or, in AS5710, behind its length."""

    size: int
    counted: bool = False
    only: Dialect | None = None

    def read(self, reader: Reader, dialect: Dialect) -> str:
        data = reader.take(reader.integer(1) if self._is_counted(dialect) else self.size)
        return data.split(b"\0")[0].decode(errors="ignore")

    def write(self, value: str, dialect: Dialect) -> bytes:
        counted = self._is_counted(dialect)
        data = value.encode()[: 255 if counted else self.size]
        data = data.decode(errors="ignore").encode()
        return bytes([len(data)]) + data if counted else data.ljust(self.size, b"\0")

    def _is_counted(self, dialect: Dialect) -> bool:
        return self.counted and dialect is Dialect.SAE
