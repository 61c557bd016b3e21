"""A JAUS controller in one file: it drives a vehicle once round a way, by wrench effort alone.

    movenv run urban-loop
    movenv jaus navigator=126.1.10
    python examples/jaus_controller.py 127.0.0.1:3794 126.1.10 examples/urban_loop.txt

It needs nothing but Python, and nothing of MoVE: messages are packed and unpacked here by hand, as
the software of a real vehicle would, over AS5669A. The way is a text file with a line `x y speed`
for each corner of a closed way, in metres east and north of the origin and m/s.

What happens: Request Control, Resume, Create Event for Local Pose and Velocity State at 20 Hz, then
Set Wrench Effort at 20 Hz until the way is done, Standby, Release Control.
"""

import math
import socket
import struct
import sys
import time
from pathlib import Path

OWN = (126, 1, 20)
AUTHORITY = 200
SET_WRENCH, REQUEST, RELEASE, RESUME, STANDBY = 0x0405, 0x000D, 0x000E, 0x0004, 0x0003
CREATE_EVENT, EVENT = 0x01F0, 0x41F1
QUERY_POSE, REPORT_POSE, QUERY_VELOCITY, REPORT_VELOCITY = 0x2403, 0x4403, 0x2404, 0x4404
NAMES = {0x000F: "Confirm Control", 0x0010: "Reject Control", 0x01F3: "Confirm Event Request",
         0x01F4: "Reject Event Request"}  # fmt: skip
RATE = 20.0
LOOK_AHEAD = 0.9
"""How far ahead to steer for, in seconds of the way; at least 5 m."""
WHEELBASE, MOST_STEER = 2.715, 0.6
SIDEWAYS, BRAKING = 2.0, 1.5
"""The most it asks of tyres in bends and before them, m/s²."""
SILENCE, STUCK = 2.0, 15.0
"""It gives up without a pose, or without getting on, for so many seconds."""


class Link:
    """The wire: AS5669A frames over UDP."""

    def __init__(self, host: str, port: int, to: tuple[int, int, int]) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect((host, port))
        self._socket.settimeout(1.0 / RATE)
        self._to, self._sequence = to, 0

    def say(self, code: int, body: bytes = b"") -> None:
        self._sequence = (self._sequence + 1) & 0xFFFF
        (s, n, c), (own_s, own_n, own_c) = self._to, OWN
        head = struct.pack("<BHBBBHBBH", 0, 16 + len(body), 1, c, n, s, own_c, own_n, own_s)
        foot = struct.pack("<H", self._sequence)
        self._socket.send(b"\x02" + head + struct.pack("<H", code) + body + foot)

    def hear(self) -> tuple[int, bytes] | None:
        """Code and body of the next message; None when none comes for a while."""
        try:
            frame = self._socket.recv(4096)
        except (TimeoutError, ConnectionRefusedError):
            return None
        (code,) = struct.unpack_from("<H", frame, 13)
        return code, frame[15:-2]


def scaled(count: int, low: float, high: float, bits: int) -> float:
    """AS6009 counts from the lower limit."""
    return low + count * (high - low) / (2**bits - 1)


def wrench(throttle: float, right: float, brake: float) -> bytes:
    """Propulsive x and about the axis down, and resistive x; shares of the whole."""

    def percent(share: float) -> int:
        return round((share * 100.0 + 100.0) / 200.0 * 65535)

    vector = 1 << 0 | 1 << 5 | 1 << 6
    return struct.pack("<HHHB", vector, percent(throttle), percent(right), round(brake * 255))


class Instruments:
    """What the vehicle has told last."""

    def __init__(self) -> None:
        self.x = self.y = self.yaw = math.nan
        self.speed = 0.0

    def take(self, report: bytes) -> None:
        (code,) = struct.unpack_from("<H", report)
        if code == REPORT_POSE:  # x, y, yaw: north, east, clockwise from north
            north, east, yaw = struct.unpack_from("<IIH", report, 4)
            self.x = scaled(east, -100_000, 100_000, 32)
            self.y = scaled(north, -100_000, 100_000, 32)
            self.yaw = math.pi / 2 - scaled(yaw, -math.pi, math.pi, 16)
        elif code == REPORT_VELOCITY:
            (forward,) = struct.unpack_from("<I", report, 4)
            self.speed = scaled(forward, -327.68, 327.67, 32)


class Way:
    """Corners with rounded bends, as places a metre apart with the speed that is right there."""

    def __init__(self, corners: list[tuple[float, float, float]]) -> None:
        self.places: list[tuple[float, float]] = []
        wanted: list[float] = []
        for k, (x, y, speed) in enumerate(corners):
            to_x, to_y, _ = corners[(k + 1) % len(corners)]
            steps = max(1, round(math.hypot(to_x - x, to_y - y)))
            for step in range(steps):
                share = step / steps
                self.places.append((x + share * (to_x - x), y + share * (to_y - y)))
                wanted.append(speed)
        self._round_off()
        self.length = sum(math.dist(self.places[k - 1], p) for k, p in enumerate(self.places))
        self.speeds = self._possible(wanted)

    def _round_off(self) -> None:
        for _ in range(12):
            p = self.places
            self.places = [
                tuple((p[k - 1][i] + 2 * p[k][i] + p[(k + 1) % len(p)][i]) / 4 for i in (0, 1))
                for k in range(len(p))
            ]  # type: ignore[misc]

    def _possible(self, wanted: list[float]) -> list[float]:
        count = len(self.places)
        speeds = [
            min(wanted[k], math.sqrt(SIDEWAYS / max(self._bend(k), 1e-4))) for k in range(count)
        ]
        for k in range(2 * count - 1, -1, -1):  # slow down before, not in, a bend
            after = speeds[(k + 1) % count]
            speeds[k % count] = min(speeds[k % count], math.sqrt(after**2 + 2 * BRAKING))
        return speeds

    def _bend(self, k: int) -> float:
        a, b, c = (self.places[(k + d) % len(self.places)] for d in (-3, 0, 3))
        first = math.atan2(b[1] - a[1], b[0] - a[0])
        then = math.atan2(c[1] - b[1], c[0] - b[0])
        return abs(math.remainder(then - first, math.tau)) / max(math.dist(a, b), 0.1)

    def nearest(self, x: float, y: float, after: int) -> int:
        """The place nearest by, not far after one."""
        near = range(after - 5, after + 40)
        return min(near, key=lambda k: math.dist(self.places[k % len(self.places)], (x, y)))


def steer(way: Way, at: int, seen: Instruments) -> float:
    """To the right, from -1 to 1: on the circle that leads to a place ahead."""
    ahead = max(5.0, LOOK_AHEAD * seen.speed)
    x, y = way.places[(at + round(ahead)) % len(way.places)]
    far = math.dist((x, y), (seen.x, seen.y))
    aside = math.remainder(math.atan2(y - seen.y, x - seen.x) - seen.yaw, math.tau)
    angle = math.atan(2.0 * WHEELBASE * math.sin(aside) / max(far, 1.0))
    return max(-1.0, min(1.0, -angle / MOST_STEER))


def say(began: float, text: str) -> None:
    print(f"{time.monotonic() - began:7.2f} s  {text}", flush=True)


def begin(link: Link, began: float) -> None:
    """Take control and ask for reports; ends the program where that is refused."""
    say(began, f"-> Request Control, authority {AUTHORITY}")
    link.say(REQUEST, bytes([AUTHORITY]))
    expect(link, began, 0x000F, b"\0")
    say(began, "-> Resume")
    link.say(RESUME)
    for request, query, vector in ((1, QUERY_POSE, 0x43), (2, QUERY_VELOCITY, 0x1)):
        inner = struct.pack("<HH", query, vector)
        rate = round(RATE / 1092.0 * 65535)
        say(began, f"-> Create Event {request}: query {query:#06x} at {RATE:g} Hz")
        link.say(CREATE_EVENT, struct.pack("<BBHI", request, 0, rate, len(inner)) + inner)
        expect(link, began, 0x01F3, bytes([request]))


def expect(link: Link, began: float, code: int, first: bytes) -> None:
    until = time.monotonic() + 5.0
    while time.monotonic() < until:
        heard = link.hear()
        if heard is None or heard[0] == EVENT:
            continue
        say(began, f"<- {NAMES.get(heard[0], hex(heard[0]))} {heard[1].hex()}")
        if heard[0] == code and heard[1][:1] == first:
            return
        break
    sys.exit("the vehicle does not agree")


def drive(link: Link, way: Way, began: float) -> None:
    """Once round."""
    seen, turns = Instruments(), 0
    at = start = -1
    worst = 0.0
    next_turn = next_word = told_at = moved_at = time.monotonic()
    while start < 0 or at < start + len(way.places):
        heard = link.hear()
        if heard is not None:
            if heard[0] == EVENT:
                seen.take(heard[1][6:])
                told_at = time.monotonic()
            else:
                say(began, f"<- {NAMES.get(heard[0], hex(heard[0]))} {heard[1].hex()}")
                if heard[0] == 0x0010:
                    sys.exit("control was lost")
        now = time.monotonic()
        if now - told_at > SILENCE:
            sys.exit(f"no pose for {SILENCE:g} s: is the gateway there, and does the run go?")
        if now - moved_at > STUCK:
            sys.exit(f"it does not get on for {STUCK:g} s: it may stand against something")
        if math.isnan(seen.x) or now < next_turn:
            continue
        next_turn = max(next_turn + 1.0 / RATE, now)
        if start < 0:
            every = range(len(way.places))
            at = start = min(every, key=lambda k: math.dist(way.places[k], (seen.x, seen.y)))
        before, at = at, way.nearest(seen.x, seen.y, at)
        moved_at = now if at != before else moved_at
        worst = max(worst, math.dist(way.places[at % len(way.places)], (seen.x, seen.y)))
        short = way.speeds[(at + 2) % len(way.places)] - seen.speed
        throttle, brake = min(max(0.25 * short, 0.0), 1.0), min(max(-0.15 * short, 0.0), 1.0)
        right = steer(way, at, seen)
        link.say(SET_WRENCH, wrench(throttle, right, brake))
        turns += 1
        if now >= next_word:
            next_word += 5.0
            done = (at - start) / len(way.places)
            place = f"({seen.x:6.1f}, {seen.y:6.1f}), {seen.speed:4.1f} m/s"
            effort = f"throttle {throttle:4.0%} brake {brake:4.0%} right {right:+4.0%}"
            say(began, f"   {done:4.0%} at {place}; {effort}")
    told = f"{turns} Set Wrench Effort, at most {worst:.2f} m from the way"
    say(began, f"   once round: {way.length:.0f} m, {told}")
    link.say(SET_WRENCH, wrench(0.0, 0.0, 1.0))
    while seen.speed > 0.1:
        heard = link.hear()
        link.say(SET_WRENCH, wrench(0.0, 0.0, 1.0))
        if heard is not None and heard[0] == EVENT:
            seen.take(heard[1][6:])


def main(place: str, component: str, file: str) -> None:
    host, port = place.rsplit(":", 1)
    subsystem, node, number = (int(part) for part in component.split("."))
    lines = [line.split() for line in Path(file).read_text().splitlines() if line.strip()]
    way = Way([(float(x), float(y), float(speed)) for x, y, speed in lines])
    link, began = Link(host, int(port), (subsystem, node, number)), time.monotonic()
    begin(link, began)
    drive(link, way, began)
    say(began, "-> Standby, Release Control")
    link.say(STANDBY)
    link.say(RELEASE)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
