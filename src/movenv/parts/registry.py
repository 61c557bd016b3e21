"""Finding parts by name: entry points, and files beside the scenario."""

import difflib
import importlib.util
import re
import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

FILE_REFERENCE = re.compile(r"^(?P<file>\.{0,2}/?[^:]*\.py):(?P<name>[A-Za-z_]\w*)$")


class PartNotFound(LookupError):
    """There is no such part; the message says what to do."""


@cache
def _entries(room: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=f"movenv.{room}")}


def names(room: str) -> list[str]:
    """The installed parts of a room: `behaviors`, `vehicles`, `sensors` or `gateways`."""
    return sorted(_entries(room))


SHOWN = 40
"""So many names are shown where one is not known."""


def suggestion(wanted: str, known: list[str]) -> str:
    """' Did you mean ...?' where something is near, else what there is, the first few of many."""
    near = difflib.get_close_matches(wanted, known, n=1, cutoff=0.6)
    if near:
        return f" Did you mean '{near[0]}'?"
    if not known:
        return ""
    more = f" and {len(known) - SHOWN:,} more" if len(known) > SHOWN else ""
    return f" Known: {', '.join(known[:SHOWN])}{more}."


def find(room: str, reference: str, folder: Path | None = None) -> type[Any]:
    """The class of a part: by installed name, or `./file.py:Class` relative to `folder`."""
    match = FILE_REFERENCE.match(reference)
    if match:
        return _from_file((folder or Path()) / match["file"], match["name"])
    entry = _entries(room).get(reference)
    if entry is None:
        word = "model" if room == "vehicles" else room.removesuffix("s")
        raise PartNotFound(f"unknown {word} '{reference}'.{suggestion(reference, names(room))}")
    try:
        part: type[Any] = entry.load()
    except (Exception, SystemExit) as error:
        raise PartNotFound(f"'{reference}' cannot be loaded: {in_words(error)}") from error
    return part


def part_name(reference: str) -> str:
    """How a part is called in recordings: its name, or the class name in snake case."""
    match = FILE_REFERENCE.match(reference)
    if not match:
        return reference
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", match["name"]).lower()


def _from_file(path: Path, name: str) -> type[Any]:
    module = _module(path.resolve())
    part = getattr(module, name, None)
    if not isinstance(part, type):
        classes = [
            k
            for k, v in vars(module).items()
            if isinstance(v, type) and v.__module__ == module.__name__
        ]
        raise PartNotFound(f"{path} has no class '{name}'.{suggestion(name, classes)}")
    return part


@cache
def _module(path: Path) -> ModuleType:
    if not path.is_file():
        raise PartNotFound(f"there is no file {path}")
    module_name = f"movenv_beside_{path.stem}_{abs(hash(path)):x}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise PartNotFound(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        raise PartNotFound(f"{path} cannot be loaded: {in_words(error)}") from error
    return module


def in_words(error: BaseException) -> str:
    """One line about an exception in somebody's code, with the line it happened on."""
    if type(error) is ValueError:
        return str(error)  # raised on purpose, with words for the user
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"line {trace.tb_lineno}: " if trace is not None else ""
    return f"{where}{type(error).__name__}: {error}"
