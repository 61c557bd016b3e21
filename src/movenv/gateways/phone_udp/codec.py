"""CSV datagrams of HyperIMU and SensorLog, told apart by what stands in them."""

from collections.abc import Callable

from movenv.gateways.fix import Fix, NothingInIt, Unreadable
from movenv.gateways.phone_udp.hyperimu import encode_hyperimu, read_hyperimu
from movenv.gateways.phone_udp.sensorlog import encode_sensorlog, is_sensorlog, read_sensorlog

ENCODERS: dict[str, Callable[[Fix], bytes]] = {
    "hyperimu": encode_hyperimu,
    "sensorlog": encode_sensorlog,
}


def decode(data: bytes) -> list[Fix]:
    """The fixes of all lines of a datagram. Raises Unreadable if there is none."""
    try:
        text = data.decode().strip()
    except UnicodeDecodeError as error:
        raise Unreadable("garbled") from error
    if "\n" not in text and "#" not in text:
        return [_line(text)]
    fixes = []
    reasons = []
    for line in text.replace("#", "\n").split("\n"):
        if line := line.strip():
            try:
                fixes.append(_line(line))
            except Unreadable as reason:
                reasons.append(str(reason))
    if not fixes:
        # That it has no fix says more than that a line of names came along.
        raise Unreadable(min(reasons, key="header".__eq__, default="garbled"))
    return fixes


def _line(line: str) -> Fix:
    fields = line.split(",")
    try:
        return read_sensorlog(fields) if is_sensorlog(fields) else read_hyperimu(fields)
    except Unreadable:
        if len(fields) > 2 and all(field.strip()[:1].isalpha() for field in fields):
            raise NothingInIt("header") from None
        raise
