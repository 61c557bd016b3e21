"""The beginning of a recording: what was run."""

from dataclasses import dataclass
from pathlib import Path

import msgspec
from mcap.opcode import Opcode

from movenv.recording.container import MAGIC, ChunkDamaged, messages, open_chunk, walk
from movenv.recording.layouts import FORMAT_VERSION, RUN, RunRecord
from movenv.recording.writer import RecordingRefused


def decode_run(data: bytes, path: Path) -> RunRecord:
    """The first message of a recording. Raises RecordingRefused or msgspec's errors."""
    run = msgspec.json.decode(data, type=RunRecord)
    if run.format != FORMAT_VERSION:
        raise RecordingRefused(
            f"{path} has format {run.format}, this movenv reads {FORMAT_VERSION}"
        )
    return run


@dataclass(frozen=True)
class Opening:
    """What the first chunk of a file tells."""

    run: RunRecord
    topics: dict[int, str]
    """By channel; those that every recording has."""


def read_opening(path: Path) -> Opening | None:
    """What was run, without reading on; None for a file that ends before it says so.

    Raises RecordingRefused for what cannot be read or is no recording.
    """
    try:
        with open(path, "rb") as file:
            start = file.read(len(MAGIC))
            if not MAGIC.startswith(start):
                raise RecordingRefused(f"{path} is not an MCAP file")
            first = next((place for place in walk(file) if place.opcode == Opcode.CHUNK), None)
            if first is None:
                return None
            file.seek(first.offset)
            chunk = open_chunk(file.read(first.end - first.offset))
        topics: dict[int, str] = {}
        for _, data in messages(chunk, topics, {RUN}):
            return Opening(decode_run(data, path), topics)
    except OSError as error:
        raise RecordingRefused(f"cannot read {path}: {error.strerror}") from None
    except (ChunkDamaged, msgspec.MsgspecError) as error:
        raise RecordingRefused(f"{path} is not a recording of movenv: {error}") from None
    raise RecordingRefused(f"{path} is not a recording of movenv")
