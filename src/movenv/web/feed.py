"""What the console shows, whether it happens now or is read from a recording.

A `Feed` is one run. Every browser watches it through a `Source` of its own: in a live run all see
the same instant, in a replay each its own. Everything here is called in the server's event loop
and must not keep it waiting; what takes longer belongs into a thread of the feed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from movenv.recording.layouts import EventRecord, RunRecord
from movenv.runtime.live.wheel_wire import Dashboard
from movenv.web.placed_scan import PlacedScan
from movenv.world.columns import F4, F8
from movenv.world.messages import Encounters, VehicleStates
from movenv.world.run_state import RunState


class FeedRefused(Exception):
    """What was asked of a feed cannot be done; the message is for the user."""


@dataclass(frozen=True)
class Moment:
    """Everyone at one instant. Rows of `vehicles` are those of the roster."""

    tick: int
    t: float
    utc: float
    """Wall clock, seconds since 1970; 0 where there was none."""
    run_state: RunState
    vehicles: VehicleStates
    encounters: Encounters


@dataclass(frozen=True)
class History:
    """Where everyone was, oldest first: what a tail is drawn of."""

    t: F8
    """One entry a point."""
    lat: F8
    """Points × vehicles, degrees; nan where nobody knew."""
    lon: F8
    x: F4
    y: F4
    z: F4

    @classmethod
    def empty(cls, vehicles: int) -> "History":
        blank = np.empty((0, vehicles))
        return cls(np.empty(0), blank, blank, *(blank.astype(np.float32) for _ in range(3)))

    def distances(self, row: int, other: int) -> NDArray[np.float64]:
        """Between two vehicles, one entry a point."""
        squares = [(axis[:, row] - axis[:, other]) ** 2 for axis in (self.x, self.y, self.z)]
        return np.sqrt(np.sum(squares, axis=0, dtype=np.float64))


@dataclass(frozen=True)
class Sighted:
    """One searcher's last word on one target, for the map."""

    row: int
    target: int
    """Rows of the roster."""
    sighting: str
    """found, seen or lost."""
    t: float
    lat: float
    lon: float


@dataclass(frozen=True)
class Happenings:
    """What a recording holds, for an overview."""

    notices: list[tuple[float, int]]
    """When pairs came nearer, and the worst level then; thinned to what a line can show."""
    marks: list[float]
    steps: list[float]
    """When missions went on; thinned alike."""
    gaps: list[tuple[float, float]]
    """Between which times nothing is recorded."""
    remarks: list[str]
    """What is wrong with the recording, in words."""


@dataclass
class News:
    """What a viewer has not been told yet. None and empty mean: nothing new."""

    events: list[EventRecord] = field(default_factory=list)
    forget_events: bool = False
    """The log begins anew with `events`: a replay was moved to another place."""
    sighted: list[Sighted] | None = None
    """All that holds now."""
    happenings: Happenings | None = None
    """All of a recording, as far as it has been looked through."""
    status: dict[str, Any] | None = None
    """Where the run stands: see docs/reference/console.md."""


class Source(Protocol):
    """One viewer's eyes on the run."""

    async def changed(self) -> None:
        """Return when a moment or news may have come; at least every second."""

    def moment(self) -> Moment | None:
        """The newest; None before anybody was stated."""

    def jumped(self) -> bool:
        """Whether time made a jump since this was last asked: tails begin anew."""

    def news(self) -> News:
        """What has not been told yet; asking makes it told."""

    async def history(self) -> History:
        """The last while before the present moment."""

    def watch_scans(self, rows: list[int]) -> None:
        """Look at the scans of these vehicles, and of no others, as far as there are any."""

    def scans(self) -> list[PlacedScan] | None:
        """All that are to be seen now; None where those are the ones that were told last."""

    def control(self, wish: dict[str, Any]) -> None:
        """Move a replay. Raises FeedRefused with words for the user."""

    def close(self) -> None:
        """Nobody watches any more."""


class Feed(Protocol):
    """One run and how to watch it."""

    record: RunRecord
    source: str
    """Where the scenario or the recording is, for people."""
    replay: dict[str, float] | None
    """Of a recording: `start` and `end`, s. None for a live run."""

    def open(self) -> Source:
        """A viewer has come."""

    def close(self) -> None:
        """The server ends."""


class SteeringWheel(Protocol):
    """The wheel of a vehicle; see `runtime.driving.Wheel`."""

    lost: str

    def turn(
        self, steer: float, throttle: float, brake: float, gear: int = 1, pitch: float = 0.0
    ) -> int: ...

    def release(self, braked: bool = False) -> None: ...


class Wheels(Protocol):
    """Where wheels and cameras come from. Called in threads; raise FeedRefused."""

    def take_wheel(
        self, vehicle: str, who: str, authority: int, shown: Callable[[Dashboard], None]
    ) -> SteeringWheel:
        """The wheel of a vehicle."""

    def free_wheel(self, vehicle: str, who: str) -> None:
        """Take the wheel from whoever has it."""

    def watch_camera(
        self, vid: int, camera: str, shown: Callable[[bytes], None]
    ) -> Callable[[], None]:
        """Pictures of a vehicle's camera, until what is returned is called."""


class Operations(Wheels, Protocol):
    """What an operator may do to a live run. Called in threads; raise FeedRefused."""

    def command(self, state: RunState, who: str) -> dict[str, Any]:
        """Change the run state; returns `state` and `silent`, the vehicles that were not heard."""

    def mark(self, text: str, who: str) -> dict[str, Any]:
        """Write a mark into the recording; returns its `t`."""

    def order(self, wish: dict[str, Any], who: str) -> dict[str, Any]:
        """Have vehicles do something, in the words of the interface, as far as they are said.

        Returns `number`, `t` and the names in `vehicles`.
        """

    def links(self) -> list[dict[str, Any]]:
        """Join links: vehicle, url, connected, used; none where no phone can join."""

    def change_link(self, vehicle: str, what: str) -> None:
        """`renew` or `revoke` a join link."""
