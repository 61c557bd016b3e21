"""Where scans come from and go to: the seam between the injection layer and a vehicle's programs.

A kind of endpoint is a class for each direction, known under the word before the colon:
`udp:127.0.0.1:2368` is a `UdpSource` or `UdpSink` made with `127.0.0.1:2368`. ROS topics would be a
package with a `RosSource`, whose `run` turns each `LaserScan` into a line or a datagram
(`gateways.scans`) and hands it over, a `RosSink` that does the reverse, and an entry point `ros` of
the group `movenv.endpoints` that names their `Endpoint`.
"""

import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Literal

from movenv.runtime.errors import WrongInput
from movenv.runtime.live.bus import Bus

Form = Literal["datagram", "line"]
Take = Callable[[bytes], None]


class ScanSource(ABC):
    """Where scans come from."""

    form: Form | None = None
    """The only form that comes from here; None for either."""
    waits: bool = False
    """Whether what comes from here comes whenever it is wanted, as from a file."""

    @abstractmethod
    def run(self, take: Take) -> None:
        """Hand over what comes, one at a time and without delay, until it ends or is closed.

        `take` may be called in any one thread.
        """

    @abstractmethod
    def close(self) -> None:
        """Let `run` return. Called in another thread."""


class ScanSink(ABC):
    """Where scans go."""

    form: Form | None = None
    """The only form that may be written; None for either."""
    lost: int = 0
    """How many scans could not be sent."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send one scan."""

    def leave(self) -> None:  # noqa: B027 - most have nobody to tell
        """Tell those who read here that no more will come soon. What is written still arrives."""

    @abstractmethod
    def close(self) -> None:
        """Nothing is written any more."""


class EndpointRefused(WrongInput):
    """An endpoint that cannot be; the message is for the user."""


@dataclass(frozen=True)
class Endpoint:
    """How to make both directions of a kind: each is given what stands after the colon, and a way
    to the bus for those who need it, which raises BusError where there is no Core."""

    source: Callable[[str, Callable[[], Bus]], ScanSource]
    sink: Callable[[str, Callable[[], Bus]], ScanSink]


ENDPOINTS: dict[str, Endpoint] = {}
"""By the word before the colon. What has none is a file, or `-`."""
FILE = "file"
GROUP = "movenv.endpoints"
"""Of the entry points by which other packages bring theirs."""


def register(word: str, endpoint: Endpoint) -> None:
    """Make a kind of endpoint known."""
    ENDPOINTS[word] = endpoint


def kind_of(text: str) -> tuple[Endpoint, str]:
    """The kind that somebody wrote, and what stands after the colon. Raises EndpointRefused."""
    word, colon, rest = text.partition(":")
    if not colon:
        return ENDPOINTS[FILE], text
    installed = entry_points(group=GROUP)
    if word not in ENDPOINTS and word in installed.names:
        register(word, installed[word].load())
    if word not in ENDPOINTS:
        kinds = ", ".join(f"{word}:" for word in sorted({*ENDPOINTS, *installed.names} - {FILE}))
        raise EndpointRefused(f"'{text}' is no endpoint; they begin with {kinds} or name a file")
    if not rest:
        raise EndpointRefused(f"'{text}' names nothing after the colon")
    return ENDPOINTS[word], rest


def host_and_port(text: str) -> tuple[str, int]:
    """Raises EndpointRefused."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 <= int(port) < 65536:
        raise EndpointRefused(f"'{text}' is no address; one is 127.0.0.1:2368")
    host = host.strip("[]")
    try:
        socket.getaddrinfo(host, int(port), type=socket.SOCK_DGRAM)
    except OSError:
        raise EndpointRefused(f"'{text}' is no address: '{host}' is not found") from None
    return host, int(port)
