"""What sensors measure, on the bus: for consoles, loggers and vehicles' own software.

Only what somebody listens to is sent: scans of a hundred vehicles would fill any network.
"""

from collections.abc import Iterator
from functools import partial
from io import BytesIO
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus, sensor_key
from movenv.runtime.live.wire import Garbled, Message
from movenv.scenario.build import Stage
from movenv.world.columns import Rows
from movenv.world.scan import Pose
from movenv.world.sensor import ImageLayout, Readings, ScanLayout

DTYPES = {4: "<f4", 8: "<f8"}
MOST_VALUES = 10_000_000
JPEG = b"\xff\xd8\xff"
"""How such a file begins."""
QUALITY = 85


class SensorMessage(Message):
    """What one sensor of one vehicle measured in a tick."""

    kind: ClassVar[int] = 24

    run: str
    vid: int
    sensor: str
    numbers: list[int]
    stamps: list[float]
    fields: list[str]
    """Empty for a scan."""
    scan: ScanLayout | None
    width: int
    """How many values a sample has."""
    precision: int
    """Bytes of a value: 4 or 8."""
    values: bytes
    """Of a camera, a JPEG file."""
    altered: bytes = b""
    """Of a scan with virtual vehicles in it: a bit for each value that was put there."""
    pose: Pose | None = None
    """Where the vehicle was at the last sample, by its own word."""
    image: ImageLayout | None = None
    """Of a camera: `values` is the newest picture of the tick."""

    def check(self) -> None:
        """Raises Garbled where something does not fit together."""
        if self.image is None:
            self.table()
            self.altered_values()
            return
        one = len(self.numbers) == len(self.stamps) == 1 and self.scan is None
        if not one or not self.values.startswith(JPEG):
            raise Garbled("a camera's message without a picture")

    def table(self) -> NDArray[Any]:
        """(samples, width). Raises Garbled."""
        shape = len(self.numbers), self.width
        fits = self.precision in DTYPES and self.width > 0 and shape[0] * shape[1] <= MOST_VALUES
        if not fits or len(self.values) != shape[0] * shape[1] * self.precision:
            raise Garbled("values of a sensor that do not fit together")
        if len(self.stamps) != shape[0]:
            raise Garbled("samples of a sensor without times")
        return np.frombuffer(self.values, DTYPES[self.precision]).reshape(shape)

    def altered_values(self) -> NDArray[np.bool_]:
        """(samples, width): which values were put there. Raises Garbled."""
        shape = len(self.numbers), self.width
        if not self.altered:
            return np.zeros(shape, np.bool_)
        count = shape[0] * shape[1]
        if len(self.altered) != -(-count // 8):
            raise Garbled("marks that are not of these values")
        bits = np.unpackbits(np.frombuffer(self.altered, np.uint8), count=count)
        return bits.reshape(shape).astype(np.bool_)


def messages(readings: Readings, rows: Rows, run: str) -> Iterator[SensorMessage]:
    """One for each of some vehicles."""
    if readings.image is not None:
        yield from _pictures(readings, rows, run)
        return
    count, width = readings.values.shape[1:]
    precision = readings.values.dtype.itemsize
    for row in rows:
        values = np.ascontiguousarray(readings.values[row], DTYPES[precision])
        yield SensorMessage(
            run, int(readings.vids[row]), readings.sensor, readings.numbers.tolist(),
            readings.stamps.tolist(), list(readings.fields), readings.scan, width, precision,
            values.tobytes() if count else b"",
        )  # fmt: skip


def _pictures(readings: Readings, rows: Rows, run: str) -> Iterator[SensorMessage]:
    """The newest of each; none of those whose picture is lost."""
    for row in rows:
        pixels = readings.values[row, -1]
        if np.isnan(pixels["depth"]).all():
            continue
        file = BytesIO()
        Image.fromarray(np.ascontiguousarray(pixels["colour"])).save(file, "JPEG", quality=QUALITY)
        yield SensorMessage(
            run, int(readings.vids[row]), readings.sensor, readings.numbers[-1:].tolist(),
            readings.stamps[-1:].tolist(), [], None, 0, 0, file.getvalue(), image=readings.image,
        )  # fmt: skip


class SensorFeed:
    """Sends what the sensors of a host's vehicles measure to those who listen."""

    def __init__(self, bus: Bus, stage: Stage, rows: Rows, run: str) -> None:
        self._run = run
        self._sent: list[Readings] = []
        self._heard: dict[str, set[int]] = {}
        """By sensor, the vids of those whose measurements somebody listens to."""
        self._send = {}
        for row in rows.tolist():
            vid = int(stage.roster.vids[row])
            for chosen in stage.groups[stage.group[row]].sensors:
                if chosen.config.publish:
                    noted = partial(self._note, chosen.name, vid)
                    self._send[vid, chosen.name] = bus.sender_on_demand(
                        sensor_key(vid, chosen.name), noted
                    )

    def _note(self, sensor: str, vid: int, heard: bool) -> None:
        """Called in threads of the bus, which replace a set and never change one."""
        before = self._heard.get(sensor, set())
        self._heard[sensor] = before | {vid} if heard else before - {vid}

    def is_heard(self, sensor: str) -> bool:
        """Whether somebody listens to sensors of a name."""
        return bool(self._heard.get(sensor))

    def publish(self, measured: list[Readings]) -> None:
        """Send what was measured, once."""
        if measured is self._sent:
            return
        self._sent = measured
        for readings in measured:
            heard = self._heard.get(readings.sensor)
            if not heard:
                continue
            rows = np.flatnonzero(np.isin(readings.vids, list(heard)))
            for message in messages(readings, rows, self._run):
                self._send[message.vid, readings.sensor](message.encoded())


def decoded(data: bytes) -> SensorMessage:
    """Raises Garbled."""
    message = wire.decode(SensorMessage, data)
    message.check()
    return message
