"""What the carrier of each real vehicle is told of the run around it."""

from dataclasses import dataclass

import numpy as np

from movenv.gateways.view import NearView, NoticeView, OwnView, View
from movenv.scenario.build import Stage
from movenv.world.columns import VidIndex
from movenv.world.frames import heading_deg
from movenv.world.kinds import Origin
from movenv.world.messages import Heard, Notices, Report, VehicleStates
from movenv.world.run_state import RunState

NEAREST = 12
OVER_AFTER = 3.0
"""A pair that is under notice again within this time, s, is no news: a fix wanders by metres."""


@dataclass
class Episode:
    """A pair under notice: how bad it has been, since when, and when it was last told."""

    worst: int
    sent: float
    latest: float


class Views:
    """Makes views, and remembers since when each pair has been under notice."""

    def __init__(self, stage: Stage) -> None:
        self._roster = stage.roster
        self._index = VidIndex(stage.roster.vids)
        self._frame = stage.frame
        self._reach = stage.scenario.awareness.range
        self._levels = list(stage.scenario.notices.levels)
        self._episodes: dict[tuple[int, int], Episode] = {}

    def hear(self, notices: Notices, sent: float) -> None:
        """Note which pairs are newly under notice or at a worse level; `sent` by the Core, UTC."""
        pairs = zip(notices.vid.tolist(), notices.other.tolist(), strict=True)
        for pair, level in zip(pairs, notices.level.tolist(), strict=True):
            before = self._episodes.get(pair)
            if before is None or level > before.worst:
                self._episodes[pair] = Episode(level, sent, sent)
            else:
                before.latest = sent
        over = [pair for pair, e in self._episodes.items() if sent - e.latest > OVER_AFTER]
        for pair in over:
            del self._episodes[pair]

    def of(
        self,
        wanted: set[int],
        own: Report,
        everyone: VehicleStates,
        notices: Notices,
        state: RunState,
        utc: float,
    ) -> dict[int, View]:
        """For each of these vehicles: itself, who is near, and who is too near."""
        rows = {vid: i for i, vid in enumerate(everyone.vid.tolist())}
        receptions = {vid: i for i, vid in enumerate(own.receptions.vid.tolist())}
        views = {}
        for vid in wanted:
            row = rows.get(vid)
            if row is None or vid not in receptions:
                views[vid] = View(state.name, own.t, utc, None, [], [])
                continue
            me = self._own(everyone, row, own, receptions[vid])
            near = self._near(everyone, row)
            views[vid] = View(state.name, own.t, utc, me, near, self._too_near(vid, me, notices))
        return views

    def _own(self, everyone: VehicleStates, row: int, own: Report, at: int) -> OwnView:
        place = ("x", "y", "z", "lat", "lon", "heading_deg", "speed")
        quality = ("accuracy", "age", "delay", "loss", "battery")
        return OwnView(
            **{name: _short(getattr(everyone, name)[row], name) for name in place},
            health=Heard(own.receptions.heard[at]).name.lower(),
            **{name: _short(getattr(own.receptions, name)[at]) for name in quality},
        )

    def _near(self, everyone: VehicleStates, row: int) -> list[NearView]:
        dx, dy, dz = (
            getattr(everyone, axis) - getattr(everyone, axis)[row] for axis in ("x", "y", "z")
        )
        distance = np.sqrt(dx * dx + dy * dy + dz * dz)
        distance[row] = np.inf
        nearest = np.argsort(distance)[:NEAREST]
        nearest = nearest[distance[nearest] <= self._reach]
        bearing = self._bearing(everyone.x[row], everyone.y[row], dx[nearest], dy[nearest])
        in_roster = self._index.rows(everyone.vid[nearest])
        roster = self._roster
        return [
            NearView(
                vid=int(everyone.vid[i]),
                name=roster.names[r],
                kind=str(roster.kinds[roster.kind[r]]),
                origin=Origin(roster.origin[r]).name.lower(),
                x=_short(everyone.x[i]),
                y=_short(everyone.y[i]),
                z=_short(everyone.z[i]),
                distance=_short(distance[i]),
                bearing_deg=_short(b),
                heading_deg=_short(everyone.heading_deg[i]),
                speed=_short(everyone.speed[i]),
            )
            for i, b, r in zip(nearest, bearing, in_roster, strict=True)
        ]

    def _too_near(self, vid: int, me: OwnView, notices: Notices) -> list[NoticeView]:
        mine = notices.take(np.flatnonzero(notices.vid == vid))
        bearing = self._bearing(me.x, me.y, mine.x - me.x, mine.y - me.y)
        found = []
        for i, other in enumerate(mine.other.tolist()):
            episode, level = self._episodes[vid, other], int(mine.level[i])
            found.append(
                NoticeView(
                    id=f"{vid}-{other}-{episode.worst}-{episode.sent:.3f}",
                    vid=other,
                    name=self._roster.names[int(self._index.rows(mine.other[i : i + 1])[0])],
                    level=level,
                    level_name=self._levels[level - 1],
                    distance=_short(mine.distance[i]),
                    bearing_deg=_short(bearing[i]),
                    t_cpa=_short(mine.t_cpa[i]),
                    d_cpa=_short(mine.d_cpa[i]),
                    sent=episode.sent,
                )
            )
        return sorted(found, key=lambda notice: (-notice.level, notice.distance))

    def _bearing(self, x: float, y: float, dx: np.ndarray, dy: np.ndarray) -> np.ndarray:
        """Degrees clockwise from true north, as seen from a place."""
        _, _, convergence = self._frame.columns_to_geodetic(np.array([x]), np.array([y]))
        bearing: np.ndarray = heading_deg(np.arctan2(dy, dx), convergence[0])
        return bearing


def _short(value: float, name: str = "") -> float:
    """With as many digits as somebody can use: a datagram has little room."""
    return round(float(value), 7 if name in ("lat", "lon") else 2)
