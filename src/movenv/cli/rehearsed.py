"""The rehearsal of a live run: its real vehicles are played on this machine."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from movenv.cli.live_run import Plan
    from movenv.runtime.live.launcher import Launcher
    from movenv.scenario.build import Stage

ROLES = ("car", "layer")
"""The processes of a vehicle that drives by its scans."""


def check_rehearsal(stage: "Stage") -> None:
    """Raises BadParameter where nobody can be played, and WrongInput where one cannot speak."""
    from movenv.runtime.rehearsal.doors import spoken, why_not

    left = [f"{r.entry.name} {why}" for r in stage.real if (why := why_not(r.entry))]
    if len(left) == len(stage.real):
        raise typer.BadParameter("; ".join(left), param_hint="--rehearse")
    for vehicle in stage.real:
        if not why_not(vehicle.entry):
            spoken(vehicle.entry, None)


def start_rehearsal(launcher: "Launcher", plan: "Plan", stage: "Stage", state: Path) -> None:
    """Start cars, each with its layer, and the phones of all others.

    At their ends cars and layers leave in `state` what they did.
    """
    from movenv.runtime.rehearsal.cars import played_cars
    from movenv.runtime.rehearsal.doors import why_not

    cars = played_cars(stage)
    names = {car.name for car in cars}
    changes = [word for change in plan.changes for word in ("--set", change)]
    if any(r.entry.name not in names and not why_not(r.entry) for r in stage.real):
        without = [word for name in sorted(names) for word in ("--without", name)]
        launcher.start("phones", ["phones", plan.scenario, *without, *changes], outsider=True)
    for car in cars:
        words = {"car": [*car.car_words(plan.scenario), *changes], "layer": car.layer_words}
        for role in ROLES:
            report = ["--report", str(_report(state, role, car.name))]
            arguments = [*words[role], *plan.link, *report]
            launcher.start(f"{role} {car.name}", arguments, outsider=True)


def rehearsal_facts(stage: "Stage", state: Path) -> dict[str, Any]:
    """What cars and their layers did, by vehicle and role, as far as they told."""
    facts: dict[str, Any] = {}
    for real in stage.real:
        name = real.entry.name
        told = {role: _told(_report(state, role, name)) for role in ROLES}
        if any(told.values()):
            facts[name] = {role: did for role, did in told.items() if did}
    return facts


def rehearsal_lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The same for people."""
    from movenv.cli.car import in_words as car_words
    from movenv.runtime.injection.process import in_words as layer_words

    lines = []
    for told in facts.values():
        if "car" in told:
            lines.append(("rehearsed", car_words(told["car"])))
        if "layer" in told:
            lines.append(("layer", layer_words(told["layer"])))
    return lines


def _told(report: Path) -> dict[str, Any]:
    """Empty where a process was killed before it had told all."""
    import msgspec

    try:
        told: dict[str, Any] = msgspec.json.decode(report.read_bytes())
    except (FileNotFoundError, msgspec.DecodeError):
        return {}
    return told


def _report(state: Path, role: str, name: str) -> Path:
    return state / f"{role}-{name}.json"
