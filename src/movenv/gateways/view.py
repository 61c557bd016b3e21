"""What the carrier of a phone is told: the run, its own vehicle, who is near, who is too near.

Sent as JSON; what is not known is null.
"""

import msgspec

DATAGRAM = 1400
"""Bytes that fit into one datagram on any network."""


class OwnView(msgspec.Struct):
    """The vehicle itself, as everybody sees it. Metres, m/s, seconds; battery and loss 0 to 1."""

    x: float
    y: float
    z: float
    lat: float
    lon: float
    heading_deg: float
    speed: float
    health: str
    """`heard`, `stale` or `unheard`."""
    accuracy: float
    age: float
    delay: float
    loss: float
    battery: float


class NearView(msgspec.Struct):
    """Another vehicle. `bearing_deg` is where to look: clockwise from true north."""

    vid: int
    name: str
    kind: str
    origin: str
    """`real` or `virtual`."""
    x: float
    y: float
    z: float
    distance: float
    bearing_deg: float
    heading_deg: float
    speed: float


class NoticeView(msgspec.Struct):
    """The Core's word that another is too near. `id` changes when it gets worse, and only then."""

    id: str
    vid: int
    name: str
    level: int
    """1 is the outermost."""
    level_name: str
    distance: float
    bearing_deg: float
    t_cpa: float
    d_cpa: float
    """When, in s, and how near, in m, if both go straight on; t_cpa is 0 when moving apart."""
    sent: float
    """When the Core first said so at the worst level so far: seconds since 1970."""


class View(msgspec.Struct):
    """One update, ten times a second."""

    run_state: str
    t: float
    utc: float
    own: OwnView | None
    """None until it is heard."""
    near: list[NearView]
    """The nearest first, a dozen at most."""
    notices: list[NoticeView]
    """The worst first."""

    def encoded(self) -> bytes:
        return msgspec.json.encode(self)

    def fitted(self, limit: int = DATAGRAM) -> bytes:
        """The same for a datagram: with as many neighbours, and then notices, as there is room."""
        view = self
        while len(data := view.encoded()) > limit and (view.near or view.notices):
            fewer = "near" if view.near else "notices"
            view = msgspec.structs.replace(view, **{fewer: getattr(view, fewer)[:-1]})
        return data
