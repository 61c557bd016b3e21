"""movenv car: a vehicle with its own world, sensors and software, as a real one."""

from contextlib import ExitStack
from functools import partial
from time import process_time
from typing import TYPE_CHECKING, Annotated

import typer

from movenv.cli.attached import KeysOption, credentials, on_end

if TYPE_CHECKING:
    from movenv.runtime.live.bus import Bus

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
) -> None:
    from movenv.cli.summary import json_text
    from movenv.runtime.car import Car, Links
    from movenv.runtime.injection.process import sink_at, source_at
    from movenv.runtime.injection.udp import UdpSink
    from movenv.runtime.live.bus import Bus
    from movenv.scenario.build import Stage
    from movenv.scenario.load import load

    stage = Stage(load(scenario, changes or []), real=False)
    began = process_time()
    with ExitStack() as open_:
        bus: Bus | None = None
        if core is not None:
            bus = open_.enter_context(Bus.connect(core, credentials(keys), patience=60))
        links = Links(
            scans_to=sink_at(scans_to, lambda: _session(bus)) if scans_to else None,
            scans_from=source_at(read_from, lambda: _session(bus)) if read_from else None,
            pose_to=UdpSink(pose_to) if pose_to else None,
            fixes_to=UdpSink(fixes_to) if fixes_to else None,
        )
        alone = Car(stage, vehicle, links)
        on_end(alone.stop)
        lasts = duration or stage.scenario.time.duration
        alone.run(lasts, partial(_goes, bus) if bus else lambda: True)
    facts = {
        "vehicle": vehicle, "scans": alone.sent, "altered": alone.altered,
        "missing": alone.missing, "unreadable": alone.unreadable, "scan_bytes": alone.bytes,
        "estimates": alone.estimates, "lived_s": alone.lived, "took_s": alone.took,
        "processor_s": process_time() - began,
    }  # fmt: skip
    print(json_text(facts) if json else _words(facts))


def _session(bus: "Bus | None") -> "Bus":
    if bus is None:
        raise typer.BadParameter("scans on the bus need a run", param_hint="--core")
    return bus


def _goes(bus: "Bus") -> bool:
    """Whether the run of a Core is in GO."""
    import msgspec

    from movenv.runtime.live import bus as keys

    state: str = msgspec.json.decode(bus.ask(keys.STATUS, b""))["state"]
    return state == "GO"


def _words(facts: dict[str, object]) -> str:
    return (
        f"{facts['vehicle']}: {facts['scans']} scans sent, {facts['altered']} read with others in "
        f"them, {facts['missing']} not read in time, {facts['unreadable']} unreadable"
    )
