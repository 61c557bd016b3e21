"""A serial line, through pyserial."""

from typing import Any

from movenv.gateways.part import GatewayFailed
from movenv.gateways.streams import CHUNK, POLL


class SerialConnection:
    """An open serial port; nobody else can have it meanwhile."""

    def __init__(self, port: str, baud: int) -> None:
        """Raises OSError, or GatewayFailed where pyserial is missing."""
        self.sender = f"{port}:0"
        self._serial = _pyserial().Serial(port, baud, timeout=POLL, exclusive=True)

    def read(self) -> bytes:
        data: bytes = self._serial.read(min(max(1, self._serial.in_waiting), CHUNK))
        return data

    def close(self) -> None:
        self._serial.close()


def _pyserial() -> Any:
    try:
        import serial
    except ImportError as error:
        raise GatewayFailed(
            "a serial line needs pyserial, which is not installed: pip install 'movenv[phones]'"
        ) from error
    return serial
