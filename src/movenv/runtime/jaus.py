"""The JAUS gateway: some vehicles of a live run as JAUS components at one UDP port."""

import contextlib
import math
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from movenv.gateways.fix import Unreadable
from movenv.gateways.jaus import judp, reference
from movenv.gateways.jaus.codec import Heard, JausDecoder, encode
from movenv.gateways.jaus.component import Component
from movenv.gateways.jaus.control import NOBODY
from movenv.gateways.jaus.messages import SetEmergency
from movenv.gateways.jaus.packet import Address, Packet
from movenv.gateways.jaus.peers import Peers
from movenv.gateways.jaus.saying import Said
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.sight import Sight
from movenv.gateways.udp import UdpListener
from movenv.parts.registry import suggestion
from movenv.recording.cdr import DecodeError
from movenv.recording.layouts import SNAPSHOT_LAYOUT, SNAPSHOTS, RunRecord
from movenv.runtime.driving import Wheel, WheelRefused
from movenv.runtime.errors import WrongInput
from movenv.runtime.jaus_desk import Desk
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.wheel_wire import Dashboard
from movenv.runtime.live.wire import Beacon, Garbled, Mark, Records
from movenv.world.frames import Frame, heading_deg, inertial_to_body
from movenv.world.kinds import Origin
from movenv.world.messages import Health, Roster, VehicleStates
from movenv.world.model import MOTION
from movenv.world.run_state import RunState

NOTE_PATIENCE = 2.0
VELOCITY = {"x": "vx", "y": "vy", "z": "vz"}
"""Of each place how it changes."""
ANEW = 10.0
"""A vehicle that was seen so much earlier than before lives in a run that began anew, s."""


class Seen(NamedTuple):
    """A sight of a vehicle."""

    t: float
    """Run time."""
    yaw: float
    rate: float
    lost: bool


class BusWheel:
    """The wheel of one vehicle, as often as somebody takes it."""

    def __init__(self, bus: Bus, vehicle: str, shown: Callable[[Dashboard], None]) -> None:
        self._bus, self._vehicle, self._shown = bus, vehicle, shown
        self._wheel: Wheel | None = None

    def take(self, who: str, authority: int) -> str:
        before = self._wheel
        try:
            self._wheel = Wheel(self._bus, self._vehicle, who, False, authority, self._shown)
        except (WheelRefused, BusError) as error:
            return str(error)
        if before is not None:
            with contextlib.suppress(WheelRefused, BusError):  # it is another's: ours
                before.release(braked=True)
        return ""

    def turn(self, steer: float, throttle: float, brake: float, gear: int) -> None:
        if self._wheel is not None:
            self._wheel.turn(steer, throttle, brake, gear)

    def release(self, braked: bool) -> None:
        wheel, self._wheel = self._wheel, None
        if wheel is not None:
            with contextlib.suppress(WheelRefused, BusError):  # then it was not ours any more
                wheel.release(braked)

    @property
    def lost(self) -> str:
        return self._wheel.lost if self._wheel is not None else "let go"


class JausGateway:
    """Hears and answers for its vehicles until it is closed."""

    def __init__(
        self,
        bus: Bus,
        record: RunRecord,
        run: str,
        vehicles: Mapping[str, Address],
        bind: str,
        port: int,
        timeout: float,
    ) -> None:
        """Raises WrongInput for a vehicle that there is not, GatewayFailed for the port."""
        self._frame, self._run, self._tick = Frame(*record.origin), run, record.tick
        self._roster: Roster = record.roster.roster()
        self._decoder = JausDecoder()
        self.refused: Counter[str] = Counter()
        """Datagrams that were no JAUS, or for nobody here."""
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._peers = Peers(self._needs)
        self._sequence = 0
        self._seen: dict[str, Seen] = {}
        """By vehicle: when it was last seen."""
        self._second = 1.0
        """How long a second of the run takes, s."""
        self.components = {
            name: self._component(bus, name, address, timeout) for name, address in vehicles.items()
        }
        self._bus = bus
        self._desks = {
            name: Desk(one, self._say, self._note) for name, one in self.components.items()
        }
        self._rows = {name: self._roster.names.index(name) for name in vehicles}
        self._listener = UdpListener([port], bind, self._on_datagram)
        self._listener.open()
        self.port = self._listener.ports[0]
        for desk in self._desks.values():
            desk.open()
        bus.hear(keys.RECORDS, self._on_records)
        bus.hear(keys.BEACON, self._on_beacon)

    def _component(self, bus: Bus, name: str, address: Address, timeout: float) -> Component:
        if name not in self._roster.names:
            known = suggestion(name, self._roster.names)
            raise WrongInput(f"nobody is called '{name}' in this run.{known}")
        row = self._roster.names.index(name)
        drivable = bool(self._roster.driven) and self._roster.driven[row]

        def shown(dashboard: Dashboard) -> None:
            motion = dict(zip(MOTION, dashboard.motion, strict=True))
            self._see(name, dashboard.t, time.time(), motion)

        wheel = BusWheel(bus, name, shown) if drivable else None
        return Component(address, name, wheel, self._tick, timeout)

    def run(self) -> None:
        """Until `stop`, or the end of the run."""
        self._over.wait()
        with ThreadPoolExecutor(len(self._desks)) as pool:  # none waits for another's Core
            list(pool.map(Desk.close, self._desks.values()))
        self._listener.close()

    def stop(self, _why: str = "") -> None:
        self._over.set()

    # --- what comes, in threads of the bus and of the port

    def _on_datagram(self, data: bytes, sender: str, _port: int) -> None:
        try:
            found = self._decoder.decode(data, sender)
        except Unreadable as reason:
            self.refused[str(reason)] += 1
            return
        for heard in found:
            self._pass_on(heard, sender)

    def _pass_on(self, heard: Heard, sender: str) -> None:
        meant = [desk for desk in self._desks.values() if desk.component.is_meant(heard)]
        if not meant:  # who speaks to nobody here need not be remembered
            self.refused["for nobody here"] += 1
            return
        with self._lock:
            why_not = self._peers.admit(heard.packet.source, sender, time.monotonic())
        if why_not:
            self._not_believed(heard, meant, why_not)
            return
        framing = judp if heard.dialect is Dialect.SAE else reference
        for desk in meant:
            done = desk.component.acknowledged(heard)
            for data in framing.encode(done) if done is not None else []:
                self._listener.send(data, sender, self.port)
            desk.hear(heard)

    def _needs(self, who: Address) -> bool:
        return any(component.needs(who) for component in self.components.values())

    def _not_believed(self, heard: Heard, meant: list[Desk], why_not: str) -> None:
        """Also a stranger may stop a vehicle; but as nobody, who is neither answered nor alive."""
        if not isinstance(heard.said, SetEmergency):
            self.refused[why_not] += 1
            return
        stop = replace(heard, packet=replace(heard.packet, source=NOBODY))
        for desk in meant:
            desk.hear(stop)

    def _on_beacon(self, _key: str, data: bytes) -> None:
        with contextlib.suppress(Garbled):  # another comes soon
            beacon = wire.decode(Beacon, data)
            if beacon.run != self._run:
                return
            if beacon.pace:
                self._second = beacon.pace * 1e-9 / self._tick
            if beacon.run_state == RunState.STOP:
                self.stop()

    def _on_records(self, _key: str, data: bytes) -> None:
        try:
            message = wire.decode(Records, data)
            items = {topic: item for topic, _, item in message.items}
            if message.run != self._run or SNAPSHOTS not in items:
                return
            numbers, vehicles = SNAPSHOT_LAYOUT.decode(items[SNAPSHOTS])
            if len(vehicles) != len(self._roster):
                raise Garbled("a snapshot of other vehicles")
        except (Garbled, DecodeError):
            self.refused["garbled records"] += 1
            return
        for name, row in self._rows.items():
            self._on_state(name, row, numbers, vehicles)

    def _on_state(
        self, name: str, row: int, numbers: Mapping[str, float], vehicles: VehicleStates
    ) -> None:
        motion, age, rate = _motion(vehicles, row), float(vehicles.age[row]), None
        lost = bool(vehicles.health[row] != Health.HEARD)
        if not lost:  # the Core carried it on since it was seen
            for place, velocity in VELOCITY.items():
                motion[place] -= motion[velocity] * age
        if not lost and numbers["state"] != RunState.GO:
            rate = math.nan
            if self._roster.origin[row] == Origin.VIRTUAL:  # it is kept, to go on with
                motion |= dict.fromkeys(VELOCITY.values(), 0.0)
                rate = 0.0
        t, utc = numbers["t"] - age, numbers["utc"] - age * self._second
        self._see(name, t, utc, motion, lost, rate)

    def _see(
        self,
        name: str,
        t: float,
        utc: float,
        motion: dict[str, float],
        lost: bool = False,
        rate: float | None = None,
    ) -> None:
        """A vehicle, by the word of its host or of the Core, whoever is the first. With a yaw
        `rate` time went on, although that of the run did not."""
        if not math.isfinite(motion["x"] + motion["y"] + motion["z"]):
            return
        with self._lock:
            before = self._seen.get(name)
            if rate is None:
                if before is not None and not self._is_new(before, t, lost):
                    return
                rate = _rate(before, t, motion["yaw"])
            self._seen[name] = Seen(t, motion["yaw"], rate, lost)
        self._desks[name].see(self._sight(utc, motion, rate, lost))

    def _is_new(self, before: Seen, t: float, lost: bool) -> bool:
        margin = 0.1 * self._tick  # ages are told in single precision
        if t > before.t + (margin if lost == before.lost else -margin):
            return True
        return not lost and t < before.t - ANEW

    def _sight(self, utc: float, motion: dict[str, float], rate: float, lost: bool) -> Sight:
        x, y, z = motion["x"], motion["y"], motion["z"]
        lat, lon, convergence = self._frame.columns_to_geodetic(np.array([x]), np.array([y]))
        attitude = motion["yaw"], motion["pitch"], motion["roll"]
        velocity = np.array([motion["vx"], motion["vy"], motion["vz"]])
        forward, left, up = inertial_to_body(velocity, *attitude).tolist()
        heading = math.radians(float(heading_deg(motion["yaw"], convergence)[0]))
        yaw, pitch, roll = attitude
        return Sight(
            utc, float(lat[0]), float(lon[0]), z + self._frame.alt, heading, x, y, z,
            yaw, pitch, roll, forward, left, up, rate, lost,
        )  # fmt: skip

    # --- what goes

    def _note(self, text: str) -> None:
        try:
            self._bus.ask(keys.MARK, Mark(text, "movenv jaus").encoded(), NOTE_PATIENCE)
        except BusError as error:
            print(f"not noted, {error}: {text}", file=sys.stderr, flush=True)

    def _say(self, component: Component, said: list[Said]) -> None:
        for one in said:
            with self._lock:
                address = self._peers.place(one.to)
                self._sequence = sequence = (self._sequence + 1) % 2**16
            if address is None:
                continue
            packet = Packet(one.to, component.signature(one.dialect), b"", sequence,
                            service_connection=one.serves)  # fmt: skip
            for data in encode(one.message, packet, one.dialect):
                self._listener.send(data, address, self.port)


def _motion(vehicles: VehicleStates, row: int) -> dict[str, float]:
    return {name: float(getattr(vehicles, name)[row]) for name in MOTION}


def _rate(before: Seen | None, t: float, yaw: float) -> float:
    """How fast it turns, by the two last sights; as before where no time has passed."""
    if before is None or t < before.t:
        return math.nan
    if t == before.t:
        return before.rate
    return math.remainder(yaw - before.yaw, math.tau) / (t - before.t)
