"""A run that never was, in which units take orders on a ground with water, woods and roads."""

import time
from typing import Any

import msgspec
from tests.web.synthetic import SyntheticFeed

from movenv.recording.layouts import EventRecord
from movenv.web.feed import FeedRefused

SCENARIO = """\
name: ordered
description: units that take orders
origin: {lat: 29.193111, lon: -81.046171}
areas:
  field: {square: 400}
terrain:
  features:
    - {kind: lake, name: mirror, polygon: [[60, 20], [150, 30], [160, 110], [90, 130], [50, 80]]}
    - {kind: river, name: creek, line: [[-300, -60], [-100, -50], [60, -90], [300, -70]], width: 18}
    - {kind: road, name: a1, line: [[-40, -250], [-30, -70], [-60, 90], [0, 250]], width: 7}
    - {kind: bridge, name: old-bridge, line: [[-29, -100], [-31, -30]], width: 9}
    - {kind: canopy, name: oaks, polygon: [[-190, 40], [-110, 60], [-120, 150], [-200, 140]]}
    - {kind: tree_line, name: hedge, line: [[-90, 10], [40, -10]], width: 5}
    - {kind: building, name: barn, at: [-120, -120], rectangle: [40, 22]}
    - {kind: tower, name: mast, at: [120, -140], radius: 4}
    - {kind: soil, name: bog, soil: mud, polygon: [[-20, 140], [120, 150], [90, 230], [-10, 220]]}
  scatter:
    - {kind: tree, count: 60, within: field, radius: [1, 3]}
vehicles:
  - {name: nobody, kind: ground, start: {at: [0, 0]}}
"""
TOO_FAST = 99.0
"""Nobody goes at such a speed, m/s: an order to do so is refused."""


class OrderedFeed(SyntheticFeed):
    """The first half is unit alpha, the rest bravo; every fifth takes no orders."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        roster = msgspec.structs.replace(
            self.record.roster,
            units=["alpha", "bravo"],
            unit=[int(row >= count // 2) for row in range(count)],
            obeys=[row % 5 != 4 for row in range(count)],
        )
        self.record = msgspec.structs.replace(self.record, roster=roster, scenario=SCENARIO)
        self.asked: list[dict[str, Any]] = []
        self.standing: list[dict[str, Any]] = []

    def order(self, wish: dict[str, Any], who: str) -> dict[str, Any]:
        self.asked.append(wish)
        if wish.get("speed", 0.0) >= TOO_FAST:
            raise FeedRefused(f"nobody goes {wish['speed']:g} m/s")
        number, told = len(self.asked), self._takers(wish)
        vids = [self.record.roster.vids[row] for row in told]
        left = [one | {"vids": [v for v in one["vids"] if v not in vids]} for one in self.standing]
        self.standing = [one for one in left if one["vids"]]
        if wish["what"] != "resume":
            self.standing.append(
                {
                    "number": number, "what": wish["what"], "t": self.t, "who": who, "vids": vids,
                    "unit": wish.get("unit"), "spacing": wish.get("spacing"), "leader": vids[0],
                    "places": [[at["lon"], at["lat"]] for at in wish["to"]],
                    "formation": wish.get("formation"), "speed": wish.get("speed"),
                    "roads": wish.get("roads", "off"), "arrived": False,
                }
            )  # fmt: skip
        text = f"{len(told)} vehicles: {wish['what']}"
        self.events.append(EventRecord(self.t, time.time(), "order", text, who, vids))
        names = [self.record.roster.names[row] for row in told]
        return {"number": number, "t": self.t, "vehicles": names}

    def _takers(self, wish: dict[str, Any]) -> list[int]:
        roster = self.record.roster
        unit = roster.units.index(wish["unit"]) if wish.get("unit") else -1
        asked = [
            row
            for row, name in enumerate(roster.names)
            if name in wish["vehicles"] or roster.unit[row] == unit
        ]
        return [row for row in asked if roster.obeys[row]]

    def remark(self, vid: int, text: str) -> None:
        name = self.record.roster.names[self.record.roster.vids.index(vid)]
        said = EventRecord(self.t, time.time(), "remark", f"{name}: {text}", "", [vid])
        self.events.append(said)

    def status(self) -> dict[str, Any]:
        return super().status() | {"orders": self.standing}
