"""YAML text into plain data that remembers where each piece stood."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from movenv.scenario.errors import Problem, ScenarioError

MAX_NODES = 2_000_000
MAX_DEPTH = 50
MAX_BYTES = 64 * 1024 * 1024

Path_ = tuple[str | int, ...]
"""A way into the data: keys and list positions."""


@dataclass
class Document:
    """A parsed file: its data, and the line and column of every key and item."""

    source: str
    text: str
    folder: Path
    data: Any = None
    places: dict[Path_, tuple[int, int]] = field(default_factory=dict)
    changed: dict[Path_, str] = field(default_factory=dict)
    """What was set from outside the file, and by which words."""
    files: dict[str, str] = field(default_factory=dict)
    """Texts of files that it names, once they were read beside it, or as they came with it."""

    def place(self, path: Path_) -> tuple[int, int]:
        """Where a path stands, or the nearest thing around it that does."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, (1, 1))

    def problem(self, path: Path_, message: str) -> Problem:
        for length in range(len(path), 0, -1):
            if path[:length] in self.changed:
                return Problem(0, 0, f"{self.changed[path[:length]]}: {message}")
        within = [said for where, said in self.changed.items() if where[: len(path)] == path]
        if path and within:
            message = f"{message} (with {', '.join(within)})"
        return Problem(*self.place(path), message)

    def error(self, problems: list[Problem]) -> ScenarioError:
        return ScenarioError(self.source, problems)


def read_document(path: Path, source: str | None = None) -> Document:
    """Read a file; every way in which that can fail is a ScenarioError."""
    source = source or str(path)
    try:
        if path.is_dir():
            raise ScenarioError(source, [Problem(0, 0, "is a folder, expected a scenario file")])
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ScenarioError(
            source, [Problem(0, 0, (error.strerror or str(error)).lower())]
        ) from None
    if len(raw) > MAX_BYTES:
        raise ScenarioError(source, [Problem(0, 0, f"is larger than {MAX_BYTES >> 20} MiB")])
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ScenarioError(source, [Problem(line, 1, "is not UTF-8 text")]) from None
    return parse_document(text, source, path.parent)


def parse_document(
    text: str, source: str, folder: Path, files: dict[str, str] | None = None
) -> Document:
    """Parse a scenario; `files` are texts that came with it. Raises ScenarioError."""
    document = Document(source, text, folder, files=dict(files or {}))
    try:
        root = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        said = error.problem or error.context or "not readable"
        raise document.error([Problem(line, column, f"is not YAML: {said}")]) from None
    except (YAMLError, ValueError, RecursionError, AttributeError, IndexError, TypeError) as error:
        # ruamel lets some broken input escape as plain Python errors.
        raise document.error([Problem(1, 1, f"is not YAML: {error}")]) from None
    if not isinstance(root, MappingNode):
        raise document.error([Problem(1, 1, "expected keys such as name, origin and vehicles")])
    document.data = _Reader(document).read(root, ())
    return document


class _Reader:
    """Turns nodes into data. Our own, because the place of every key is wanted beside it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._yaml = YAML(typ="safe", pure=True).constructor
        self._nodes = 0
        self._open: set[int] = set()

    def read(self, node: Node, path: Path_) -> Any:
        self._nodes += 1
        if self._nodes > MAX_NODES or len(path) > MAX_DEPTH or id(node) in self._open:
            raise self._refuse(node, "is nested or repeated beyond reason")
        place = (node.start_mark.line + 1, node.start_mark.column + 1)
        self._document.places.setdefault(path, place)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        self._open.add(id(node))
        data: Any
        if isinstance(node, MappingNode):
            data = self._mapping(node, path)
        else:
            data = [self.read(item, (*path, i)) for i, item in enumerate(node.value)]
        self._open.discard(id(node))
        return data

    def _scalar(self, node: ScalarNode) -> Any:
        try:
            value = self._yaml.construct_object(node)
        except (
            YAMLError,
            ValueError,
            ArithmeticError,
            KeyError,
            TypeError,
            AttributeError,
            IndexError,
        ):
            raise self._refuse(node, f"cannot read {node.value!r}") from None
        if isinstance(value, str | int | float | bool) or value is None:
            return value
        return str(node.value)  # dates and the like: the schema speaks of text and numbers only

    def _mapping(self, node: MappingNode, path: Path_) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                raise self._refuse(key_node, "a key must be plain text")
            key = str(key_node.value)
            if key in data:
                raise self._refuse(key_node, f"key '{key}' stands twice")
            self._document.places[(*path, key)] = (
                key_node.start_mark.line + 1,
                key_node.start_mark.column + 1,
            )
            data[key] = self.read(value_node, (*path, key))
        return data

    def _refuse(self, node: Node, message: str) -> ScenarioError:
        mark = node.start_mark
        return self._document.error([Problem(mark.line + 1, mark.column + 1, message)])
