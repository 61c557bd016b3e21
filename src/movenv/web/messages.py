"""What the console's interface takes and gives, as its OpenAPI description tells."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

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
