"""A serial line, through pyserial."""

import contextlib
from collections.abc import Iterator
from typing import Any

from movenv.gateways.part import GatewayFailed
from movenv.gateways.streams import CHUNK, POLL


class SerialConnection:
    """An open serial port; nobody else can have it meanwhile."""

    def __init__(self, port: str, baud: int) -> None:
        """Raises OSError, or GatewayFailed where pyserial is missing."""
        self.sender = f"{port}:0"
        serial = _pyserial()
        with _as_oserror():
            self._serial = serial.Serial(port, baud, timeout=POLL, exclusive=True)

    def read(self) -> bytes:
        with _as_oserror():
            data: bytes = self._serial.read(min(max(1, self._serial.in_waiting), CHUNK))
        return data

    def close(self) -> None:
        self._serial.close()


@contextlib.contextmanager
def _as_oserror() -> Iterator[None]:
    """A line that comes back or goes just now makes termios fail, with an error of its own kind."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        if type(error).__module__ != "termios":  # which Windows has not
            raise
        raise OSError(*error.args) from error


def _pyserial() -> Any:
    try:
        import serial
    except ImportError as error:
        raise GatewayFailed(
            "a serial line needs pyserial, which is not installed: pip install 'movenv[phones]'"
        ) from error
    return serial
