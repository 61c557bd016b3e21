"""movenv car: a vehicle with its own world, sensors and software, as a real one."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from movenv.cli.attached import KeysOption, ReportOption, credentials, on_end

if TYPE_CHECKING:
    from movenv.runtime.car import Links
    from movenv.runtime.live.bus import Bus
    from movenv.scenario.build import Stage
    from movenv.world.run_state import RunState

HELP = """Play a real car: alone in its own world, driving by its own scans.

It takes one vehicle of a scenario, and nobody else, and lets it live by the
clock: its scanner publishes scans, its software reads them where --read-from
says, drives by them, and sends where it thinks it is. With `movenv inject` in
between it meets the virtual vehicles of a live run.

\b
Examples:
  movenv car hybrid-f110 --vehicle car1 --fixes-to 127.0.0.1:47200
  movenv car hybrid-f110 --vehicle car1 --scans-to udp:127.0.0.1:2368 \\
    --read-from udp:127.0.0.1:2369 --pose-to 127.0.0.1:2370 --fixes-to 127.0.0.1:47200
"""


def register(app: typer.Typer) -> None:
    app.command("car", help=HELP)(car)


def car(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="A file or a shipped name.")],
    vehicle: Annotated[str, typer.Option(metavar="NAME", help="Which of its vehicles.")],
    scans_to: Annotated[
        str | None,
        typer.Option(metavar="WHERE", help="Where its scanner publishes: udp:HOST:PORT, bus:NAME."),
    ] = None,
    read_from: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE", help="Where its software reads scans; default: its own scanner."
        ),
    ] = None,
    pose_to: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Where its localisation is sent.")
    ] = None,
    fixes_to: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Where its positions are sent.")
    ] = None,
    core: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A live run whose GO it waits for, standing."),
    ] = None,
    keys: KeysOption = None,
    duration: Annotated[
        float | None, typer.Option(min=0.1, help="For how long, s; default: the scenario's.")
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change the scenario.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="At the end, print one object.")] = False,
    report: ReportOption = None,
) -> None:
    from movenv.cli.summary import json_text, write_report
    from movenv.scenario.build import Stage
    from movenv.scenario.load import load

    stage = Stage(load(scenario, changes or []), real=False)
    began = process_time()
    with _connected(core, keys) as bus:
        links = _links(bus, scans_to, read_from, pose_to, fixes_to)
        facts = _driven(stage, vehicle, links, duration or stage.scenario.time.duration, bus)
    facts["processor_s"] = process_time() - began
    if report is not None:
        write_report(report, facts)
    print(json_text(facts) if json else in_words(facts))


def _connected(core: str | None, keys: Path | None) -> "AbstractContextManager[Bus | None]":
    """A session with the run whose GO the car waits for, if there is one."""
    from movenv.runtime.live.bus import Bus

    return nullcontext() if core is None else Bus.connect(core, credentials(keys), patience=60)


def _links(
    bus: "Bus | None",
    scans_to: str | None,
    read_from: str | None,
    pose_to: str | None,
    fixes_to: str | None,
) -> "Links":
    from movenv.runtime.car import Links
    from movenv.runtime.injection.process import sink_at, source_at
    from movenv.runtime.injection.udp import UdpSink

    return Links(
        scans_to=sink_at(scans_to, lambda: _session(bus)) if scans_to else None,
        scans_from=source_at(read_from, lambda: _session(bus)) if read_from else None,
        pose_to=UdpSink(pose_to) if pose_to else None,
        fixes_to=UdpSink(fixes_to) if fixes_to else None,
    )


def _driven(
    stage: "Stage", vehicle: str, links: "Links", duration: float, bus: "Bus | None"
) -> dict[str, Any]:
    """Let the car live, to its end or ours; returns what it did."""
    from movenv.runtime.car import Car

    alone = Car(stage, vehicle, links, partial(print, f"{vehicle}:", file=sys.stderr, flush=True))
    on_end(alone.stop)
    if bus is None:
        alone.run(duration)
    else:
        alone.run(duration, _followed(bus))
    return alone.facts


def _session(bus: "Bus | None") -> "Bus":
    if bus is None:
        raise typer.BadParameter("scans on the bus need a run", param_hint="--core")
    return bus


def _followed(bus: "Bus") -> "Callable[[], RunState]":
    """Tells the state of the run at a Core, by its latest beacon."""
    from movenv.runtime.live import bus as keys
    from movenv.runtime.live import wire
    from movenv.world.run_state import RunState

    heard = [RunState.READY]

    def on_beacon(_key: str, data: bytes) -> None:
        try:
            heard[0] = RunState(wire.decode(wire.Beacon, data).state)
        except (wire.Garbled, ValueError):
            return  # another comes soon

    bus.hear(keys.BEACON, on_beacon)
    return lambda: heard[0]


def in_words(facts: dict[str, Any]) -> str:
    """What a car did, in a line."""
    return (
        f"{facts['vehicle']}: {facts['scans']} scans sent, {facts['altered']} read with others in "
        f"them, {facts['missing']} not read in time, {facts['unreadable']} unreadable"
    )
