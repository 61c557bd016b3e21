"""A live run: Core, hosts and recorder as processes, supervised."""

import os
import secrets
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from movenv.cli import FAILED, INTERRUPTED
from movenv.cli.attached import DEFAULT_CORE, credentials
from movenv.cli.rehearsed import check_rehearsal, rehearsal_facts, start_rehearsal

if TYPE_CHECKING:
    from movenv.cli.goal import Goal
    from movenv.runtime.live.launcher import Launcher
    from movenv.scenario.build import Stage
    from movenv.scenario.load import LoadedScenario

PUBLIC = "tls/0.0.0.0:7450"


@dataclass(frozen=True)
class Plan:
    """What was asked for on the command line."""

    scenario: str
    changes: list[str]
    goal: "Goal | None"
    hosts: int | None
    manual: bool
    speed: float
    away: list[str]
    render: list[str]
    open: bool
    address: str | None
    rehearse: bool
    listen: str | None
    public: bool
    keys: Path | None
    console: bool = True
    console_port: int | None = None
    browser: bool = False
    run_id: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def recording(self) -> Path | None:
        """The file."""
        return self.goal.path if self.goal else None

    @property
    def endpoint(self) -> str:
        """Where the Core listens."""
        if self.listen is not None:
            return self.listen
        return PUBLIC if self.public else DEFAULT_CORE

    @property
    def core(self) -> str:
        """Where the processes on this machine find it."""
        return self.endpoint.replace("/0.0.0.0:", "/127.0.0.1:").replace("/[::]:", "/[::1]:")

    @property
    def link(self) -> list[str]:
        """How a process is told of the Core."""
        return ["--core", self.core, *(["--keys", str(self.keys)] if self.keys else [])]


def live_run(loaded: "LoadedScenario", plan: Plan, as_json: bool) -> None:
    """Start everything, watch it to the end, and tell what the run came to."""
    from movenv.cli.fast_run import calm_ctrl_c
    from movenv.cli.progress import progress_bar
    from movenv.runtime.live.bus import check_endpoint
    from movenv.runtime.live.compiled import is_compiled, note_compiled
    from movenv.runtime.live.launcher import Launcher
    from movenv.runtime.live.warm_up import warm_up
    from movenv.scenario.build import Stage

    stage = Stage(loaded)
    _check(plan, stage)
    held = credentials(plan.keys)
    check_endpoint(plan.endpoint, held)
    port = _console_port(plan)
    if not is_compiled(stage):
        if not as_json and sys.stderr.isatty():
            print(
                "First run of this kind: compiling the kernels, once; "
                "ten seconds, with forces or cars a minute or two.",
                file=sys.stderr,
            )
        warm_up(stage)  # once here, not at the same time in every process
        note_compiled(stage)
    log = _log_beside(plan.recording) if plan.recording else _temporary_log()
    interrupted = False
    with (
        calm_ctrl_c() as asked,
        progress_bar(stage.scenario.name, stage.scenario.time.ticks, as_json) as advance,
        tempfile.TemporaryDirectory(prefix="movenv-") as state,
    ):
        launcher = Launcher(plan.run_id, plan.core, held, log, _speaker(as_json), not plan.manual)
        try:
            folder = loaded.document.folder
            start_all(launcher, plan, stage, folder, asked, Path(state), port)
            launcher.watch(advance, asked)
        except KeyboardInterrupt:
            launcher.kill()
            os._exit(INTERRUPTED)
        finally:
            launcher.kill()
        interrupted = asked()
        played = rehearsal_facts(stage, Path(state)) if plan.rehearse else {}
    if plan.goal and not plan.goal.reach(quiet=as_json):
        launcher.failures.append("the database does not hold all of the run")
    _tell(launcher, plan, stage, log, interrupted, played, as_json)


def _check(plan: Plan, stage: "Stage") -> None:
    """What can be wrong with the plan is named before anything starts."""
    if plan.public and plan.keys is None:
        raise typer.BadParameter("needs --keys; movenv keys makes them", param_hint="--public")
    if plan.public and plan.listen is not None:
        raise typer.BadParameter("exclude each other", param_hint="--public and --listen")
    if plan.keys is not None and plan.endpoint.startswith("tcp/"):
        raise typer.BadParameter(
            f"has no use at {plan.endpoint}: tls/ and quic/ are encrypted", param_hint="--keys"
        )
    real = [vehicle.entry.name for vehicle in stage.real]
    if real and plan.speed != 1:
        raise typer.BadParameter(
            f"{real[0]} is real, and reality goes at × 1", param_hint="--speed"
        )
    options = {"--open": plan.open, "--address": plan.address, "--rehearse": plan.rehearse}
    for option, given in options.items():
        if given and not real and (option == "--rehearse" or not plan.console):
            raise typer.BadParameter("the scenario has no real vehicles", param_hint=option)
    if real and not plan.away:
        from movenv.runtime.surroundings import check_gateways

        check_gateways(stage, stage.document.folder)
    if plan.rehearse:
        check_rehearsal(stage)
    for pattern in plan.away:
        if not any(fnmatchcase(name, pattern) for name in stage.roster.names):
            raise typer.BadParameter(f"no vehicle is called '{pattern}'", param_hint="--away")
    if plan.recording is not None:
        from movenv.recording.writer import check_new

        check_new(plan.recording)


def start_all(
    launcher: "Launcher",
    plan: Plan,
    stage: "Stage",
    folder: Path,
    asked: Callable[[], bool],
    state: Path,
    port: int | None = None,
) -> None:
    """The Core, then everyone who needs it; nobody more once it is `asked` to end.

    With a `port`, the console too.
    """
    keys = ["--keys", str(plan.keys)] if plan.keys else []
    core = ["core", plan.scenario, "--listen", plan.endpoint, *keys]
    core += ["--run", plan.run_id, "--speed", str(plan.speed)]
    core += [word for change in plan.changes for word in ("--set", change)]
    core += ["--recorders", "1"] if plan.recording else []
    core += [] if plan.manual else ["--auto"]
    core += ["--rehearsed"] if plan.rehearse else []

    def again() -> list[str]:
        """A Core that was killed goes on where the recording ends, or where it was last heard."""
        if plan.recording:
            return [*core, "--resume", str(plan.recording)]
        last = launcher.beacon
        return [*core, "--resume-at", f"{last.run_state.name}:{last.tick}"] if last else core

    launcher.start("core", core, again)
    launcher.connect()
    if asked():
        return
    if plan.recording:
        launcher.start("recorder", ["record", str(plan.recording), *plan.link])
    if plan.goal and plan.goal.database:
        words = ["upload", str(plan.recording), "--follow", *plan.link]
        launcher.start("feeder", words, companion=True)
    real = {vehicle.entry.name for vehicle in stage.real}
    here = {n for n in stage.roster.names if not any(fnmatchcase(n, away) for away in plan.away)}
    without = [word for away in plan.away for word in ("--without", away)]
    if real & here:
        words = ["gateway", *without, "--folder", str(folder), *(["--open"] if plan.open else [])]
        words += ["--address", plan.address] if plan.address else []
        launcher.start("gateway", [*words, "--state", str(state), *plan.link])
    if plan.rehearse:
        start_rehearsal(launcher, plan, stage, state)
    count = min(plan.hosts or os.cpu_count() or 1, len(here - real))
    for i in range(count):
        name = f"host-{i + 1}"
        words = ["host", "--name", name, "--share", f"{i + 1}/{count}", "--folder", str(folder)]
        launcher.start(name, [*words, *without, *plan.link])
    if plan.render:
        launcher.start("render", ["render", *plan.render, *plan.link])
    if port is not None:
        _start_console(launcher, plan, port, folder, state)


def _start_console(launcher: "Launcher", plan: Plan, port: int, folder: Path, state: Path) -> None:
    """One that was killed comes back under the same links, and opens no second browser."""
    words = ["console", "--port", str(port), "--state", str(state), "--folder", str(folder)]
    words += ["--recording", str(plan.recording)] if plan.recording else []
    words += ["--open"] if plan.open else []
    words += ["--address", plan.address] if plan.address else []
    words += plan.link
    browser = "--browser" if plan.browser else "--no-browser"
    quiet = [*words, "--no-browser"]
    launcher.start("console", [*words, browser], lambda: quiet, companion=True)


def _console_port(plan: Plan) -> int | None:
    """A port for the console that is free now; None where there shall be none."""
    if not plan.console:
        return None
    from movenv.runtime.errors import WrongInput
    from movenv.web.place import Place, listening

    try:
        with listening(Place(plan.console_port, plan.open), "--console-port") as listener:
            port: int = listener.getsockname()[1]
    except WrongInput as error:
        if plan.console_port is not None:
            raise
        print(f"{error}; the run goes without a console", file=sys.stderr)
        return None
    return port


def _log_beside(recording: Path) -> Path:
    log = recording.with_suffix(".log")
    return log if log != recording else recording.with_name(f"{recording.name}.log")


def _temporary_log() -> Path:
    handle, name = tempfile.mkstemp(prefix="movenv-", suffix=".log")
    os.close(handle)
    return Path(name)


def _speaker(quiet: bool) -> Callable[[str], None]:
    """How happenings are told while the run goes."""

    def say(line: str) -> None:
        if not quiet:
            print(line, file=sys.stderr, flush=True)

    return say


def _tell(
    launcher: "Launcher",
    plan: Plan,
    stage: "Stage",
    log: Path,
    interrupted: bool,
    played: dict[str, Any],
    as_json: bool,
) -> None:
    from movenv.cli.summary import json_text, print_summary, rating_facts, rating_of

    if as_json:
        for failure in launcher.failures:
            print(failure, file=sys.stderr)
    final = launcher.final
    if final is None:
        print(f"the run broke down; {log} tells more", file=sys.stderr)
        raise typer.Exit(FAILED)
    facts: dict[str, Any] = {
        "scenario": stage.scenario.name,
        "seed": stage.scenario.seed,
        **final["summary"],
        "speed": plan.speed,
        "restarts": launcher.restarts,
        "core": final["core"],
        "hosts": final["hosts"],
        "interrupted": interrupted,
        **({"rehearsed": played} if plan.rehearse else {}),
        **rating_facts(rating_of(plan.recording, stage, plan.changes, plan.rehearse)),
        "given_up": final["given_up"],
        **(plan.goal.facts if plan.goal else {"recording": None}),
        "log": str(log),
    }
    if as_json:
        print(json_text(facts))
    else:
        print_summary(facts)
    if launcher.failures:
        raise typer.Exit(FAILED)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
