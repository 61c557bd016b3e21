"""movenv inject: virtual vehicles in a real vehicle's scans."""

import signal
import sys
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from movenv.cli.attached import DEFAULT_CORE, CoreOption, KeysOption, credentials, on_end

if TYPE_CHECKING:
    from movenv.runtime.injection.pace import Pace
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
) -> None:
    from movenv.cli.summary import json_text
    from movenv.runtime.injection import process as injection
    from movenv.runtime.live.bus import Bus, check_endpoint

    shown = credentials(keys)
    check_endpoint(core, shown)
    if switch is not None:
        with Bus.connect(core, shown, patience=3) as bus:
            status = injection.switch(bus, vehicle, switch)
        print(json_text(status) if json else injection.in_words(status))
        return
    if source is None or to is None:
        raise typer.BadParameter(
            "name both, or --switch a layer that runs", param_hint="--from, --to"
        )
    pace = _pace(rate)
    sessions: list[Bus] = []

    @cache
    def connect() -> "Bus":
        sessions.append(Bus.connect(core, shown, patience=5))
        return sessions[0]

    settings = injection.Settings(vehicle, source, to, pose, stamps, not off, pace)
    layer = injection.InjectionProcess(settings, connect)
    on_end(layer.stop)
    if hasattr(signal, "SIGUSR1"):
        signal.signal(signal.SIGUSR1, lambda *_: layer.toggle())
    try:
        layer.run()
    finally:
        print(injection.in_words(layer.status()), file=sys.stderr, flush=True)
        if json:
            print(json_text(layer.status()), file=sys.stderr if to == STDOUT else sys.stdout)
        for session in sessions:
            session.close()


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
