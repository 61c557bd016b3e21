"""The parts of a recording that was continued: NAME.mcap, NAME.part2.mcap, NAME.part3.mcap, …

A recorder that was killed cannot go on in the file it left, for its end is torn and its index
lost. So it begins another beside it, and no file is ever written to twice. What makes them one is
the `run_id` they share: files of another run may bear such names too.
"""

import re
from pathlib import Path

import msgspec

from movenv.recording.layouts import RunRecord
from movenv.recording.opening import read_opening
from movenv.recording.writer import RecordingRefused, RecordingWriter


def part_path(first: Path, number: int) -> Path:
    """The name of a part."""
    return first if number == 1 else first.with_name(f"{first.stem}.part{number}{first.suffix}")


def first_name(part: Path, number: int) -> str:
    """The name of the first part, from that of another."""
    ending = f".part{number}{part.suffix}"
    return part.name.removesuffix(ending) + part.suffix if part.name.endswith(ending) else part.name


def later_parts(first: Path) -> dict[int, Path]:
    """The files that by their names go on after this one, in order, by number.

    None in a folder that cannot be listed, whose files may be readable all the same.
    """
    pattern = re.compile(re.escape(first.stem) + r"\.part([1-9]\d*)" + re.escape(first.suffix))
    try:
        matches = [(pattern.fullmatch(path.name), path) for path in first.parent.iterdir()]
    except OSError:
        return {}
    found = {int(match[1]): path for match, path in matches if match}
    return {number: found[number] for number in sorted(found) if number > 1}


def belongs(part: Path, run: RunRecord) -> bool:
    """Whether a file that is named like a part of a run is one."""
    try:
        opening = read_opening(part)
    except RecordingRefused:
        return False
    return (
        opening is not None
        and bool(run.run_id)
        and opening.run.run_id == run.run_id
        and opening.run.roster == run.roster
    )


def open_next_part(first: Path, run: RunRecord) -> RecordingWriter:
    """Begin the recording of a run, or the next part of it where one is there already.

    Raises RecordingRefused when `first` is there and not of this run.
    """
    number = 1
    if first.exists():
        if not _may_continue(first, run.run_id):
            raise RecordingRefused(
                f"{first} exists already and is not of this run; it was not touched"
            )
        number = max(later_parts(first), default=1) + 1
    return RecordingWriter(part_path(first, number), msgspec.structs.replace(run, part=number))


def _may_continue(first: Path, run_id: str) -> bool:
    """Whether a file is of this run, or was cut off before it could say of which it is."""
    try:
        opening = read_opening(first)
    except RecordingRefused:
        return False
    return bool(run_id) and (opening is None or opening.run.run_id == run_id)
