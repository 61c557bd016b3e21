"""The scenario of a recorded run, as far as this movenv understands it."""

from dataclasses import dataclass, field
from pathlib import Path

from movenv.recording.layouts import RunRecord
from movenv.scenario.areas import area_of
from movenv.scenario.document import Document, parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import schema_of
from movenv.scenario.routes import route_of
from movenv.scenario.schema import Scenario
from movenv.scenario.terrain import TerrainError, terrain_of
from movenv.scenario.terrain_grid import files_of
from movenv.terrain.area import Area
from movenv.terrain.features import NO_TERRAIN, Terrain
from movenv.terrain.route import Route
from movenv.world.frames import Frame


@dataclass
class Ground:
    """The areas, routes and features of a run in local metres."""

    areas: list[Area] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    terrain: Terrain = NO_TERRAIN
    left_out: list[str] = field(default_factory=list)
    """Routes and terrain that cannot be made out any more, and why."""


def scenario_of(record: RunRecord, source: str) -> Scenario | None:
    """The scenario of a run as it was written and changed.

    None where this movenv no longer understands it: an old recording is shown all the same.
    """
    try:
        document = parse_document(record.scenario, source, Path(), record.files)
        return schema_of(document, record.changes, {})
    except ScenarioError:
        return None


def ground_of(scenario: Scenario | None, record: RunRecord) -> Ground:
    """Areas, routes and terrain; files are those that came with the recording, and no others."""
    found = Ground()
    if scenario is None:
        return found
    frame = Frame(*record.origin)
    found.areas = [area_of(name, spec, frame) for name, spec in scenario.areas.items()]
    document = Document(record.name, record.scenario, Path(), files=dict(record.files))
    for name, spec in scenario.routes.items():
        if spec.file is not None and spec.file not in record.files:
            found.left_out.append(f"route '{name}' is not shown: {spec.file} was not recorded")
            continue
        try:
            found.routes.append(route_of(name, spec, frame, document))
        except ValueError as error:
            found.left_out.append(f"route '{name}' is not shown: {error}")
    try:
        for file in files_of(scenario.terrain, document):
            if file not in record.files:
                found.left_out.append(f"the terrain is not shown: {file} was not recorded")
                return found
        areas = {area.name: area for area in found.areas}
        found.terrain = terrain_of(scenario, frame, document, areas)
    except TerrainError as error:
        found.left_out.append(f"the terrain is not shown: {error}")
    return found
