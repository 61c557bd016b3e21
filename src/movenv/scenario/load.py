"""From a scenario file to a checked scenario with its parts found."""

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from movenv.gateways.config import LiveConfig
from movenv.gateways.part import Gateway
from movenv.parts.config import (
    BehaviorConfig,
    ModelConfig,
    Reference,
    SensorConfig,
    Sight,
    marks_of,
)
from movenv.parts.registry import (
    PartNotFound,
    find,
    in_words,
    names,
    part_name,
    suggestion,
)
from movenv.scenario.document import Document, Path_, read_document
from movenv.scenario.errors import Problem, ScenarioError
from movenv.scenario.mission_schema import Step, step_names
from movenv.scenario.override import override
from movenv.scenario.schema import Scenario, Vehicles
from movenv.scenario.wording import problems_of
from movenv.world.arbiter import RANKS
from movenv.world.behavior import Behavior
from movenv.world.model import Model
from movenv.world.sensor import Sensor

DEFAULT_MODEL = "kinematic"


@dataclass(frozen=True)
class ChosenBehavior:
    """A behavior as a group of vehicles carries it."""

    reference: str
    name: str
    part: type[Behavior]
    config: BehaviorConfig


@dataclass(frozen=True)
class ChosenGateway:
    """The gateway through which a group of real vehicles is heard."""

    part: type[Gateway]
    config: LiveConfig


@dataclass(frozen=True)
class ChosenSensor:
    """A sensor as a group of vehicles carries it."""

    name: str
    part: type[Sensor]
    config: SensorConfig


@dataclass(frozen=True)
class LoadedStep:
    """A step of a mission with its behaviors found."""

    name: str
    spec: Step
    do: list[ChosenBehavior]


@dataclass(frozen=True)
class Group:
    """One entry of `vehicles:` with its parts found and its numbers complete."""

    spec: Vehicles
    model: type[Model]
    parameters: dict[str, float]
    behaviors: list[ChosenBehavior]
    steps: list[LoadedStep]
    """Of its mission; empty without one."""
    live: ChosenGateway | None
    sensors: list[ChosenSensor]

    @property
    def carried(self) -> list[ChosenBehavior]:
        """Every behavior it ever has on: its own, then those of its mission."""
        return [*self.behaviors, *(chosen for step in self.steps for chosen in step.do)]


@dataclass(frozen=True)
class LoadedScenario:
    """A scenario that passed every check that needs no placing."""

    document: Document
    scenario: Scenario
    groups: list[Group]


def shipped_scenarios() -> dict[str, Path]:
    """The scenarios that come with the package, by name."""
    folder = resources.files("movenv.scenario") / "shipped"
    return {Path(str(f)).stem: Path(str(f)) for f in folder.iterdir() if f.name.endswith(".yaml")}


def find_scenario(reference: str) -> Path:
    """A path, or the name of a shipped scenario."""
    path = Path(reference)
    shipped = shipped_scenarios()
    exists = os.path.lexists(path)
    if exists or reference not in shipped:
        if not exists and path.suffix not in (".yaml", ".yml"):
            hint = suggestion(reference, sorted(shipped))
            raise ScenarioError(
                reference, [Problem(0, 0, f"no such file, and no shipped scenario.{hint}")]
            )
        return path
    return shipped[reference]


def load(
    reference: str,
    assignments: list[str] | None = None,
    said: Mapping[str, str] | None = None,
) -> LoadedScenario:
    """Load by path or shipped name, with `--set` assignments. Raises ScenarioError.

    `said` tells for an assignment how the user put it, where that was not `--set`.
    """
    path = find_scenario(reference)
    document = read_document(path, path.name if path.name == f"{reference}.yaml" else str(path))
    return load_document(document, assignments or [], said or {})


def load_document(
    document: Document, assignments: list[str], said: Mapping[str, str]
) -> LoadedScenario:
    """Find the parts of a scenario that was read. Raises ScenarioError."""
    scenario = schema_of(document, assignments, said)
    problems: list[Problem] = []
    groups = [
        _group(document, scenario, spec, ("vehicles", i), problems)
        for i, spec in enumerate(scenario.vehicles)
    ]
    _check_one_part_a_name(document, groups, problems)
    if problems:
        raise document.error(problems)
    return LoadedScenario(document, scenario, [group for group in groups if group])


def schema_of(document: Document, assignments: list[str], said: Mapping[str, str]) -> Scenario:
    """What a scenario says, changed as asked for, without its parts. Raises ScenarioError."""
    for assignment in assignments:
        override(document, assignment, said.get(assignment, ""))
    try:
        return Scenario.model_validate(document.data)
    except ValidationError as error:
        raise document.error(problems_of(error, document, ())) from None


def _check_one_part_a_name(
    document: Document, groups: list[Group | None], problems: list[Problem]
) -> None:
    """Two classes of one name would be one behavior in the recording; its number is a byte."""
    first: dict[str, ChosenBehavior] = {}
    for i, group in enumerate(groups):
        for chosen in group.carried if group else []:
            other = first.setdefault(chosen.name, chosen)
            if other.part is not chosen.part:
                path = ("vehicles", i, "behaviors", chosen.reference)
                said = (
                    f"'{chosen.reference}' and '{other.reference}' are both called '{chosen.name}'"
                )
                problems.append(document.problem(path, said))
    if len(first) >= RANKS:
        said = f"{len(first)} different behaviors; a scenario can have {RANKS - 1}"
        problems.append(document.problem(("vehicles",), said))


def _group(
    document: Document, scenario: Scenario, spec: Vehicles, path: Path_, problems: list[Problem]
) -> Group | None:
    before = len(problems)
    model = _model(document, spec, path, problems)
    here = (*path, "behaviors")
    behaviors = list(_behaviors(document, scenario, spec.behaviors, here, problems))
    steps = [
        LoadedStep(
            name,
            step,
            list(_behaviors(document, scenario, step.do, (*path, "mission", k, "do"), problems)),
        )
        for k, (name, step) in enumerate(
            zip(step_names(spec.mission or []), spec.mission or [], strict=True)
        )
    ]
    live = _live(document, spec, path, problems)
    sensors = list(_sensors(document, scenario, spec, path, problems))
    if spec.start.within is not None:
        _check_name(
            document,
            (*path, "start", "within"),
            "area",
            spec.start.within,
            scenario.areas,
            problems,
        )
    if model is None or len(problems) > before:
        return None
    return Group(spec, *model, behaviors, steps, live, sensors)


def _model(
    document: Document, spec: Vehicles, path: Path_, problems: list[Problem]
) -> tuple[type[Model], dict[str, float]] | None:
    here = (*path, "model")
    reference = spec.model.get("type", DEFAULT_MODEL)
    try:
        part = find("vehicles", str(reference), document.folder)
        config = _config(part, ModelConfig, spec.model)
        return part, part.complete(config, spec.parsed_kind)
    except PartNotFound as error:
        problems.append(document.problem((*here, "type"), str(error)))
    except ValidationError as error:
        problems.extend(problems_of(error, document, here))
    except ValueError as error:
        problems.append(document.problem(here, str(error)))
    return None


def _live(
    document: Document, spec: Vehicles, path: Path_, problems: list[Problem]
) -> ChosenGateway | None:
    if spec.live is None:
        return None
    here = (*path, "live")
    if not isinstance(spec.live.get("type"), str):
        said = f"says no type; gateways are {', '.join(names('gateways'))}"
        problems.append(document.problem(here, said))
        return None
    try:
        part = find("gateways", spec.live["type"], document.folder)
        if not issubclass(part, Gateway):
            raise PartNotFound(f"'{part.__name__}' is not a Gateway")
        return ChosenGateway(part, _config(part, LiveConfig, spec.live))
    except PartNotFound as error:
        problems.append(document.problem((*here, "type"), str(error)))
    except ValidationError as error:
        problems.extend(problems_of(error, document, here))
    return None


def _sensors(
    document: Document, scenario: Scenario, spec: Vehicles, path: Path_, problems: list[Problem]
) -> Iterator[ChosenSensor]:
    for name, settings in spec.sensors.items():
        here = (*path, "sensors", name)
        if not isinstance(settings.get("type"), str):
            said = f"says no type; sensors are {', '.join(names('sensors'))}"
            problems.append(document.problem(here, said))
            continue
        try:
            part = find("sensors", settings["type"], document.folder)
            if not issubclass(part, Sensor):
                raise PartNotFound(f"'{part.__name__}' is not a Sensor")
            config = _config(part, SensorConfig, settings)
        except PartNotFound as error:
            problems.append(document.problem((*here, "type"), str(error)))
            continue
        except ValidationError as error:
            problems.extend(problems_of(error, document, here))
            continue
        for field, to, named in references(config):
            _check_name(document, (*here, field), to, named, _known(scenario, to), problems)
        yield ChosenSensor(name, part, config)


def _behaviors(
    document: Document,
    scenario: Scenario,
    behaviors: dict[str, dict[str, Any] | None],
    path: Path_,
    problems: list[Problem],
) -> Iterator[ChosenBehavior]:
    seen: set[str] = set()
    for reference, settings in behaviors.items():
        here = (*path, reference)
        name = part_name(reference)
        if name in seen:
            problems.append(document.problem(here, f"behavior '{name}' stands twice"))
        seen.add(name)
        try:
            part = find("behaviors", reference, document.folder)
            if not issubclass(part, Behavior):
                raise PartNotFound(f"'{part.__name__}' is not a Behavior")
            config = _config(part, BehaviorConfig, settings or {})
            if not isinstance(config.priority, int):
                raise PartNotFound(f"'priority' of '{part.__name__}' is not a whole number")
        except PartNotFound as error:
            problems.append(document.problem(here, str(error)))
            continue
        except ValidationError as error:
            problems.extend(problems_of(error, document, here))
            continue
        for field, to, named in references(config):
            _check_name(document, (*here, field), to, named, _known(scenario, to), problems)
        _check_sight(document, here, config, scenario.awareness.range, problems)
        yield ChosenBehavior(reference, name, part, config)


def _known(scenario: Scenario, word: str) -> Collection[str]:
    """What the scenario has of something that a setting may name."""
    if word == "vehicle":
        return scenario.vehicle_names
    by_word: dict[str, Mapping[str, Any]] = {
        "area": scenario.areas,
        "notice level": scenario.notices.levels,
        "route": scenario.routes,
    }
    return by_word[word].keys()


def _check_sight(
    document: Document, path: Path_, config: BehaviorConfig, limit: float, problems: list[Problem]
) -> None:
    """Nobody looks farther than hosts are told: a live run would find less than a fast one."""
    for name, field in type(config).model_fields.items():
        if any(isinstance(mark, Sight) for mark in marks_of(field)):
            wanted = getattr(config, name)
            if wanted is not None and wanted > limit:
                said = f"{wanted:g} m is beyond awareness.range ({limit:g} m)"
                problems.append(document.problem((*path, name), said))


def references(config: BaseModel) -> Iterator[tuple[str, str, str]]:
    """The fields of a config that name something else, with what it is, and each name."""
    for field, details in type(config).model_fields.items():
        for mark in marks_of(details):
            value = getattr(config, field)
            if isinstance(mark, Reference) and value is not None:
                for named in value if isinstance(value, list) else [value]:
                    yield field, mark.to, named


def _config(part: type[Any], base: type[BaseModel], settings: dict[str, Any]) -> Any:
    config = getattr(part, "Config", None)
    if not (isinstance(config, type) and issubclass(config, base)):
        raise PartNotFound(f"'{part.__name__}' has no Config that is a {base.__name__}")
    try:
        return config.model_validate(settings)
    except ValidationError:
        raise
    except Exception as error:
        raise PartNotFound(f"the Config of '{part.__name__}' fails: {in_words(error)}") from error


def _check_name(
    document: Document,
    path: Path_,
    word: str,
    name: str,
    known: Collection[str],
    problems: list[Problem],
) -> None:
    if name not in known:
        hint = suggestion(name, list(known)) or f" The scenario has no {word}s."
        problems.append(document.problem(path, f"unknown {word} '{name}'.{hint}"))
