"""A recording as a feed: every viewer moves through it on its own."""

import time
from collections.abc import Callable
from pathlib import Path

from movenv.recording.mission_log import MissionLog
from movenv.recording.reader import Recording
from movenv.recording.seek import Seeker
from movenv.recording.writer import RecordingRefused
from movenv.web.feed import Happenings
from movenv.web.notice_log import NoticeLog
from movenv.web.replay.film import Film
from movenv.web.replay.index import RecordingIndex
from movenv.web.replay.sightings import Sightings
from movenv.web.replay.source import ReplaySource
from movenv.web.replay.status import RecordedStatus
from movenv.world.frames import Frame

GAPS = 1000
"""The most gaps that an overview shows."""


class ReplayFeed:
    """A recording that many may watch. Raises RecordingRefused for what is none."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.source = str(path)
        self._clock = clock
        self._recording = recording = Recording(path)
        self.record, roster = recording.run, recording.roster
        try:
            frame = Frame(*self.record.origin)
        except ValueError as error:
            recording.__exit__()
            raise RecordingRefused(f"{path} is not a recording of movenv: {error}") from None
        seeker = Seeker(recording)
        self._film = Film(seeker, roster)
        self.replay: dict[str, float] | None = {"start": self._film.start, "end": self._film.end}
        self._status = RecordedStatus(seeker, roster, self._film.end)
        notices = NoticeLog(roster, list(self.record.levels))
        span = self._film.start, self._film.end
        self.index = RecordingIndex(
            seeker, notices, MissionLog(roster), Sightings(roster, frame), span
        )
        self.index.start()

    def open(self) -> ReplaySource:
        return ReplaySource(self._film, self.index, self._status, self._clock, self.happenings)

    def happenings(self) -> Happenings:
        """An overview of what was read so far."""
        gaps = self._film.seeker.gaps(self.record.tick)[:GAPS]
        return Happenings(*self.index.overview(), gaps, self.remarks)

    @property
    def remarks(self) -> list[str]:
        """What is wrong with the recording, as far as it was read."""
        return [*self._recording.damage.words, *self._recording.left_out]

    def close(self) -> None:
        self.index.close()
        self._film.seeker.close()
        self._recording.__exit__()
