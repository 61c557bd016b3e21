"""Adaptive steps of a scenario, with its areas found."""

from collections.abc import Iterator, Mapping

from movenv.parts.registry import suggestion
from movenv.scenario.document import Path_
from movenv.scenario.load import LoadedScenario
from movenv.terrain.area import Area
from movenv.world.stride import AdaptiveStep, Sector


def step_problems(loaded: LoadedScenario, areas: Mapping[str, Area]) -> Iterator[tuple[Path_, str]]:
    """What keeps a scenario's steps from being adapted, with where it stands."""
    time = loaded.scenario.time
    if time.adaptive is None:
        return
    here: Path_ = ("time", "adaptive")
    if time.adaptive.finest > time.step:
        said = f"the finest step, {time.adaptive.finest:g} s, is longer than the step"
        yield (*here, "finest"), f"{said}, {time.step:g} s"
    for k, sector in enumerate(time.adaptive.sectors):
        if sector.area not in areas:
            hint = suggestion(sector.area, list(areas)) or " The scenario has no areas."
            yield (*here, "sectors", k, "area"), f"unknown area '{sector.area}'.{hint}"
    for k, group in enumerate(loaded.groups):
        if not group.model.adapts():
            said = f"{group.model.__name__} has one step for all; time.adaptive cannot be"
            yield ("vehicles", k, "model"), said


def adaptive_step(loaded: LoadedScenario, areas: Mapping[str, Area]) -> AdaptiveStep | None:
    """None where everyone has the same step."""
    wanted = loaded.scenario.time.adaptive
    if wanted is None:
        return None
    sectors = [Sector(areas[sector.area].contains, sector.step) for sector in wanted.sectors]
    return AdaptiveStep(wanted.travel, wanted.finest, sectors)
