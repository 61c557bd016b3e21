"""What the console's interface takes and gives, as its OpenAPI description tells."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Vehicle = Annotated[str, Field(max_length=80)]
Local = Annotated[list[float], Field(min_length=2, max_length=3)]
Who = Annotated[str, Field(max_length=60, description="who asks, for the event log")]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class TicketWish(Body):
    """A ticket as the browser was opened with."""

    ticket: str = Field(max_length=100)


class Token(BaseModel):
    """To be shown with every request."""

    token: str


class SignedWish(Body):
    """What stands in the event log with the name of whoever asks."""

    who: Who = ""

    @property
    def signed(self) -> str:
        """So that nobody can sign as the Core."""
        return f"{self.who} (console)" if self.who.strip() else "console"


class StateWish(SignedWish):
    """A change of the run state."""

    state: Literal["READY", "SET", "GO", "PAUSE", "STOP"]


class MarkWish(SignedWish):
    """A mark in the recording."""

    text: str = Field(min_length=1, max_length=500)


class DriveLink(BaseModel):
    """What opens the drive page of a vehicle."""

    vehicle: str
    url: str
    svg: str = Field(description="the same as a QR code")


class GeoPlace(Body):
    """A place on the globe, degrees and metres above the sea."""

    lat: float
    lon: float
    alt: float | None = None


class OrderWish(SignedWish):
    """What vehicles shall do: what cannot be done is refused as a whole."""

    what: str = Field(max_length=20, description="go, form, hold or resume")
    vehicles: list[Vehicle] = Field(
        default_factory=list, max_length=10_000, description="names, or patterns such as tank-*"
    )
    unit: str | None = Field(None, max_length=80, description="all of a unit that take orders")
    to: list[GeoPlace | Local] = Field(
        default_factory=list,
        max_length=1000,
        description="where to go, in turn: {lat, lon, alt}, or [x, y] or [x, y, z] in local metres",
    )
    speed: float | None = Field(None, description="m/s; default: each one's cruising speed")
    roads: str | None = Field(None, max_length=20, description="off, prefer or only")
    formation: str | None = Field(
        None, max_length=80, description="column, line, wedge, vee, echelon or diamond"
    )
    spacing: float | None = Field(None, description="between neighbours in the formation, m")
    leader: str | None = Field(None, max_length=80, description="who leads; default: the first")


class Ordered(BaseModel):
    """An order that was given."""

    number: int
    t: float
    """When in the run, s."""
    vehicles: list[str]
    """Whom it was given to."""


class StandingOrder(BaseModel):
    """An order that holds: nobody was told otherwise since."""

    number: int
    what: Literal["go", "form", "hold"]
    t: float
    who: str
    vids: list[int]
    unit: str | None
    places: list[tuple[float, float]]
    """Longitude and latitude."""
    formation: str | None
    spacing: float | None
    leader: int | None
    speed: float | None
    roads: Literal["off", "prefer", "only"]
    arrived: bool
    """Whether all who go have come to the last place."""


class LinkWish(Body):
    """What to do with a join link."""

    action: Literal["renew", "revoke"]


class StateDone(BaseModel):
    """Where the run stands now."""

    state: str
    silent: list[str]
    """Vehicles that were not heard, the first few."""


class Marked(BaseModel):
    """When the mark was set, s."""

    t: float


class JoinLink(BaseModel):
    """A link by which a phone becomes a vehicle; no url when it was revoked."""

    vehicle: str
    url: str
    used: bool
    connected: bool
    svg: str


class Distances(BaseModel):
    """How far two vehicles were apart lately."""

    t: list[float]
    distance: list[float | None]


class Refused(BaseModel):
    """Why not, in words."""

    detail: str
