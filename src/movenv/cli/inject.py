"""movenv inject: virtual vehicles in a real vehicle's scans."""

import signal
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from movenv.cli.attached import (
    DEFAULT_CORE,
    CoreOption,
    KeysOption,
    ReportOption,
    credentials,
    on_end,
)

if TYPE_CHECKING:
    from movenv.runtime.injection.pace import Pace
    from movenv.runtime.injection.process import Settings
    from movenv.runtime.live.bus import Bus

HELP = """Put the virtual vehicles of a live run into the scans of a real one.

It runs beside the real vehicle, reads scans where its scanner writes them and
writes them where its software reads them: bus:NAME, udp:HOST:PORT, or lines of
JSON in a file or - for standard input and output. A beam that would have met a
virtual vehicle ends there; every other beam keeps its bits. Off, every scan
does. Without a Core, or when it has been lost, nobody is injected. Who selects
the vehicle in the console sees its scans, and which beams were altered.

\b
Examples:
  movenv inject --vehicle car1 --from udp:127.0.0.1:2368 --to udp:127.0.0.1:2369
  movenv inject --vehicle car1 --from bus:car1 --to bus:car1/altered --off
  movenv inject --vehicle car1 --switch on
"""
STDOUT = "-"


def register(app: typer.Typer) -> None:
    app.command("inject", help=HELP)(inject)


def inject(
    vehicle: Annotated[str, typer.Option(metavar="NAME", help="Who in the run this is.")],
    source: Annotated[
        str | None, typer.Option("--from", metavar="WHERE", help="Where its scans come from.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="WHERE", help="Where they go.")] = None,
    pose: Annotated[
        str | None,
        typer.Option(metavar="udp:HOST:PORT", help="Its own localisation; else the Core's State."),
    ] = None,
    stamps: Annotated[
        Literal["arrival", "utc", "run"],
        typer.Option(help="What clock the scans' stamps are of; arrival: do not look at them."),
    ] = "arrival",
    off: Annotated[bool, typer.Option("--off", help="Begin as a mere relay.")] = False,
    switch: Annotated[
        Literal["on", "off", "ask"] | None,
        typer.Option(help="Switch a layer that runs, or ask how it is. SIGUSR1 toggles it."),
    ] = None,
    rate: Annotated[
        str,
        typer.Option(
            metavar="HZ|LEAST-MOST",
            help="Questions to the Core a second; with 2-40 as often as speed and nearness ask.",
        ),
    ] = "10",
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
    json: Annotated[bool, typer.Option("--json", help="At the end, print one object.")] = False,
    report: ReportOption = None,
) -> None:
    from movenv.runtime.injection.process import Settings
    from movenv.runtime.live.bus import Bus, check_endpoint

    shown = credentials(keys)
    check_endpoint(core, shown)
    if switch is not None:
        with Bus.connect(core, shown, patience=3) as bus:
            _switch(bus, vehicle, switch, json)
        return
    if source is None or to is None:
        raise typer.BadParameter(
            "name both, or --switch a layer that runs", param_hint="--from, --to"
        )
    settings = Settings(vehicle, source, to, pose, stamps, not off, _pace(rate))
    sessions: list[Bus] = []

    @cache
    def connect() -> "Bus":
        sessions.append(Bus.connect(core, shown, patience=5))
        return sessions[0]

    try:
        _pass_on(settings, connect, json, report)
    finally:
        for session in sessions:
            session.close()


def _switch(bus: "Bus", vehicle: str, wanted: str, as_json: bool) -> None:
    """Switch the layer that runs, and tell how it is."""
    from movenv.cli.summary import json_text
    from movenv.runtime.injection import process as injection

    status = injection.switch(bus, vehicle, wanted)
    print(json_text(status) if as_json else injection.in_words(status))


def _pass_on(
    settings: "Settings", connect: Callable[[], "Bus"], as_json: bool, report: Path | None
) -> None:
    """Be the layer, to the end of the scans or ours, and tell what became of them."""
    from movenv.cli.summary import json_text, write_report
    from movenv.runtime.injection import process as injection

    layer = injection.InjectionProcess(settings, connect)
    on_end(layer.stop)
    if hasattr(signal, "SIGUSR1"):
        signal.signal(signal.SIGUSR1, lambda *_: layer.toggle())
    layer.run()
    status = layer.status()
    print(injection.in_words(status), file=sys.stderr, flush=True)
    if as_json:
        print(json_text(status), file=sys.stderr if settings.sink == STDOUT else sys.stdout)
    if report is not None:
        write_report(report, status)


def _pace(text: str) -> "Pace":
    """`10`, or `2-40` for what adapts."""
    from movenv.runtime.injection.pace import Pace

    least, dash, most = text.partition("-")
    try:
        bounds = float(least), float(most if dash else least)
    except ValueError:
        bounds = 0.0, 0.0
    if not 0.1 <= bounds[0] <= bounds[1] <= 100.0:
        raise typer.BadParameter(
            f"'{text}' is no rate; 10 and 2-40 are, between 0.1 and 100", param_hint="--rate"
        )
    return Pace(*bounds)
