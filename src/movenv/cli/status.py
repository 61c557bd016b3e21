"""movenv status: how a live run is doing."""

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from movenv.cli.attached import DEFAULT_CORE, CoreOption, KeysOption, credentials

if TYPE_CHECKING:
    from rich.console import RenderableType

    from movenv.runtime.live.bus import Bus

HELP = """Show how a live run is doing: run state, hosts, and every vehicle.

\b
Examples:
  movenv status
  movenv status --watch
  movenv status --json
"""
REFRESH = 0.5
WIDE = 150
"""Columns where nobody says how many there are."""
QUALITY = ("accuracy", "delay", "battery")
_WRONG = {"lost": "LOST", "stale": "STALE", "never": "UNHEARD"}
ROWS = 40
"""Vehicles shown on a terminal; --json gives all."""


def register(app: typer.Typer) -> None:
    app.command("status", help=HELP)(status)


def status(
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
    watch: Annotated[bool, typer.Option("--watch", help="Keep showing, until Ctrl-C.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    from rich.console import Console, Group
    from rich.live import Live

    from movenv.cli.summary import json_text
    from movenv.runtime.live.bus import Bus, BusError

    bus = Bus.connect(core, credentials(keys), patience=3)
    try:
        if json:
            print(json_text(_ask(bus)))
            return
        if not watch:
            console = Console()
            wide = console if console.is_terminal else Console(width=WIDE)
            wide.print(Group(*_tables(_ask(bus))))
            return
        with Live(auto_refresh=False, screen=sys.stdout.isatty()) as live:
            while True:
                try:
                    found = _ask(bus)
                except BusError as error:
                    live.update(f"{error}; waiting for it", refresh=True)
                    time.sleep(REFRESH)
                    continue
                live.update(Group(*_tables(found)), refresh=True)
                if found["state"] == "STOP":
                    break
                time.sleep(REFRESH)
    except KeyboardInterrupt:
        return
    finally:
        bus.close()


def _ask(bus: "Bus") -> dict[str, Any]:
    import msgspec

    from movenv.runtime.live.bus import STATUS, BusError

    try:
        found: dict[str, Any] = msgspec.json.decode(bus.ask(STATUS, b"vehicles", timeout=3))
    except msgspec.MsgspecError as error:
        raise BusError(f"what answers is no Core of this version: {error}") from None
    return found


def _tables(found: dict[str, Any]) -> "list[RenderableType]":
    return [_head(found), _hosts(found["hosts"]), _vehicles(found["each"])]


def _head(found: dict[str, Any]) -> str:
    from rich.markup import escape

    from movenv.cli.mission_words import mission_words
    from movenv.runtime.live.missing import missing_words

    core = found["core"]
    lines = [
        f"[bold]{found['scenario']}[/]  [bold green]{found['state']}[/]  "
        f"t = {found['t']:.1f} of {found['duration']:g} s  × {found['speed']:g}",
        f"Core: margin {_share(core['margin_p5'])} (5th percentile), "
        f"lag {_time(core['lag'])}, worst {_time(core['worst_lag'])}, "
        f"missed ticks {core['missed_ticks']}; "
        f"recorders {', '.join(found['recorders']) or 'none'}",
    ]
    if found["summary"]["missions"]:
        lines.append(f"missions: {escape(mission_words(found['summary']['missions']))}")
    if found["missing"]:
        lines.append(f"[yellow]missing: {escape(missing_words(found))}[/]")
    if core["refused"]:
        counts = ", ".join(f"{why} {count}" for why, count in core["refused"].items())
        lines.append(f"[yellow]refused: {counts}[/]")
    for host in found["hosts"]:
        if host["refused"]:
            counts = ", ".join(f"{why} {count:,}" for why, count in host["refused"].items())
            lines.append(f"[yellow]{host['host']} dropped: {escape(counts)}[/]")
    return "\n".join(lines)


def _hosts(hosts: list[dict[str, Any]]) -> "RenderableType":
    from rich.table import Table

    table = Table("host", "vehicles", "health", "margin", "p5", "lag", "worst", "age", "loss",
                  "clock", box=None)  # fmt: skip
    for host in hosts:
        table.add_row(
            host["host"], str(host["vehicles"]),
            _health(host),
            _share(host["margin"]), _share(host["margin_p5"]), _time(host["lag"]),
            _time(host["worst_lag"]), _time(host["age"]), _share(host["loss"]),
            f"{_time(host['clock_offset'])} ± {_time(host['clock_uncertainty'])}",
        )  # fmt: skip
    return table


def _health(host: dict[str, Any]) -> str:
    from rich.markup import escape

    if host["health"] != "ok":
        return f"[red]{escape(host['health'])}[/]"
    refused = sum(host["refused"].values())
    return f"[yellow]ok, {refused:,} dropped[/]" if refused else "ok"


def _vehicles(vehicles: list[dict[str, Any]]) -> "RenderableType":
    from rich.table import Table

    more = len(vehicles) - ROWS
    caption = f"and {more:,} more; --json tells of all" if more > 0 else None
    step = ["step"] if any("step" in vehicle for vehicle in vehicles) else []
    table = Table("vehicle", "kind", "origin", "state", "behavior", *step, "x, y, z", "speed",
                  "margin", "lag", "age", "loss", *QUALITY, box=None, caption=caption)  # fmt: skip
    for vehicle in vehicles[:ROWS]:
        place = ", ".join(_number(vehicle.get(axis)) for axis in ("x", "y", "z"))
        wrong = _WRONG.get(vehicle["health"]) or _WRONG.get(vehicle.get("heard", ""))
        state = f"[red]{wrong}[/]" if wrong else vehicle["state"]
        table.add_row(
            vehicle["name"], vehicle["kind"], vehicle["origin"], state,
            vehicle.get("behavior") or "", *(vehicle.get(name, "") for name in step),
            place, _number(vehicle.get("speed")),
            _share(vehicle["margin"]), _time(vehicle["lag"]), _time(vehicle["age"]),
            _share(vehicle["loss"]), *_quality(vehicle),
        )  # fmt: skip
    return table


def _quality(vehicle: dict[str, Any]) -> list[str]:
    """How well a real vehicle is heard; nothing for a virtual one."""
    if "heard" not in vehicle:
        return [""] * len(QUALITY)
    accuracy = vehicle["accuracy"]
    near = "–" if accuracy is None else f"± {accuracy:.0f} m"
    return [near, _time(vehicle["delay"]), _share(vehicle["battery"])]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _time(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value * 1000:.1f} ms" if abs(value) < 1 else f"{value:.1f} s"
