"""Writing a recording: encoded by the run's thread, compressed and written by another."""

import os
import queue
import threading
import time
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from mcap.opcode import Opcode
from mcap.writer import CompressionType, Writer

from movenv import __version__
from movenv.recording.container import MAGIC, walk
from movenv.recording.fast_log import FastLog
from movenv.recording.layouts import (
    EVENTS,
    JSON_TOPICS,
    LATEST_START,
    LAYOUTS,
    RUN,
    RUN_STATE,
    SNAPSHOTS,
    SUMMARY,
    EventRecord,
    RunRecord,
    RunStateRecord,
    encoded,
)
from movenv.world.core import Update
from movenv.world.run_state import RunState

CHUNK_SIZE = 256 * 1024
FLUSH_EVERY = 0.7
"""A chunk is closed when it is this old, s; with a batch's age that stays below a second."""
BATCH_SIZE = 256 * 1024
BATCH_EVERY = 0.2
"""Messages go to the writing thread in batches of this size or age (bytes, s): waking it for every
tick of three vehicles would cost the run more than the tick."""
QUEUE_LENGTH = 2
"""Batches waiting to be written; more would only be memory, since the disk sets the pace."""
DECLARED_FIRST = (RUN, RUN_STATE, SNAPSHOTS, SUMMARY)
"""Topics of every recording. The first chunk names them, so that its last chunks can be understood
without the ones between."""

Job: TypeAlias = tuple[str, float, bytes]
"""A message to be written: topic, time, data."""


class RecordingError(Exception):
    """A recording that cannot be written or read; the message is for the user."""


class RecordingRefused(RecordingError):
    """A file that cannot be begun or is no recording: what was asked for is wrong."""


def check_new(path: Path) -> None:
    """Refuse a place where no recording can be begun, as far as that can be told beforehand."""
    if path.is_dir():
        raise RecordingRefused(f"cannot write {path}: it is a folder")
    if path.exists():
        raise RecordingRefused(f"{path} exists already; it was not touched")
    if not os.access(path.parent, os.W_OK):
        raise RecordingRefused(f"cannot write {path}: there is no folder {path.parent} to write in")


class _File:
    """A new file whose writes are whole or fail."""

    def __init__(self, path: Path) -> None:
        self._raw = open(path, "x+b", buffering=0)  # noqa: SIM115

    def write(self, data: bytes) -> int:
        view = memoryview(data)
        while view:
            view = view[self._raw.write(view) :]
        return len(data)

    def tell(self) -> int:
        return self._raw.tell()

    def flush(self) -> None:
        """Nothing waits here: every write goes to the system at once."""

    def cut_torn_end(self) -> int:
        """Cut off what is not a whole record; returns the time stamp the file now reaches."""
        end, latest = len(MAGIC), 0
        for record in walk(self._raw):
            end = record.end
            if record.opcode == Opcode.CHUNK:
                self._raw.seek(record.body + 8)  # behind the time of the first message
                latest = int.from_bytes(self._raw.read(8), "little")
        self._raw.truncate(end)
        return latest

    def close(self) -> None:
        self._raw.close()


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or f"{type(error).__name__}: {error}"


class RecordingWriter:
    """A sink that writes everything into one MCAP file.

    The file is cut into compressed chunks; one is closed at least every second, so that a crash
    costs at most that. When writing fails the file keeps its whole chunks, and the next call
    raises RecordingError.
    """

    def __init__(self, path: Path, run: RunRecord) -> None:
        self.path = path
        self._start_ns = round(run.started_utc * 1e9)
        self._log = FastLog(run)
        if path.is_dir():
            raise RecordingRefused(f"cannot write {path}: it is a folder")
        try:
            self._file = _File(path)
        except FileExistsError:
            raise RecordingRefused(f"{path} exists already; it was not touched") from None
        except OSError as error:
            raise RecordingRefused(f"cannot write {path}: {error.strerror}") from None
        self._writer = Writer(self._file, chunk_size=CHUNK_SIZE, compression=CompressionType.ZSTD)  # type: ignore[arg-type]
        self._channels: dict[str, int] = {}
        self._failure: Exception | None = None
        self._written_until = 0.0
        self._ended = False
        self._lock = threading.Lock()
        self._batch: list[Job] = []
        self._batch_size = 0
        self._handed_over = time.monotonic()
        self._jobs: queue.Queue[list[Job] | None] = queue.Queue(QUEUE_LENGTH)
        self._thread = threading.Thread(target=self._work, name="recording", daemon=True)
        self._thread.start()
        self.put(RUN, 0.0, msgspec.json.encode(run))
        self._hand_over()

    def run_state(self, t: float, state: RunState, utc: float = 0.0) -> None:
        self.put(RUN_STATE, t, msgspec.json.encode(RunStateRecord.of(t, state, utc)))

    def event(self, event: EventRecord) -> None:
        self.put(EVENTS, event.t, msgspec.json.encode(event))

    def update(self, update: Update) -> None:
        for topic, data in (*encoded(update), *self._log.messages(update)):
            self.put(topic, update.snapshot.t, data)

    def summary(self, t: float, summary: dict[str, Any]) -> None:
        """What the run has come to so far; a live run says so every second."""
        self.put(SUMMARY, t, msgspec.json.encode(summary))

    def close(self, t: float, summary: dict[str, Any]) -> None:
        """Write the summary and the index, and close the file. Raises what went wrong before."""
        self.summary(t, summary)
        self._end()
        self._raise_failure()

    def abandon(self) -> None:
        """Close the file without a summary, after the run failed."""
        self._end()

    def _end(self) -> None:
        self._hand_over()
        self._jobs.put(None)
        self._thread.join()

    def put(self, topic: str, t: float, data: bytes) -> None:
        """Write a message that is encoded already, as its topic wants it."""
        if topic not in LAYOUTS and topic not in JSON_TOPICS:
            raise ValueError(f"a recording has no topic {topic}")
        if not 0.0 <= t <= LATEST_START:
            raise ValueError(f"{topic}: a message at t = {t} s")
        self._raise_failure()
        with self._lock:
            self._batch.append((topic, t, data))
            self._batch_size += len(data)
        due = time.monotonic() - self._handed_over >= BATCH_EVERY
        if due or self._batch_size >= BATCH_SIZE:
            self._hand_over()

    def _hand_over(self) -> None:
        self._jobs.put(self._take_pending())

    def _take_pending(self) -> list[Job]:
        """What has gathered; asked for by the run, or by the writing thread when the run stalls."""
        with self._lock:
            batch, self._batch, self._batch_size = self._batch, [], 0
            self._handed_over = time.monotonic()
        return batch

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise RecordingError(
                f"cannot write {self.path}: {_reason(self._failure)}; "
                f"the recording is kept up to t = {self._written_until:.1f} s"
            )

    def _work(self) -> None:
        try:
            self._write_all()
        except Exception as error:
            # Whatever happened here, the run must hear of it and never wait for this thread.
            self._failure = self._save(error)
            while not self._ended:
                self._next_batch()
        finally:
            self._file.close()

    def _save(self, error: Exception) -> Exception:
        """Leave a sound file behind after an error; returns what to tell of."""
        try:
            latest = self._file.cut_torn_end()
        except Exception as second:
            return second
        self._written_until = max(0.0, (latest - self._start_ns) / 1e9)
        return error

    def _next_batch(self) -> list[Job]:
        try:
            batch = self._jobs.get(timeout=FLUSH_EVERY)
        except queue.Empty:
            return self._take_pending()
        self._ended = batch is None
        return batch or []

    def _write_all(self) -> None:
        self._writer.start(profile="", library=f"movenv {__version__}")
        for topic in DECLARED_FIRST:
            self._channel(topic)
        flushed_at = time.monotonic()
        while not self._ended:
            for topic, t, data in self._next_batch():
                self._write(topic, t, data)
                if topic == RUN:  # in a chunk of its own: without it nothing else can be read
                    self._writer.flush()  # type: ignore[no-untyped-call]
            if time.monotonic() - flushed_at >= FLUSH_EVERY:
                self._writer.flush()  # type: ignore[no-untyped-call]
                flushed_at = time.monotonic()
        self._writer.finish()  # type: ignore[no-untyped-call]

    def _write(self, topic: str, t: float, data: bytes) -> None:
        stamp = self._start_ns + round(t * 1e9)
        self._writer.add_message(self._channel(topic), stamp, data, stamp)

    def _channel(self, topic: str) -> int:
        if topic not in self._channels:
            if topic in LAYOUTS:
                layout = LAYOUTS[topic]
                schema = self._writer.register_schema(
                    layout.name, "ros2msg", layout.schema.encode()
                )
                encoding = "cdr"
            else:
                described = msgspec.json.schema(JSON_TOPICS[topic])
                name = f"movenv/{topic.strip('/')}"
                schema = self._writer.register_schema(
                    name, "jsonschema", msgspec.json.encode(described)
                )
                encoding = "json"
            self._channels[topic] = self._writer.register_channel(topic, encoding, schema)
        return self._channels[topic]
