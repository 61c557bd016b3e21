"""Whether vehicles can stand where they shall go."""

from collections.abc import Iterator, Mapping

import numpy as np

from movenv.parts.config import Goal, Point, marks_of
from movenv.scenario.document import Path_
from movenv.scenario.load import ChosenBehavior, Group, references
from movenv.scenario.placement import local
from movenv.scenario.standing_room import StandingRoom
from movenv.scenario.terrain_items import place_in_words
from movenv.terrain.route import Route
from movenv.world.columns import F8
from movenv.world.frames import Frame


def goal_problems(
    groups: list[Group],
    lowest: list[tuple[str, float]],
    routes: Mapping[str, Route],
    standing: StandingRoom,
    frame: Frame,
) -> Iterator[tuple[Path_, str]]:
    """Goals inside what stops their carriers, with the place in the scenario.

    `lowest` has the name and the z of a vehicle of each group, the lowest: for goals without one.
    """
    for i, group in enumerate(groups):
        for path, chosen in carried_by(i, group):
            for field, route, places in _goals(chosen, routes, frame):
                name, z = lowest[i]
                places[2] = np.where(np.isnan(places[2]), z, places[2])
                by = standing.stopped_by(group.spec.parsed_kind, places)
                for k, inside in enumerate(by):
                    if inside:
                        there = place_in_words(*places[:2, k].tolist())
                        goal = f"point {k + 1} of route '{route}'," if route else "goal"
                        said = f"{goal} {there} of '{name}' lies inside {inside}"
                        yield (*path, field), said


def carried_by(i: int, group: Group) -> Iterator[tuple[Path_, ChosenBehavior]]:
    for chosen in group.behaviors:
        yield ("vehicles", i, "behaviors", chosen.reference), chosen
    for k, step in enumerate(group.steps):
        for chosen in step.do:
            yield ("vehicles", i, "mission", k, "do", chosen.reference), chosen


def _goals(
    chosen: ChosenBehavior, routes: Mapping[str, Route], frame: Frame
) -> Iterator[tuple[str, str, F8]]:
    """The fields that say where to go, the route they name if any, and the places (3, n)."""
    config = chosen.config
    for name, field in type(config).model_fields.items():
        value = getattr(config, name)
        if value is not None and any(isinstance(mark, Goal) for mark in marks_of(field)):
            yield name, "", _places(value, frame)
    if not any(getattr(part, "avoids_obstacles", False) for part in (config, chosen.part)):
        return
    for name, to, route in references(config):
        if to == "route" and route in routes:
            yield name, route, routes[route].points.T.copy()


def _places(value: Point | list[Point], frame: Frame) -> F8:
    """One place, or a list of them."""
    places = value if isinstance(value, list) else [value]
    columns = [local(frame, place) for place in places]
    return np.array([[x, y, np.nan if z is None else z] for x, y, z in columns]).T
