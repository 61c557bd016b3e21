"""movenv core: the Core of a live run by itself."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from movenv.cli.attached import DEFAULT_CORE, KeysOption, credentials, on_end

if TYPE_CHECKING:
    from movenv.runtime.live.core import Resumed

HELP = """Start the Core of a live run: hosts and a recorder connect to it.

It waits in READY for the operator (movenv state), or with --auto goes on by
itself when every vehicle has reported. It listens on this machine only, unless
it is given an encrypted address and keys.

\b
Examples:
  movenv core three-uavs --auto
  movenv core my.yaml --listen tls/0.0.0.0:7450 --keys run-keys/core
"""


def register(app: typer.Typer) -> None:
    app.command("core", help=HELP)(core)


def core(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="A file or a shipped name.")],
    listen: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help=f"Where to listen; default {DEFAULT_CORE}."),
    ] = None,
    keys: KeysOption = None,
    auto: Annotated[bool, typer.Option("--auto", help="Go when everyone has reported.")] = False,
    recorders: Annotated[
        int, typer.Option(min=0, max=16, help="Wait for so many recorders before --auto goes.")
    ] = 0,
    speed: Annotated[float, typer.Option(min=0.01, max=100, help="Times real time.")] = 1.0,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change the scenario.")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Go on where this recording of a killed Core ends."),
    ] = None,
    resume_at: Annotated[str | None, typer.Option(hidden=True)] = None,
    run_id: Annotated[str | None, typer.Option("--run", hidden=True)] = None,
    rehearsed: Annotated[bool, typer.Option("--rehearsed", hidden=True)] = False,
) -> None:
    from movenv.runtime.live.serve import serve_core
    from movenv.runtime.rehearsal.doors import why_not
    from movenv.scenario.build import Stage
    from movenv.scenario.load import load

    changes = list(set_ or [])
    stage = Stage(load(scenario, changes))
    serve_core(
        stage,
        changes,
        listen or [DEFAULT_CORE],
        credentials(keys),
        auto=auto,
        recorders=recorders,
        speed=speed,
        run_id=run_id,
        resumed=_resumed(resume, run_id) if resume else _resumed_at(resume_at, run_id),
        rehearsed=[r.entry.name for r in stage.real if rehearsed and not why_not(r.entry)],
        on_end=on_end,
    )


def _resumed(path: Path, run_id: str | None) -> "Resumed | None":
    """What the recording last saw; None when it holds nothing of this run."""
    from movenv.recording.last_seen import last_seen
    from movenv.runtime.live.core import Resumed

    seen = last_seen(path)
    if seen is None or (run_id and seen.run_id != run_id):
        return None
    where = seen.run_id, seen.run_state, seen.tick, seen.vehicles
    return Resumed(*where, seen.summary, seen.orders)


def _resumed_at(place: str | None, run_id: str | None) -> "Resumed | None":
    """What a launcher has heard of a run that is not recorded: STATE:TICK."""
    from movenv.runtime.live.core import Resumed
    from movenv.world.run_state import RunState

    if place is None or run_id is None:
        return None
    state, tick = place.split(":")
    return Resumed(run_id, RunState[state], int(tick))
