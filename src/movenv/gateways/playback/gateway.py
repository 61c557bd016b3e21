"""Plays tracks as if somebody were walking them now."""

import heapq
import threading
import time
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from movenv.gateways.config import Entry, LiveConfig
from movenv.gateways.fix import Unreadable
from movenv.gateways.inlet import Inlet
from movenv.gateways.part import Gateway, GatewayFailed, Reader, Surroundings, Track
from movenv.gateways.playback.codec import decode_point, encode_point, read_gpx


class PlaybackConfig(LiveConfig):
    """A GPX file or a recording, played as if live from when the gateway starts."""

    file: str = Field(min_length=1)
    """A GPX file or a recording."""
    vehicle: str = ""
    """Whose track of a recording; not needed if it has only one."""
    rate: float = Field(1.0, gt=0, le=100)
    """Fixes a second."""
    speed: float | None = Field(None, ge=0.01, le=10_000)
    """m/s, for GPX files without times."""
    loop: bool = False
    """Begin anew at the end."""

    @model_validator(mode="after")
    def _shows_no_token(self) -> Self:
        if self.token is not None or self.address is not None:
            raise ValueError("a file has neither token nor address")
        return self


class PlaybackGateway(Gateway):
    """One thread plays all tracks. They begin when it is opened."""

    Config = PlaybackConfig
    name = "playback"

    def __init__(self, entries: list[Entry], inlet: Inlet, around: Surroundings) -> None:
        super().__init__(entries, inlet, around)
        self._tracks: dict[int, Track] = {}
        self._begun = 0.0
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="playback", daemon=True)

    @classmethod
    def reader(cls) -> Reader:
        return lambda data, _at: decode_point(data)

    def open(self) -> None:
        self.check()
        self._begun = time.monotonic()
        self._thread.start()

    def check(self) -> None:
        for entry in self.entries:
            try:
                self._tracks[entry.vid] = self._track(_config(entry))
            except (OSError, ValueError) as error:
                words = error.strerror if isinstance(error, OSError) else error
                raise GatewayFailed(
                    f"{entry.name} cannot play {_config(entry).file}: {words}"
                ) from error

    def close(self) -> None:
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=1)

    def _track(self, config: PlaybackConfig) -> Track:
        """Raises OSError or ValueError, in words."""
        path = self.around.folder / config.file
        if path.suffix.lower() == ".gpx":
            return read_gpx(path.read_bytes(), config.speed)
        if self.around.track is None:
            raise Unreadable("only GPX files can be read here")
        track = self.around.track(path, config.vehicle)
        if not track.t:
            raise Unreadable("the track is empty")
        return track

    def _work(self) -> None:
        """Keeps to absolute deadlines: a late fix does not make the next one late, and what was
        missed altogether is not made up for."""
        due = [(0.0, entry.vid, 0) for entry in self.entries]
        configs = {entry.vid: _config(entry) for entry in self.entries}
        heapq.heapify(due)
        while due:
            at, vid, count = due[0]
            if self._closing.wait(max(0.0, self._begun + at - time.monotonic())):
                return
            ended = self._play(vid, at, configs[vid])
            rate = configs[vid].rate
            count = max(count + 1, int((time.monotonic() - self._begun) * rate))
            if ended:
                heapq.heappop(due)
            else:
                heapq.heapreplace(due, (count / rate, vid, count))

    def _play(self, vid: int, at: float, config: PlaybackConfig) -> bool:
        """Whether it was the last."""
        track = self._tracks[vid]
        length = track.t[-1] - track.t[0]
        ended = at >= length and not config.loop
        t = track.t[0] + (at % length if config.loop and length > 0 else min(at, length))
        self.receive(encode_point(track, t, self.inlet.clock()), "file:0", decode_point, vid)
        if ended:
            self.inlet.happened("gateway", f"the track in {Path(config.file).name} has ended", vid)
        return ended


def _config(entry: Entry) -> PlaybackConfig:
    assert isinstance(entry.config, PlaybackConfig)
    return entry.config
