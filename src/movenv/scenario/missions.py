"""From the missions of a scenario to those of the kernel, and whether they can go on at all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np

from movenv.parts.config import Point
from movenv.parts.registry import suggestion
from movenv.scenario.document import Path_
from movenv.scenario.load import ChosenBehavior, Group, LoadedStep, references
from movenv.scenario.mission_schema import Until
from movenv.world import mission as kernel
from movenv.world.columns import Rows
from movenv.world.messages import Roster
from movenv.world.mission import FOREVER, Condition, Step

Local = Callable[[Point], tuple[float, float, float | None]]


@dataclass
class Programs:
    """The missions of all groups that have one."""

    programs: list[list[Step]]
    of_group: Rows
    """The place of each group's mission in `programs`, -1 for none."""
    asked: list[tuple[int, int]] = field(default_factory=list)
    """Pairs of vids (searcher, target) whose finds somebody waits for."""
    problems: list[tuple[Path_, str]] = field(default_factory=list)

    def first_step(self, group: int) -> int:
        """The place of a group's first step in the list of all steps."""
        return sum(len(program) for program in self.programs[: max(self.of_group[group], 0)])


def compile_missions(groups: list[Group], roster: Roster, group: Rows, local: Local) -> Programs:
    """Missions with vids for names. What is wrong with them stands in `problems`."""
    of_group = np.full(len(groups), -1)
    with_one = [i for i, g in enumerate(groups) if g.steps]
    of_group[with_one] = np.arange(len(with_one))
    made = Programs([], of_group)
    if not with_one:
        return made
    compiler = _Compiler(groups, roster, group, local, made)
    made.problems += [problem for i in with_one for problem in compiler.check(i)]
    if not made.problems:
        made.programs = [compiler.program(i) for i in with_one]
        made.problems += list(_Progress(groups, compiler.group_of).stuck())
    return made


def named_vehicles(group: Group) -> Iterator[str]:
    """Whom the settings and the mission of a group name."""
    for chosen in group.carried:
        for _, to, named in references(chosen.config):
            if to == "vehicle":
                yield named
    for step in group.steps:
        for until in _flat(step.spec.until):
            if until.vehicle is not None:
                yield until.vehicle


def _flat(until: Until | None) -> Iterator[Until]:
    if until is None:
        return
    yield until
    for part in (until.any or []) + (until.all or []):
        yield from _flat(part)


def _ends(step: LoadedStep) -> bool:
    """Whether what a step does comes to an end by itself."""
    return any(chosen.part.ends(chosen.config) for chosen in step.do)


class _Compiler:
    def __init__(
        self, groups: list[Group], roster: Roster, group: Rows, local: Local, made: Programs
    ) -> None:
        self._groups, self._roster, self._group, self._local = groups, roster, group, local
        self._made = made
        rows = {name: row for row, name in enumerate(roster.names)}
        self._vids = {name: int(roster.vids[row]) for name, row in rows.items()}
        self.group_of = {name: int(group[row]) for name, row in rows.items()}

    def check(self, i: int) -> Iterator[tuple[Path_, str]]:
        """What names something that is not there, or has no end."""
        group = self._groups[i]
        own = {chosen.reference for chosen in group.behaviors}
        for k, step in enumerate(group.steps):
            here: Path_ = ("vehicles", i, "mission", k)
            for reference in step.spec.change:
                if reference not in own:
                    hint = suggestion(reference, sorted(own))
                    yield (*here, "change", reference), f"has no behavior '{reference}'.{hint}"
            for until in _flat(step.spec.until):
                yield from (((*here, "until"), said) for said in self._wrong(until, step, i))
            last = k == len(group.steps) - 1
            if step.spec.until is None and not _ends(step) and not (last and not step.spec.repeat):
                said = f"step '{step.name}' never ends: give it until, or something to do that ends"
                yield here, said
            if step.spec.repeat and step.spec.repeat.times == "forever" and not last:
                after = group.steps[k + 1].name
                yield (*here, "repeat"), f"repeats forever: step '{after}' is never reached"

    def _wrong(self, until: Until, step: LoadedStep, i: int) -> Iterator[str]:
        if until.vehicle is not None and [until.vehicle] == self._groups[i].spec.names:
            yield f"'{until.vehicle}' waits for itself; leave vehicle out where it is meant itself"
            return
        for name in (until.vehicle, until.detected):
            if name is not None and name not in self._vids:
                hint = suggestion(name, sorted(self._vids)[:1000])
                yield f"waits for '{name}', but there is no such vehicle.{hint}"
                return
        if until.step is not None and until.vehicle is not None:
            names = [s.name for s in self._groups[self.group_of[until.vehicle]].steps]
            if until.step not in names:
                hint = suggestion(until.step, names) or " It has no mission."
                yield f"'{until.vehicle}' has no step '{until.step}'.{hint}"
        if until.at is not None:
            try:
                self._local(until.at)
            except ValueError as error:
                yield str(error)
        if until.done and not _ends(step):
            yield f"step '{step.name}' waits until it is done, but does nothing that ends"
        if until.detected is not None and [until.detected] == (
            [until.vehicle] if until.vehicle else self._groups[i].spec.names
        ):
            yield f"'{until.detected}' does not detect itself"
        elif until.detected is not None:
            searcher = until.vehicle or self._groups[i].spec.name
            by = self._groups[self.group_of[until.vehicle] if until.vehicle else i]
            if not any(_looks_for(chosen, until.detected) for chosen in by.carried):
                yield f"'{searcher}' carries nothing that looks for '{until.detected}'"

    def program(self, i: int) -> list[Step]:
        group = self._groups[i]
        names = [step.name for step in group.steps]
        members = self._roster.vids[self._group == i].tolist()
        return [self._step(step, names, members) for step in group.steps]

    def _step(self, step: LoadedStep, names: list[str], members: list[int]) -> Step:
        spec, repeat = step.spec, step.spec.repeat
        until: Condition | None = kernel.Done() if _ends(step) else None
        if spec.until is not None:
            until = self._condition(spec.until, members)
        return Step(
            until=until,
            say=(spec.say or "").encode(),
            back_to=names.index(repeat.from_) + 1 if repeat else 0,
            times=0 if not repeat else FOREVER if repeat.times == "forever" else int(repeat.times),
        )

    def _condition(self, until: Until, members: list[int]) -> Condition:
        vid = self._vids[until.vehicle] if until.vehicle is not None else None
        place = self._local(until.at)[:2] if until.at is not None else None
        match until.form:
            case "time":
                return kernel.Elapsed(until.time or 0.0)
            case "done":
                return kernel.Done()
            case "step":
                assert until.vehicle is not None
                steps = self._groups[self.group_of[until.vehicle]].steps
                number = 1 + [step.name for step in steps].index(until.step or "")
                return kernel.Reached(self._vids[until.vehicle], number)
            case "within":
                return kernel.Distance(vid, place, within=until.within or 0.0)
            case "beyond":
                return kernel.Distance(vid, place, beyond=until.beyond or 0.0)
            case "detected":
                target = self._vids[until.detected or ""]
                searchers = members if vid is None else [vid]
                self._made.asked += [(searcher, target) for searcher in searchers]
                return kernel.Detected(vid, target)
            case "heard":
                return kernel.Heard(vid, (until.heard or "").encode())
            case form:
                parts = (until.any or []) + (until.all or [])
                made = tuple(self._condition(part, members) for part in parts)
                return kernel.Together(made, all=form == "all")


def _looks_for(chosen: ChosenBehavior, name: str) -> bool:
    """Whether a behavior may find a vehicle of this name."""
    if not chosen.part.finds():
        return False
    targets = getattr(chosen.config, "targets", None)
    return targets is None or any(fnmatchcase(name, wanted) for wanted in targets)


class _Progress:
    """How far each mission can come at best: the least fixed point of who may go on after whom."""

    def __init__(self, groups: list[Group], group_of: dict[str, int]) -> None:
        self._groups, self._group_of = groups, group_of
        self._reached = [min(1, len(group.steps)) for group in groups]
        moved = True
        while moved:
            moved = False
            for i, group in enumerate(groups):
                at = self._reached[i]
                if 0 < at <= len(group.steps) and self._may_leave(group.steps[at - 1], i):
                    self._reached[i], moved = at + 1, True

    def _may_leave(self, step: LoadedStep, i: int) -> bool:
        return step.spec.until is None or self._can_be(step.spec.until, i)

    def _can_be(self, until: Until, i: int) -> bool:
        """Whether group `i` may ever see this."""
        if until.any is not None:
            return any(self._can_be(part, i) for part in until.any)
        if until.all is not None:
            return all(self._can_be(part, i) for part in until.all)
        if until.step is not None and until.vehicle is not None:
            other = self._group_of[until.vehicle]
            names = [step.name for step in self._groups[other].steps]
            return self._reached[other] > names.index(until.step)
        if until.heard is not None:
            return any(self._says(k, until) for k in self._speakers(until, i))
        if until.detected is not None:
            searcher = i if until.vehicle is None else self._group_of[until.vehicle]
            return any(_looks_for(chosen, until.detected) for chosen in self._on_so_far(searcher))
        return True

    def _on_so_far(self, i: int) -> list[ChosenBehavior]:
        """The behaviors that a group has had on when it comes no farther than it can."""
        group = self._groups[i]
        reached = group.steps[: self._reached[i]]
        return [*group.behaviors, *(chosen for step in reached for chosen in step.do)]

    def _speakers(self, until: Until, i: int) -> list[int]:
        """Nobody hears itself."""
        if until.vehicle is not None:
            return [self._group_of[until.vehicle]]
        return [k for k, group in enumerate(self._groups) if k != i or group.spec.count > 1]

    def _says(self, i: int, until: Until) -> bool:
        """Whether a group ever says these words; what behaviors say cannot be known before."""
        if any(chosen.part.speaks() for chosen in self._on_so_far(i)):
            return True
        reached = self._groups[i].steps[: self._reached[i]]
        return any(step.spec.say == until.heard for step in reached)

    def stuck(self) -> Iterator[tuple[Path_, str]]:
        for i, group in enumerate(self._groups):
            at = self._reached[i]
            if not 0 < at <= len(group.steps):
                continue
            step = group.steps[at - 1]
            each = (self._why(until, i) for until in _flat(step.spec.until))
            why = "; ".join(reason for reason in each if reason)
            path = ("vehicles", i, "mission", at - 1, "until")
            yield path, f"step '{step.name}' can never end: {why}"

    def _why(self, until: Until, i: int) -> str:
        if until.any is not None or until.all is not None or self._can_be(until, i):
            return ""
        if until.detected is not None:
            searcher = until.vehicle or self._groups[i].spec.name
            return f"'{searcher}' never comes to look for '{until.detected}'"
        if until.heard is not None:
            return f"nobody ever says '{until.heard}'" + (
                f" as '{until.vehicle}'" if until.vehicle else ""
            )
        assert until.vehicle is not None
        other = self._group_of[until.vehicle]
        waits = self._groups[other].steps[self._reached[other] - 1].name
        return (
            f"'{until.vehicle}' never reaches its step '{until.step}', "
            f"for it waits at '{waits}' itself"
        )
