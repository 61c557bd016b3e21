"""movenv phones: rehearse a field test with phones that are played."""

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from movenv.cli.attached import on_end

if TYPE_CHECKING:
    from movenv.runtime.rehearsal.plan import Wishes

HELP = """Play phones, over real sockets, as if people carried them.

SOURCE is a scenario, whose real vehicles are moved by the models and behaviors
it gives them; a GPX file; or a recording, whose vehicles walk again. Fixes can
be made as bad as in the field: noise, lost packets, delay, reordering.

\b
Examples:
  movenv phones mixed-field
  movenv phones mixed-field --noise 3 --drop 0.4 --jitter 1
  movenv phones walk.gpx --format owntracks --count 5 --to 192.168.1.5
  movenv phones yesterday.mcap --vehicle medic --format hyperimu --to 127.0.0.1:47101
"""


def register(app: typer.Typer) -> None:
    app.command("phones", help=HELP)(phones)


def phones(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Scenario, GPX or recording.")],
    to: Annotated[
        str, typer.Option(metavar="HOST[:PORT]", help="Where the gateway is.")
    ] = "127.0.0.1",
    format_: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help="What they speak; default by gateway."),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(min=0.01, max=100, help="Fixes a second; default: the scenario's, or 1."),
    ] = None,
    noise: Annotated[float, typer.Option(min=0, max=1e5, help="Of a fix, each axis, m.")] = 0.0,
    drop: Annotated[float, typer.Option(min=0, max=1, help="Share of packets lost.")] = 0.0,
    delay: Annotated[float, typer.Option(min=0, max=600, help="Of every packet, s.")] = 0.0,
    jitter: Annotated[float, typer.Option(min=0, max=600, help="Up to so much more, s.")] = 0.0,
    no_speed: Annotated[
        bool, typer.Option("--no-speed", help="Do not send speed and course.")
    ] = False,
    count: Annotated[
        int, typer.Option(min=1, max=10_000, help="So many phones on the track of a GPX file.")
    ] = 1,
    device: Annotated[
        str | None, typer.Option(help="What phones on a track call themselves; -1, -2 behind it.")
    ] = None,
    vehicle: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Only these of a scenario or recording."),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(metavar="PATTERN", help="All but these.")
    ] = None,
    duration: Annotated[float | None, typer.Option(min=0, help="Default: until Ctrl-C.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of noise and losses.")] = 0,
    truth: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write as CSV where they really were.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change the scenario.")
    ] = None,
) -> None:
    from movenv.runtime.rehearsal.imperfections import Imperfections
    from movenv.runtime.rehearsal.plan import Wishes

    host, _, port = to.partition(":")
    if port and not (port.isdecimal() and 0 < int(port) < 65536):
        raise typer.BadParameter(f"'{to}' is no HOST:PORT", param_hint="--to")
    true_places: list[tuple[str, float, float, float]] = []
    wishes = Wishes(
        source=source,
        host=host,
        port=int(port) if port else None,
        format=format_,
        rate=rate,
        imperfections=Imperfections(noise, drop, delay, jitter),
        with_speed=not no_speed,
        count=count,
        device=device,
        vehicles=vehicle or ["*"],
        without=without or [],
        seed=seed,
        changes=set_ or [],
        truth=lambda *place: true_places.append(place) if truth else None,
    )
    try:
        _play(wishes, duration)
    finally:
        if truth:
            _write(truth, true_places)


def _write(path: Path, places: list[tuple[str, float, float, float]]) -> None:
    from movenv.runtime.errors import RunFailed

    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(("device", "utc", "lat", "lon"))
            table.writerows(places)
    except OSError as error:
        raise RunFailed(f"cannot write {path}: {error.strerror}") from None


def _play(wishes: "Wishes", duration: float | None) -> None:
    from movenv.runtime.rehearsal.plan import rehearsal

    ended = False

    def end(_why: str) -> None:
        nonlocal ended
        ended = True

    on_end(end)
    player, lines = rehearsal(wishes)
    try:
        for line in lines:
            print(line, flush=True)
        player.play(float("inf") if duration is None else duration, lambda: ended)
    finally:
        player.close()
        print(f"{player.sent:,} fixes sent, {player.lost:,} lost on purpose", file=sys.stderr)
        for why, count in player.trouble.most_common(5):
            print(f"{count:,} did not arrive: {why}", file=sys.stderr)
