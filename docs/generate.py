"""Writes the reference pages from the schema, the command line and the recording's layouts.

`python docs/generate.py` writes them, `--check` says which are out of date.
"""

import sys
from pathlib import Path
from typing import Any, get_args

import typer
from pydantic import BaseModel

from movenv.cli.main import app
from movenv.parts.registry import find, names
from movenv.recording.export import SCHEMA
from movenv.recording.layouts import LAYOUTS
from movenv.scenario.schema import Scenario
from movenv.vehicles.kinematic import DEFAULTS, PARAMETERS

REFERENCE = Path(__file__).parent / "reference"
NOTE = "<!-- Made by docs/generate.py: change the code it describes, then run `make docs`. -->\n\n"


def scenario_page() -> str:
    parts = [NOTE, "# Scenario files\n\n", SCENARIO_INTRODUCTION]
    pieces = [Scenario, *_inner_models(Scenario)]
    for model in pieces:
        title = "The file" if model is Scenario else f"`{_key_of(model)}`"
        parts += [f"\n## {title}\n\n", f"{_doc(model)}\n\n", _fields(model)]
    parts.append("\n## Behaviors\n\n" + BEHAVIORS_INTRODUCTION)
    for name in names("behaviors"):
        config = find("behaviors", name).Config
        parts += [f"\n### `{name}`\n\n{_doc(config)}\n\n", _fields(config)]
    parts.append("\n## Models\n")
    for name in names("vehicles"):
        config = find("vehicles", name).Config
        parts += [f"\n### `{name}`\n\n{_doc(config)}\n\n", _fields(config)]
    parts += ["\nDefaults by kind:\n\n", _kind_defaults()]
    return "".join(parts)


SCENARIO_INTRODUCTION = """\
A scenario is one YAML file. Unknown keys, wrong types and impossible values are refused before
anything starts. `movenv check FILE` tells all problems with line and column, `movenv schema` gives
the JSON Schema for editors, and the shipped scenario `one-of-everything` uses every key once.

Lengths are metres, times seconds, angles radians; a key that ends in `_deg` is in degrees. Local X
is east, Y north, Z up, from the origin. A point is `[x, y]`, `[x, y, z]` or `{lat, lon, alt}`.
"""
BEHAVIORS_INTRODUCTION = """\
Every behavior takes `priority`: of the active behaviors of a vehicle the one with the highest
priority drives alone. Of equal priorities the one listed first wins. A vehicle on which nothing
is active slows to its lowest speed.
"""
KEYS = {
    "Origin": "origin",
    "Time": "time",
    "World": "world",
    "Area": "areas",
    "Vehicles": "vehicles",
    "Start": "start",
    "Line": "line",
    "Grid": "grid",
    "Notices": "notices",
    "Awareness": "awareness",
    "LinkLoss": "link_loss",
    "Radio": "radio",
    "Fidelity": "fidelity",
    "GeoPoint": "{lat, lon, alt}",
}


def _key_of(model: type[BaseModel]) -> str:
    return KEYS[model.__name__]


def _inner_models(model: type[BaseModel]) -> list[type[BaseModel]]:
    """The pieces of the schema in the order they are met."""
    found: list[type[BaseModel]] = []

    def visit(annotation: Any) -> None:
        is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
        if is_model and annotation not in found:
            found.append(annotation)
            for field in annotation.model_fields.values():
                visit(field.annotation)
        for inner in get_args(annotation):
            visit(inner)

    for field in model.model_fields.values():
        visit(field.annotation)
    return found


def _doc(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def _fields(model: type[BaseModel]) -> str:
    properties = model.model_json_schema(by_alias=True)["properties"]
    lines = ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    for name, field in model.model_fields.items():
        key = field.alias or name
        described = properties[key]
        default = "**required**" if field.is_required() else _default(field)
        meaning = field.description or _doc_of(field.annotation)
        lines.append(f"| `{key}` | {_value(described)} | {default} | {meaning} |")
    return "\n".join(lines) + "\n"


def _doc_of(annotation: Any) -> str:
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return _doc(candidate)
    return ""


def _default(field: Any) -> str:
    value = field.get_default(call_default_factory=True)
    if value is None or value in ({}, "") or isinstance(value, BaseModel):
        return ""
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, dict):
        return "`{" + ", ".join(f"{k}: {v:g}" for k, v in value.items()) + "}`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _value(described: dict[str, Any]) -> str:
    """What may stand there, in a few words."""
    if "anyOf" in described:
        options = [d for d in described["anyOf"] if d.get("type") != "null"]
        return _value(options[0]) if len(options) == 1 else "point"
    if "oneOf" in described:
        return "point"
    if "$ref" in described or "allOf" in described:
        return "keys"
    if "enum" in described:
        return " or ".join(f"`{choice}`" for choice in described["enum"])
    kind = described.get("type")
    if kind == "array":
        if "prefixItems" in described:
            return f"list of {len(described['prefixItems'])} numbers"
        item = _value(described["items"])
        return f"list of {item if item == 'keys' else item + 's'}"
    word = {
        "number": "number",
        "integer": "whole number",
        "string": "text",
        "boolean": "true or false",
    }
    return word.get(str(kind), "keys") + _bounds(described)


def _bounds(described: dict[str, Any]) -> str:
    low, above = described.get("minimum"), described.get("exclusiveMinimum")
    high, below = described.get("maximum"), described.get("exclusiveMaximum")
    limits = []
    if low is not None:
        limits.append(f"≥ {low:g}")
    if above is not None:
        limits.append(f"> {above:g}")
    if high is not None:
        limits.append(f"≤ {high:g}")
    if below is not None:
        limits.append(f"< {below:g}" if below < 2**53 else f"< 2^{below.bit_length() - 1}")
    return f", {', '.join(limits)}" if limits else ""


def _kind_defaults() -> str:
    columns = ["length", "speed", *(p for p in PARAMETERS if p != "length")]
    lines = [f"| kind | {' | '.join(columns)} |", "| --- |" + " --- |" * len(columns)]
    for kind, defaults in DEFAULTS.items():
        values = []
        for column in columns:
            value = defaults[column]
            times = " × speed" if column in ("min_speed", "max_speed") and value else ""
            values.append("none" if abs(value) == float("inf") else f"{value:g}{times}")
        lines.append(f"| {kind} | {' | '.join(values)} |")
    return "\n".join(lines) + "\n"


def command_page() -> str:
    group = typer.main.get_command(app)
    parts = [NOTE, "# The command line\n\n", COMMAND_INTRODUCTION]
    for path, command in _commands(group, "movenv"):
        context = command.make_context(
            path, [], resilient_parsing=True, terminal_width=80, max_content_width=80
        )
        parts += [f"\n## {path}\n\n```text\n{_without_trailing(command.get_help(context))}\n```\n"]
    return "".join(parts)


COMMAND_INTRODUCTION = """\
Exit codes: 0 done, 1 the run failed, 2 what was asked for is wrong, 130 interrupted. With `--json`
standard output is one JSON object. Progress bars go to standard error, and only to a terminal.
"""


def _without_trailing(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _commands(group: Any, path: str) -> list[tuple[str, Any]]:
    found = []
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            found += _commands(command, f"{path} {name}")
        else:
            found.append((f"{path} {name}", command))
    return found


def recording_page() -> str:
    parts = [NOTE, "# Recordings\n\n", RECORDING_INTRODUCTION]
    for topic, layout in LAYOUTS.items():
        parts.append(f"\n### `{topic}`: {layout.name}\n\n```text\n{layout.schema}```\n")
    parts.append("\n## Exports\n\n" + EXPORT_INTRODUCTION)
    parts.append("| column | type |\n| --- | --- |\n")
    for field in SCHEMA:
        text = str(field.type).startswith("dictionary")
        parts.append(f"| `{field.name}` | {'text' if text else field.type} |\n")
    return "".join(parts)


RECORDING_INTRODUCTION = """\
A run leaves an [MCAP](https://mcap.dev) file in zstd-compressed chunks; a chunk is closed at least
every second, so a crash costs no more than that. Time stamps are UTC in nanoseconds: the start of
the run plus the simulated time. Foxglove and every MCAP reader with ROS 2 support open it without
MoVE.

A recorder that is started again writes a further part beside the first: `NAME.mcap`,
`NAME.part2.mcap`, `NAME.part3.mcap`. Their `/run` messages share a `run_id` and count the `part`.
`movenv` reads the first name as the whole: each tick once, the first version of it where parts
overlap or a pause repeats it. A file of another run among them is left out and told.

| topic | encoding | what |
| --- | --- | --- |
| `/run` | JSON | first message: scenario as written, `--set` changes, seed, start, roster |
| `/run_state` | JSON | READY, SET, GO, PAUSE, STOP and when; `utc` is 0 in a fast run |
| `/events` | JSON | happenings of a live run: `t`, `utc`, `kind`, `text`, `who`, `vids` |
| `/snapshots` | CDR | every vehicle, once a tick |
| `/notices` | CDR | the pairs within notice range, on ticks that have one |
| `/detections` | CDR | searchers' finds, on ticks that have one |
| `/broadcasts` | JSON | what vehicles said (base64) and how many hear it, on ticks that have one |
| `/health` | JSON | every second of a live run: margins, lags, losses, clocks |
| `/summary` | JSON | what the run came to; a live run says it every second, and the latest counts |

A recording without its end, or with damaged chunks, is read as far as its chunks are whole;
`movenv info` says what is missing, ticks between two that are there included.

## Layouts

CDR is the encoding of ROS 2 messages, little-endian. Each schema below travels in the file. Rows
are in the order of the roster in `/run`; a `behavior` number counts from 1 in the roster's list of
behaviors, 0 is none. `yaw` is counter-clockwise from east, `heading_deg` clockwise from true north.
`age` is how old the report beneath a row is, in seconds.
"""
EXPORT_INTRODUCTION = """\
`movenv export RECORDING --to csv|parquet` writes one row a vehicle and tick, sorted by time and
vid. The same scenario and seed give the same bytes, the `utc` column aside. `alt` is above mean
sea level, `z` above the origin.

"""

PAGES = {"scenario.md": scenario_page, "commands.md": command_page, "recording.md": recording_page}


def main() -> int:
    stale = []
    for name, make in PAGES.items():
        path, text = REFERENCE / name, make()
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    if "--check" in sys.argv and stale:
        print(f"out of date: {', '.join(stale)}; run make docs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
