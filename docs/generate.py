"""Writes the reference pages from the schema, the command line and what is recorded and sent.

`python docs/generate.py` writes them, `--check` says which are out of date.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import typer
from pydantic import BaseModel

from movenv.cli.main import app
from movenv.gateways.config import LiveConfig
from movenv.parts.config import Mount, SensorConfig
from movenv.parts.registry import find, names
from movenv.recording.formats.table import SCHEMA
from movenv.recording.layouts import LAYOUTS
from movenv.runtime.live import around, bus, sensor_feed, wheel_wire, wire
from movenv.scenario.schema import Scenario
from movenv.vehicles.airframes import AIRFRAMES
from movenv.vehicles.builds import BUILDS
from movenv.vehicles.car_builds import CAR_BUILDS
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
    parts.append("\n## Sensors\n\n" + SENSORS_INTRODUCTION + "\n" + _fields(SensorConfig))
    parts += [f"\n`mount`: {_doc(Mount)}\n\n", _fields(Mount)]
    for name in names("sensors"):
        config = find("sensors", name).Config
        parts += [f"\n### `{name}`\n\n{_doc(config)}\n\n", _fields(config, SensorConfig)]
    parts.append("\n## Gateways\n\n" + GATEWAYS_INTRODUCTION + "\n" + _fields(LiveConfig))
    for name in names("gateways"):
        config = find("gateways", name).Config
        parts += [f"\n### `{name}`\n\n{_doc(config)}\n\n", _fields(config, LiveConfig)]
    parts.append("\n## Models\n")
    for name in names("vehicles"):
        config = find("vehicles", name).Config
        parts += [f"\n### `{name}`\n\n{_doc(config)}\n\n", _fields(config)]
    parts += ["\nDefaults of `kinematic` by kind:\n\n", _kind_defaults()]
    parts += ["\nThe builds of `ground`:\n\n", _presets(BUILDS)]
    parts += ["\nThe builds of `car` and `single_track`:\n\n", _presets(CAR_BUILDS)]
    parts += ["\nThe airframes of `fixedwing`:\n\n", _presets(AIRFRAMES)]
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
SENSORS_INTRODUCTION = """\
A vehicle has `sensors:` by names of your choice: `sensors: {front: {type: lidar}}`. Every sensor
takes the settings of this table, and those of its own. [What sensors
measure](../explanation/sensors.md) tells what comes of them, [how to mount
one](../how-to/mount-a-sensor.md) how to get at it.
"""
GATEWAYS_INTRODUCTION = """\
A vehicle with `live:` is real in a live run: `live: {type: phone_udp, own_port: true}`. Every
gateway takes the settings of this table, and those of its own. [How to bring real
vehicles](../how-to/bring-real-vehicles.md) tells which to choose.
"""
KEYS = {
    "Origin": "origin",
    "Time": "time",
    "Adaptive": "adaptive",
    "Sector": "sectors",
    "World": "world",
    "Area": "areas",
    "Route": "routes",
    "Slow": "slow",
    "Stop": "stops",
    "Terrain": "terrain",
    "Feature": "features",
    "Scatter": "scatter",
    "Soil": "soils",
    "Hill": "hills",
    "Relief": "relief",
    "Materials": "materials",
    "Vehicles": "vehicles",
    "Step": "mission",
    "Priority": "change",
    "Until": "until",
    "Repeat": "repeat",
    "Start": "start",
    "Line": "line",
    "Grid": "grid",
    "Notices": "notices",
    "Awareness": "awareness",
    "LinkLoss": "link_loss",
    "Radio": "radio",
    "Map": "map",
    "MapLayer": "layers",
    "Fidelity": "fidelity",
    "Order": "orders",
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


def _doc(model: type[Any]) -> str:
    return " ".join((model.__doc__ or "").split())


def _fields(model: type[BaseModel], base: type[BaseModel] | None = None) -> str:
    """A table of the settings; those that `base` has the same are left out."""
    schema = model.model_json_schema(by_alias=True)
    if "$ref" in schema:  # a model that contains itself
        schema = schema["$defs"][model.__name__]
    properties = schema["properties"]
    lines = ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    for name, field in model.model_fields.items():
        if base is not None and name in base.model_fields:
            continue
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
        if any("$ref" in option for option in options) and len(options) > 1:
            return "point"
        return " or ".join(_value(option) for option in options)
    if "oneOf" in described:
        return "point"
    if "$ref" in described or "allOf" in described:
        return "keys"
    if "const" in described:
        return f"`{str(described['const']).lower()}`"
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


def _presets(presets: Mapping[str, Mapping[str, float]]) -> str:
    columns = list(next(iter(presets.values())))
    lines = [f"| name | {' | '.join(columns)} |", "| --- |" + " --- |" * len(columns)]
    for name, preset in presets.items():
        lines.append(f"| `{name}` | {' | '.join(_number(preset[c]) for c in columns)} |")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return "no limit" if value >= 1e9 else f"{value:,g}"


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
| `/orders` | JSON | what vehicles were told to do: by whom, when, the places, the formation |
| `/wheels` | JSON | wheel and pedals of each vehicle that is driven from outside, once a tick |
| `/receptions` | CDR | how well real vehicles are heard, once a tick where there are any |
| `/packets` | JSON | raw packets of real vehicles (base64) and what became of each |
| `/health` | JSON | every second of a live run: margins, lags, losses, clocks |
| `/summary` | JSON | what the run came to; a live run says it every second, and the latest counts |

A recording without its end, or with damaged chunks, is read as far as its chunks are whole;
`movenv info` says what is missing, ticks between two that are there included.

## Layouts

CDR is the encoding of ROS 2 messages, little-endian. Each schema below travels in the file. Rows
are in the order of the roster in `/run`; a `behavior` number counts from 1 in the roster's list of
behaviors, 0 is none. `yaw` is counter-clockwise from east, `heading_deg` clockwise from true north.
`age` is how old what lies beneath a row is, in seconds: the report of a virtual vehicle, the fix of
a real one.
"""
EXPORT_INTRODUCTION = """\
`movenv export RECORDING --to geojson|gpx|kml|czml` writes a track a vehicle: [how to analyse a
recording](../how-to/analyse-a-recording.md) tells what is in them.

`movenv export RECORDING --to csv|parquet` writes one row a vehicle and tick, sorted by time and
vid. The same scenario and seed give the same bytes, the `utc` column aside. `alt` is above mean
sea level, `z` above the origin. `accuracy`, `delay`, `loss` and `battery` are of real vehicles, and
empty where nobody told.

"""


def bus_page() -> str:
    frame = BUS_FRAME.format(magic=wire.MAGIC.decode(), version=wire.VERSION, head=wire.HEAD)
    parts = [NOTE, "# The bus of a live run\n\n", BUS_INTRODUCTION, "\n## Keys\n\n", _keys()]
    parts += ["\n## The frame\n\n", frame, "\n## Messages\n\n", MESSAGES_INTRODUCTION]
    for message in _messages():
        parts += [f"\n### {message.kind}: `{message.__name__}`\n\n", f"{_doc(message)}\n\n"]
        parts.append(_message_fields(message))
    parts += ["\n## Tables\n\n", TABLES_INTRODUCTION]
    for field, layout in TABLES.items():
        parts.append(f"\n### `{field}`: {layout.name}\n\n```text\n{layout.schema}```\n")
    return "".join(parts)


BUS_INTRODUCTION = f"""\
The processes of a live run talk over [Zenoh](https://zenoh.io). The Core listens and routes;
everyone else connects to it as a client. Nothing is discovered: scouting is off, and there are no
links but those to the Core. The default address is `{bus.DEFAULT_CORE}`. What it all means is told
in [the live run](../explanation/live-run.md).
"""
BUS_FRAME = """\
| offset | bytes | what |
| --- | --- | --- |
| 0 | 2 | `{magic}` |
| 2 | 1 | version of the protocol: {version} |
| 3 | 1 | kind of the message |
| {head} | the rest | body in [MessagePack](https://msgpack.org): an array of the fields in order |

Bytes of another kind or version, or whose body does not fit, are refused and counted. Only
questions and answers on `{status}` go without the frame.
""".replace("{status}", bus.STATUS)
MESSAGES_INTRODUCTION = """\
Times are whole nanoseconds of a monotonic clock: the Core's, unless the field says otherwise; `t`
is simulated time in seconds. A `state` is READY 1, SET 2, GO 3, PAUSE 4, STOP 5. A meaning may also
be that of the fields just above that have none.
"""
TABLES_INTRODUCTION = """\
Tables of vehicles travel in messages as CDR, the encoding that [recordings](recording.md) use, with
these columns; an empty table is no bytes at all. `items` of `Records` and `record` of `RunInfo` are
messages of the recording as they are written to it. `payloads` are the bytes that vehicles say;
`row` of an inbox counts in them from 0.
"""
TABLES = {
    "motions": wire.MOTIONS,
    "receptions": wire.RECEPTIONS,
    "detections": wire.DETECTIONS,
    "others": wire.OTHERS,
    "notices": wire.NOTICES,
    "inbox": wire.INBOX,
}
Said = tuple[str, type[wire.Message] | None, tuple[type[wire.Message], ...], str]
KEYS_OF_THE_BUS: dict[str, Said] = {
    bus.BEACON: ("the Core tells", wire.Beacon, (), "every tick; in READY every second"),
    bus.awareness_key("HOST"): (
        "the Core tells one host",
        wire.AwarenessMessage,
        (),
        "with every beacon",
    ),
    bus.report_key("HOST"): (
        "a host tells",
        wire.ReportMessage,
        (),
        "every tick; in READY every second",
    ),
    bus.news_key("HOST"): (
        "a gateway tells",
        wire.GatewayNews,
        (),
        "what came from the world, five times a second",
    ),
    bus.RECORDS: (
        "the Core tells",
        wire.Records,
        (),
        "every tick from SET on; events; every second how all are",
    ),
    bus.JOIN: (
        "a host asks",
        wire.JoinRequest,
        (wire.Joined, wire.Refusal),
        "as it starts, and when the Core was restarted",
    ),
    bus.COMMAND: (
        "the operator asks",
        wire.Command,
        (wire.Done, wire.Refusal),
        "to change the run state",
    ),
    bus.MARK: (
        "the operator asks",
        wire.Mark,
        (wire.Marked, wire.Refusal),
        "to have words recorded",
    ),
    bus.ORDER: (
        "the operator asks",
        wire.OrderMessage,
        (wire.Ordered, wire.Refusal),
        "to have vehicles do something",
    ),
    wheel_wire.WHEEL: (
        "a driver asks",
        wheel_wire.WheelRequest,
        (wheel_wire.WheelGiven, wire.Refusal),
        "for the wheel of a vehicle, and again every second to keep it",
    ),
    wheel_wire.WHEEL_RELEASE: (
        "a driver or the operator asks",
        wheel_wire.WheelRelease,
        (wheel_wire.WheelReleased, wire.Refusal),
        "to have nobody drive it any more",
    ),
    wheel_wire.turns_key("VID"): (
        "a driver tells",
        wheel_wire.Turn,
        (),
        "how wheel and pedals stand, as often as it likes, and before `dead_man` is over",
    ),
    wheel_wire.dashboard_key("VID"): (
        "a host tells",
        wheel_wire.Dashboard,
        (),
        "every tick of a vehicle that is driven",
    ),
    bus.RECORDS_AGAIN: (
        "a recorder asks",
        wire.RecordsAgain,
        (wire.KeptRecords, wire.Refusal),
        "when a number is missing among what came",
    ),
    bus.RUN: ("anybody asks", None, (wire.RunInfo,), "as it connects"),
    bus.AROUND: (
        "an injection layer asks",
        around.AroundRequest,
        (around.Around, wire.Refusal),
        "who is around its vehicle, ten times a second",
    ),
    bus.injection_key("VEHICLE"): (
        "the operator asks",
        None,
        (),
        "`on`, `off` or `ask` of an injection layer; the answer is JSON",
    ),
    bus.scan_key("NAME"): (
        "a scanner or an injection layer tells",
        None,
        (),
        "a scan, [as a datagram or JSON](../explanation/injection.md)",
    ),
    bus.scan_writer_key("NAME"): (
        "token of an injection layer",
        None,
        (),
        "as long as it writes scans under that name",
    ),
    bus.sensor_key("VID", "NAME"): (
        "a host or an injection layer tells",
        sensor_feed.SensorMessage,
        (),
        "what a sensor measured, every tick, to those who listen, of a camera the newest picture "
        "as JPEG; of an injection layer, as `scans`, what its vehicle's software reads, at most 20 "
        "times a second",
    ),
    bus.STATUS: (
        "anybody asks",
        None,
        (),
        "the answer is JSON; the question `vehicles` has them one by one, "
        "`console` what consoles show, `orders` the orders that hold",
    ),
    bus.gateway_key("HOST"): (
        "the operator asks",
        None,
        (),
        'JSON: a gateway\'s type and some words, such as `["join", "links"]`',
    ),
    bus.alive_key("HOST"): ("token of a host", None, (), "as long as its session lasts"),
    bus.recorder_key("NAME"): ("token of a recorder", None, (), "as long as its session lasts"),
    bus.watcher_key("NAME"): (
        "token of a watcher",
        None,
        (),
        "the Core waits for it, for some seconds, before it ends",
    ),
}


def _keys() -> str:
    """Every key of the bus; fails where one, or a message, has been forgotten."""
    of_bus = vars(bus) | vars(wheel_wire)
    plain = {v for k, v in of_bus.items() if k.isupper() and str(v).startswith(f"{bus.ROOT}/")}
    made = {_any(v) for k, v in of_bus.items() if k.endswith("_key")}
    known = {_starred(key) for key in KEYS_OF_THE_BUS}
    assert known == plain | made, known ^ (plain | made)
    spoken = {m for _, said, answers, _ in KEYS_OF_THE_BUS.values() for m in (said, *answers) if m}
    assert spoken == set(_messages()), spoken ^ set(_messages())
    lines = ["| key | who | message | when |", "| --- | --- | --- | --- |"]
    for key, (who, said, answers, when) in KEYS_OF_THE_BUS.items():
        told = [f"`{said.__name__}`"] if said else []
        told += ["answer " + " or ".join(f"`{m.__name__}`" for m in answers)] if answers else []
        lines.append(f"| `{key}` | {who} | {', '.join(told)} | {when} |")
    return "\n".join(lines) + "\n"


def _any(key: Callable[..., str]) -> str:
    """A key with stars for whatever it is of."""
    return _starred(key(*["*"] * len(inspect.signature(key).parameters)))


def _starred(key: str) -> str:
    """The same with one star for all that stands in capitals or is a star already."""
    fixed = [piece for piece in key.split("/") if not (piece.isupper() or piece == "*")]
    return "/".join(fixed) + ("/*" if len(fixed) < key.count("/") + 1 else "")


def _messages() -> list[type[wire.Message]]:
    return sorted(wire.Message.__subclasses__(), key=lambda message: message.kind)


def _is_of_the_class(line: ast.AnnAssign) -> bool:
    return ast.unparse(line.annotation).startswith("ClassVar")


def _message_fields(message: type[wire.Message]) -> str:
    """The fields with their types and the strings that stand below them in the source."""
    (body,) = ast.parse(inspect.getsource(message)).body
    assert isinstance(body, ast.ClassDef)
    lines = ["| field | type | meaning |", "| --- | --- | --- |"]
    for line, below in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(line, ast.AnnAssign) and not _is_of_the_class(line):
            assert isinstance(line.target, ast.Name)
            meaning = ""
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                meaning = " ".join(str(below.value.value).split())
            name = line.target.id
            if name in TABLES and not meaning:
                meaning = f"a [table](#{name}-{TABLES[name].name.replace('/', '').lower()})"
            lines.append(f"| `{name}` | {ast.unparse(line.annotation)} | {meaning} |")
    return "\n".join(lines) + "\n"


PAGES = {
    "scenario.md": scenario_page,
    "commands.md": command_page,
    "recording.md": recording_page,
    "bus.md": bus_page,
}


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
