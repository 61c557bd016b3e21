"""movenv run: run a scenario, live or fast."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from movenv.cli.attached import DEFAULT_CORE, AddressOption, KeysOption
from movenv.cli.goal import Goal
from movenv.cli.page import PortOption, browser_is_seen

if TYPE_CHECKING:
    from movenv.scenario.schema import Scenario

HELP = """Run a scenario and record it.

SCENARIO is a file or the name of a shipped scenario. The run is live: on the
wall clock, with Core, hosts and recorder as processes of their own. With
--fast it is one process that goes as fast as it can. The run ends with the
scenario's duration; Ctrl-C ends it early and closes the recording.

A live run can be seen and run in a browser: the link of its console is
printed, and opened where somebody would see it.

\b
Examples:
  movenv run three-uavs
  movenv run three-uavs --manual          then: movenv state set, go, pause, stop
  movenv run three-uavs --fast --seed 8 --set vehicles.uav.count=30
  movenv run mixed-field --rehearse       two phones among twelve virtual vehicles
  movenv run hybrid-f110 --rehearse       a car that drives by its scans, and one in them
  movenv run urban-loop                   a car in a town, to be driven by hand or by JAUS
  movenv run three-uavs --drivable        whichever of them the console hands out
  movenv run three-uavs --record mongodb://localhost:27017/tests
  movenv run my.yaml --away 'uav-3' --public --keys run-keys/core
"""
LIVE_ONLY = (
    *("manual", "speed", "listen", "public", "keys", "away", "render"),
    *("open_", "address", "rehearse", "drivable", "no_console", "console_port", "no_browser"),
)


def register(app: typer.Typer) -> None:
    app.command("run", help=HELP)(run)


def run(
    context: typer.Context,
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="A file or a shipped name.")],
    fast: Annotated[
        bool, typer.Option("--fast", help="In one process, as fast as it goes.")
    ] = False,
    duration: Annotated[float | None, typer.Option(help="Length of the run, s.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all random numbers.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change the scenario.")
    ] = None,
    record: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|mongodb://…",
            help="Recording; default: recordings/NAME-TIME.mcap. Twice for a file and a database.",
        ),
    ] = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Do not record.")] = False,
    hosts: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            help="Share vehicles among N hosts; default: one a core; fast: by number.",
        ),
    ] = None,
    manual: Annotated[bool, typer.Option("--manual", help="Wait for movenv state.")] = False,
    speed: Annotated[float, typer.Option(min=0.01, max=100, help="Times real time.")] = 1.0,
    away: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Vehicles that hosts elsewhere bring."),
    ] = None,
    render: Annotated[
        list[str] | None, typer.Option(metavar="HOST:PORT", help="Send snapshots to a renderer.")
    ] = None,
    no_console: Annotated[
        bool, typer.Option("--no-console", help="Do not offer the run to browsers.")
    ] = False,
    console_port: PortOption = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open a browser.")
    ] = False,
    open_: Annotated[
        bool, typer.Option("--open", help="Let phones and browsers in from every network.")
    ] = False,
    address: AddressOption = None,
    rehearse: Annotated[
        bool, typer.Option("--rehearse", help="Play the real vehicles as well: phones and cars.")
    ] = False,
    drivable: Annotated[
        bool, typer.Option("--drivable", help="Let people and programs drive any virtual vehicle.")
    ] = False,
    listen: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help=f"Where the Core listens; default {DEFAULT_CORE}."),
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="Listen on every network, encrypted; needs --keys.")
    ] = False,
    keys: KeysOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    from movenv.scenario.load import load

    if record and no_record:
        raise typer.BadParameter(
            "--record and --no-record exclude each other", param_hint="--record"
        )
    if fast:
        _refuse_live_options(context)
    changes = list(set_ or [])
    said = {}
    if duration is not None:
        said[f"time.duration={duration}"] = f"--duration {duration:g}"
    if seed is not None:
        said[f"seed={seed}"] = f"--seed {seed}"
    changes += said
    loaded = load(scenario, changes, said)
    if drivable:
        wheels = dict.fromkeys(_wheels_for_all(loaded.scenario), "--drivable")
        changes += wheels
        loaded = load(scenario, changes, said | wheels)
    goal = None
    if not no_record:
        goal = Goal.of(record or [], lambda: _default_path(loaded.scenario.name))
    if fast:
        from movenv.cli.fast_run import fast_run

        fast_run(loaded, changes, hosts, goal, json)
        return
    from movenv.cli.live_run import Plan, live_run

    plan = Plan(
        scenario,
        changes,
        goal,
        hosts,
        manual,
        speed,
        away or [],
        render or [],
        open_,
        address,
        rehearse,
        listen,
        public,
        keys,
        console=not no_console,
        console_port=console_port,
        browser=not no_browser and not json and browser_is_seen(),
    )
    live_run(loaded, plan, json)


def _wheels_for_all(scenario: "Scenario") -> list[str]:
    """The changes by which every virtual vehicle can be driven."""
    return [
        f"vehicles.{number}.behaviors.driven={{}}"
        for number, group in enumerate(scenario.vehicles)
        if group.live is None and "driven" not in group.behaviors
    ]


def _refuse_live_options(context: typer.Context) -> None:
    for name in LIVE_ONLY:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(
                "a fast run has no use for it", param_hint=f"--{name.strip('_').replace('_', '-')}"
            )


def _default_path(name: str) -> Path:
    from movenv.recording.writer import RecordingRefused

    stamp = datetime.fromtimestamp(time.time(), UTC).strftime("%Y%m%dT%H%M%S.%f")[:-3]
    path = Path("recordings") / f"{name}-{stamp}Z.mcap"
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise RecordingRefused(f"cannot make {path.parent}: {error.strerror}") from None
    return path
