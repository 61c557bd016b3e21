"""A run that never was: vehicles on circles, for tests of the console and for looking at it.

python tests/web/synthetic.py 500 --port 7499
"""

import argparse
import asyncio
import io
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from movenv.recording.layouts import EventRecord, RosterRecord, RunRecord
from movenv.runtime.live.wheel_wire import Dashboard
from movenv.web.feed import FeedRefused, History, Moment, News, Sighted
from movenv.web.placed_scan import PlacedScan, place_scan
from movenv.world.frames import Frame
from movenv.world.kinds import Kind, Origin
from movenv.world.messages import Encounters, Health, Roster, VehicleStates
from movenv.world.run_state import LEGAL, IllegalMove, RunState, RunStateMachine
from movenv.world.scan import Pose, Scan
from movenv.world.sensor import ScanLayout

ORIGIN = (29.193111, -81.046171, 0.0)
FRAME = Frame(*ORIGIN)
KINDS = ["pedestrian", "ground", "aerial/fixedwing", "aerial/rotorcraft", "surface", "underwater"]
GROUND = 1
BEHAVIORS = ["wander", "periodic_turn", "stay_in_bounds", "avoid"]
LEVELS = {"advisory": 20.0, "caution": 10.0, "warning": 5.0}
TICK = 0.1
SCANNED = ScanLayout(360, 0.0, math.radians(1.0), 0.0, 0.1, 0.1, 50.0)
WALL, VIRTUAL = 12.0, math.radians(15)
"""How far the walls of scans are, m, and how wide is whoever was put into them."""
SCENARIO = """\
name: synthetic
description: vehicles on circles
origin: {lat: 29.193111, lon: -81.046171}
areas:
  field: {square: 400}
  pond: {circle: 60, center: [80, -60]}
vehicles:
  - name: ground-2
    kind: ground
    model: {type: car}
    start: {at: [0, 0]}
    sensors: {front: {type: camera}}
  - {name: ground-8, kind: ground, start: {at: [9, 0]}}
fidelity: {vehicle: 2, sensors: 2, algorithms: 1, environment: 2, pedestrians: 3}
"""


def photograph(width: int = 320, height: int = 240) -> bytes:
    """A road through a field, as a JPEG."""
    image = Image.new("RGB", (width, height), (150, 190, 225))
    draw = ImageDraw.Draw(image)
    far = height * 0.45
    draw.rectangle((0, far, width, height), (104, 132, 84))
    for at, high in ((0.08, 40), (0.2, 26), (0.78, 30), (0.9, 46)):
        draw.rectangle((at * width, far - high, at * width + high, far + 4), (122, 110, 104))
    middle = width / 2
    road = [(middle - 8, far), (middle + 8, far), (width * 0.92, height), (width * 0.08, height)]
    draw.polygon(road, (84, 86, 92))
    for near in (0.5, 0.58, 0.7, 0.86):
        thick = (near - 0.42) * 12
        draw.line((middle, near * height, middle, near * height + thick * 4), (235, 235, 225),
                  round(thick))  # fmt: skip
    data = io.BytesIO()
    image.save(data, "JPEG", quality=85)
    return data.getvalue()


PICTURE = photograph()


def roster(count: int) -> Roster:
    rows = np.arange(count)
    kind = (rows % len(KINDS)).astype(np.uint8)
    words = [KINDS[k].split("/")[-1] for k in kind]
    return Roster(
        vids=(rows + 1).astype(np.uint32),
        names=[f"{words[i]}-{i + 1}" for i in rows],
        kinds=[Kind.parse(kind) for kind in KINDS],
        kind=kind,
        origin=np.where(rows % 10 == 0, Origin.REAL, Origin.VIRTUAL).astype(np.uint8),
        length=np.full(count, 2.0),
        behaviors=BEHAVIORS,
        driven=[bool(k == GROUND) for k in kind],
    )


def record(count: int) -> RunRecord:
    return RunRecord(
        format=1, movenv="0", scenario=SCENARIO, name="synthetic", seed=7, started_utc=1.7e9,
        origin=ORIGIN, tick=TICK, levels=LEVELS, every_pair=True,
        fidelity={"vehicle": 2, "sensors": 2, "algorithms": 1, "environment": 2, "pedestrians": 3},
        changes=[], roster=RosterRecord.of(roster(count)), run_id="synthetic",
    )  # fmt: skip


def states(count: int, t: float, state: RunState = RunState.GO) -> VehicleStates:
    """Everyone at a time: vehicle i goes round a circle of its own."""
    rows = np.arange(count)
    rng = np.random.default_rng(3)
    spread = 12.0 * math.sqrt(count) + 40
    middle = rng.uniform(-spread, spread, (2, count))
    radius = 15.0 + 25.0 * rng.random(count)
    turn = rng.uniform(0, math.tau, count) + t * 5.0 / radius
    columns: dict[str, Any] = {name: np.zeros(count) for name in VehicleStates.dtypes}
    columns["x"] = middle[0] + radius * np.cos(turn)
    columns["y"] = middle[1] + radius * np.sin(turn)
    columns["z"] = np.where(rows % 6 >= 2, 20.0, 0.0) * (rows % 6 <= 3)
    columns["lat"], columns["lon"], _ = FRAME.to_geodetic(columns["x"], columns["y"])
    columns["yaw"] = turn + math.pi / 2
    columns["heading_deg"] = (-np.degrees(turn)) % 360
    columns["speed"] = np.full(count, 5.0)
    columns["vid"] = rows + 1
    columns["behavior"] = 1 + (rows + int(t / 5)) % len(BEHAVIORS)
    columns["run_state"] = np.full(count, int(state))
    health = np.full(count, int(Health.HEARD))
    health[rows % 37 == 5] = Health.LOST
    health[rows % 50 == 20] = Health.STALE
    columns["health"] = health
    columns["age"] = np.where(health == Health.HEARD, 0.0, t)
    return VehicleStates(columns)


def encounters(vehicles: VehicleStates) -> Encounters:
    """Every pair under notice, found by looking at all; for small fleets."""
    if len(vehicles) > 600:
        return Encounters.empty()
    place = np.column_stack([vehicles.x, vehicles.y, vehicles.z])
    apart = np.linalg.norm(place[:, None] - place[None], axis=2)
    one, other = np.nonzero(np.triu(apart < 40.0, 1))
    columns: dict[str, Any] = {name: np.zeros(len(one)) for name in Encounters.dtypes}
    columns |= {"vid": one + 1, "other": other + 1, "distance": apart[one, other]}
    columns["level"] = 1 + (columns["distance"] < 20) + (columns["distance"] < 10)
    return Encounters(columns)


class SyntheticWheel:
    """The wheel of a car that drives on the spot, and shows each turn after a while, s."""

    def __init__(
        self, vehicle: str, who: str, shown: Callable[[Dashboard], None], after: float
    ) -> None:
        self.vehicle, self.who, self._shown, self._after = vehicle, who, shown, after
        self.lost = ""
        self.answers = True
        """Whether it shows anything."""
        self.turns: list[tuple[float, ...]] = []
        self.released: list[bool] = []

    def turn(
        self, steer: float, throttle: float, brake: float, gear: int = 1, pitch: float = 0.0
    ) -> int:
        self.turns.append((steer, throttle, brake, gear, pitch))
        number = len(self.turns)
        speed = [0.0] * 6 + [20.0 * throttle * gear] + [0.0] * 3
        wheel = steer, throttle, brake, gear, pitch
        dashboard = Dashboard(1, number, number * TICK, 7, number, speed, wheel, 0.0)
        if not self.answers:
            return number
        if self._after:
            threading.Timer(self._after, self._shown, [dashboard]).start()
        else:
            self._shown(dashboard)
        return number

    def release(self, braked: bool = False) -> None:
        self.released.append(braked)


class SyntheticFeed:
    """Feed and operations in one, by the wall clock."""

    source = "synthetic.yaml"
    replay = None

    def __init__(self, count: int) -> None:
        self.count = count
        self.record = record(count)
        self.machine = RunStateMachine()
        for state in (RunState.SET, RunState.GO):
            self.machine.move(state)
        self.began = time.monotonic()
        self.events = [EventRecord(0.0, time.time(), "state", "SET to GO", "auto", [])]
        self.orders: list[dict[str, Any]] = []
        """What was ordered, as it was said."""
        self.changed_links: list[tuple[str, str]] = []
        self.watched: list[int] = []
        """Rows whose scans a browser looks at."""
        self.wheels: list[SyntheticWheel] = []
        self.shows_after = 0.0
        self.freed: list[str] = []
        self.filmed: list[str] = []
        """Cameras that are looked through."""
        self._moment: Moment | None = None

    def take_wheel(
        self, vehicle: str, who: str, authority: int, shown: Callable[[Dashboard], None]
    ) -> SyntheticWheel:
        assert authority == 100
        if any(wheel.vehicle == vehicle for wheel in self._held()):
            raise FeedRefused(f"'{vehicle}' is driven by somebody")
        self.wheels.append(SyntheticWheel(vehicle, who, shown, self.shows_after))
        return self.wheels[-1]

    def free_wheel(self, vehicle: str, who: str) -> None:
        self.freed.append(f"{vehicle} {who}")
        for wheel in self._held():
            if wheel.vehicle == vehicle:
                wheel.lost = f"{who} has taken it back"

    def _held(self) -> list[SyntheticWheel]:
        return [wheel for wheel in self.wheels if not wheel.released and not wheel.lost]

    def watch_camera(
        self, vid: int, camera: str, shown: Callable[[bytes], None]
    ) -> Callable[[], None]:
        name, ended = f"{vid} {camera}", threading.Event()
        self.filmed.append(name)

        def film() -> None:
            shown(PICTURE)
            while not ended.wait(TICK):
                shown(PICTURE)

        def end() -> None:
            ended.set()
            self.filmed.remove(name)

        threading.Thread(target=film, daemon=True).start()
        return end

    @property
    def t(self) -> float:
        return round((time.monotonic() - self.began) / TICK) * TICK

    def moment(self) -> Moment:
        tick = round(self.t / TICK)
        if self._moment is None or (
            self._moment.tick != tick and self.machine.state == RunState.GO
        ):
            vehicles = states(self.count, tick * TICK)
            pairs = encounters(vehicles)
            self._moment = Moment(tick, tick * TICK, time.time(), RunState.GO, vehicles, pairs)
        return self._moment

    def scan(self, row: int) -> PlacedScan:
        """Walls north and south of a vehicle, and east of it a virtual vehicle."""
        moment = self.moment()
        middle = Pose(*(float(getattr(moment.vehicles, name)[row]) for name in ("x", "y")), 0.0)
        angles = np.arange(SCANNED.beams) * SCANNED.angle_increment
        with np.errstate(divide="ignore"):
            wall = np.abs(WALL / np.sin(angles))
        virtual = np.abs(np.angle(np.exp(1j * angles))) < VIRTUAL
        ranges = np.where(virtual, WALL, np.where(wall < 2 * WALL, wall, np.inf))
        scan = Scan(moment.tick, moment.t, SCANNED, ranges.astype(np.float32))
        return place_scan(row, scan, virtual, middle, FRAME)

    def open(self) -> "SyntheticSource":
        return SyntheticSource(self)

    def close(self) -> None: ...

    def command(self, state: RunState, who: str) -> dict[str, Any]:
        before = self.machine.state
        try:
            self.machine.move(state)
        except IllegalMove as error:
            raise FeedRefused(str(error)) from None
        text = f"{before.name} to {state.name}"
        self.events.append(EventRecord(self.t, time.time(), "state", text, who, []))
        return {"state": state.name, "silent": []}

    def mark(self, text: str, who: str) -> dict[str, Any]:
        self.events.append(EventRecord(self.t, time.time(), "mark", text, who, []))
        return {"t": self.t}

    def order(self, wish: dict[str, Any], who: str) -> dict[str, Any]:
        names = wish.get("vehicles", [])
        if not set(names) <= set(self.record.roster.names):
            raise FeedRefused("no vehicle is called that")
        self.orders.append(wish)
        self.events.append(EventRecord(self.t, time.time(), "order", wish["what"], who, []))
        return {"number": len(self.orders), "t": self.t, "vehicles": names}

    def links(self) -> list[dict[str, Any]]:
        url = "https://192.168.1.5:47443/j/0123456789abcdef"
        return [{"vehicle": "medic", "url": url, "used": False, "connected": False}]

    def change_link(self, vehicle: str, what: str) -> None:
        self.changed_links.append((vehicle, what))
        if vehicle != "medic":
            raise FeedRefused(f"no vehicle '{vehicle}' joins through a link")

    def status(self) -> dict[str, Any]:
        state, names = self.machine.state, self.record.roster.names
        host = {
            "host": "host-1", "vehicles": self.count, "health": "ok", "margin": 0.84,
            "margin_p5": 0.7, "lag": 0.0004, "worst_lag": 0.003, "age": 0.05, "loss": 0.0,
            "clock_offset": 0.0, "clock_uncertainty": 0.0001, "refused": {},
        }  # fmt: skip
        real = [
            {
                "row": row, "heard": "heard", "accuracy": 4.0, "age": 0.4, "delay": 0.1,
                "loss": 0.02, "battery": 0.8, "rate": 1.0, "accepted": 100, "rejected": 2,
            }
            for row in range(0, self.count, 10)
        ]  # fmt: skip
        return {
            "state": state.name, "tick": round(self.t / TICK), "t": self.t, "utc": time.time(),
            "duration": 600.0, "speed": 1.0, "legal": [s.name for s in LEGAL[state]],
            "missing": [{"what": "medic's phone", "why": "last heard 14 s ago", "vid": 1}],
            "missing_more": 0,
            "core": {
                "margin_p5": 0.9, "lag": 0.0002, "worst_lag": 0.004, "missed_ticks": 0,
                "carried_ticks": 0, "refused": {},
            },
            "hosts": [host, host | {"host": "gateway", "health": "silent for 3.1 s"}],
            "recorders": ["recorder"], "host_of": [int(i % 10 == 0) for i in range(self.count)],
            "real": real,
            "summary": {
                "notices": {"advisory": 12, "caution": 4, "warning": 1}, "detections": 2,
                "closest": {"distance": 3.2, "names": ["ground-2", "surface-5"], "t": 12.3},
            },
            "given_up": 0,
            "wheels": [
                {
                    "vehicle": wheel.vehicle, "vid": names.index(wheel.vehicle) + 1,
                    "who": wheel.who, "person": True, "authority": 100, "abandoned": False,
                }
                for wheel in self._held()
            ],
        }  # fmt: skip


class SyntheticSource:
    def __init__(self, feed: SyntheticFeed) -> None:
        self._feed = feed
        self._told = 0
        self._status_at = 0.0
        self._scans_told: tuple[int, list[int]] = (-1, [])

    async def changed(self) -> None:
        left = TICK - (time.monotonic() - self._feed.began) % TICK
        await asyncio.sleep(left + 0.001)

    def moment(self) -> Moment:
        return self._feed.moment()

    def jumped(self) -> bool:
        return False

    def news(self) -> News:
        news = News(events=self._feed.events[self._told :])
        self._told = len(self._feed.events)
        if time.monotonic() - self._status_at > 1:
            first = self._status_at == 0
            self._status_at = time.monotonic()
            news.status = self._feed.status()
            if first and self._feed.count > 6:
                news.sighted = [Sighted(3, 6, "found", 1.0, ORIGIN[0] + 3e-4, ORIGIN[1] + 3e-4)]
        return news

    async def history(self) -> History:
        now = self._feed.moment().t
        t = np.arange(max(0.0, now - 60), now, 1.0)
        past = [states(self._feed.count, float(one)) for one in t]
        if not past:
            return History.empty(self._feed.count)
        columns = {
            name: np.array([getattr(one, name) for one in past]) for name in ("lat", "lon")
        } | {name: np.array([getattr(one, name) for one in past], np.float32) for name in "xyz"}
        return History(t, **columns)

    def watch_scans(self, rows: list[int]) -> None:
        self._feed.watched = rows

    def scans(self) -> list[PlacedScan] | None:
        watched = self._feed.watched
        present = self._feed.moment().tick if watched else -1, watched
        if present == self._scans_told:
            return None
        self._scans_told = present
        return [self._feed.scan(row) for row in watched]

    def control(self, wish: dict[str, Any]) -> None:
        raise FeedRefused(f"this run is live; {wish} is for replays")

    def close(self) -> None: ...


def main() -> None:
    from movenv.web.serve import Place, serve_console

    parser = argparse.ArgumentParser()
    parser.add_argument("vehicles", type=int, nargs="?", default=50)
    parser.add_argument("--port", type=int, default=7499)
    chosen = parser.parse_args()
    feed = SyntheticFeed(chosen.vehicles)
    place = Place(port=chosen.port)
    ends = lambda _end: None  # noqa: E731
    serve_console(feed, feed, place, None, browser=False, say=print, on_end=ends)


if __name__ == "__main__":
    main()
