"""From a recording to its findings, in one pass over the file."""

from collections.abc import Callable

import numpy as np
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from shapely import get_coordinates

from movenv.recording.layouts import HEALTH, RECEPTIONS, SNAPSHOTS
from movenv.recording.reader import Recording
from movenv.review.cast import oldest_fixes
from movenv.review.fidelity import rate
from movenv.review.findings import Findings, Outline, Pairs, RunFacts
from movenv.review.happenings import Happenings
from movenv.review.honesty import words
from movenv.review.known import SLACK
from movenv.review.links import Links, Processes
from movenv.review.reading import everything, reaches
from movenv.review.separation import separations, surveyed
from movenv.review.tracks import TrackBuilder, Tracks
from movenv.review.vehicles import vehicle_facts
from movenv.review.ways import pairs_drawn, tracks_drawn
from movenv.scenario.recorded import ground_of, scenario_of
from movenv.terrain.features import LARGE, Crossing, Obstacle
from movenv.world.frames import Frame

LIMIT = 1.0
"""The longest gap that is interpolated unless somebody says otherwise, s."""
READING, SEPARATING = 0.5, 0.4
"""Shares of the work."""

Progress = Callable[[float], None]
"""Is told what share of the work is done."""

MOST_BODIES = 500
"""So many obstacles and crossings are on the map, the largest."""


def findings_of(
    recording: Recording,
    limit: float = LIMIT,
    progress: Progress = lambda share: None,
    source: str = "",
) -> Findings:
    """Understand a recording, however incomplete; gaps longer than `limit` stay gaps.

    `source` is what to call it, where that is not its file.
    """
    gathered = _Gathered(recording, limit, progress)
    tracks = gathered.builder.tracks()
    tracks.fill_short_gaps(limit)
    survey = surveyed(tracks)
    multiples = np.array(list(recording.run.levels.values()), np.float64)
    pairs = separations(
        tracks, survey, multiples, lambda done: progress(READING + SEPARATING * done)
    )
    happenings = gathered.happenings.finish(tracks)
    series, every_pair_drawn = pairs_drawn(tracks, pairs)
    lat, lon, alt = recording.run.origin
    found = Findings(
        run=_run_facts(recording, gathered, tracks, pairs, limit, source),
        roster=recording.roster,
        vehicles=vehicle_facts(tracks, survey),
        fixes=gathered.links.facts(),
        tracks=tracks_drawn(tracks, Frame(lat, lon, alt)),
        pairs=pairs,
        series=series,
        every_pair_drawn=every_pair_drawn,
        happenings=happenings,
        left_out=gathered.happenings.left_out,
        processes=gathered.processes.series(),
        links=gathered.links.series(),
        rating=rate(recording),
        outlines=_outlines(recording),
    )
    progress(1.0)
    return found


class _Gathered:
    """All that a recording tells, each where it belongs."""

    def __init__(self, recording: Recording, limit: float, progress: Progress) -> None:
        run, roster = recording.run, recording.roster
        self.builder = TrackBuilder(roster, limit, np.maximum(limit, oldest_fixes(run)))
        self.happenings = Happenings(roster, list(run.levels))
        self.links, self.processes = Links(roster), Processes()
        self.live = False
        end = max(reaches(recording), run.tick)
        latest = -np.inf
        for told in everything(recording):
            if told.topic == SNAPSHOTS:
                self.live |= told.numbers["utc"] > 0.0
                if self.builder.add(told.record, told.numbers):
                    t = told.record.t
                    self.happenings.tick(t, after_gap=t - latest > limit + SLACK)
                    self.happenings.steps(t, told.record.vehicles.step)
                    latest = t
                    progress(READING * min(t / end, 1.0))
            elif told.topic == RECEPTIONS:
                self.links.add(told.numbers["t"], told.record)
            elif told.topic == HEALTH:
                self.processes.add(told.record)
                self.live = True
            else:
                self.happenings.take(told)


def _run_facts(
    recording: Recording,
    gathered: _Gathered,
    tracks: Tracks,
    pairs: Pairs,
    limit: float,
    source: str,
) -> RunFacts:
    run, states = recording.run, gathered.happenings.states
    return RunFacts(
        source=source or str(recording.path),
        name=run.name,
        description=_description(run.scenario),
        seed=run.seed,
        started_utc=run.started_utc,
        movenv=run.movenv,
        live=gathered.live or any(state.utc > 0.0 for state in states),
        rehearsed=bool(run.rehearsed),
        changes=run.changes,
        t_first=float(tracks.t[0]) if len(tracks) else np.nan,
        t_last=float(tracks.t[-1]) if len(tracks) else np.nan,
        ticks=tracks.recorded,
        tick=run.tick,
        levels=run.levels,
        limit=limit,
        honesty=words(recording, tracks, states, pairs, limit),
    )


def _outlines(recording: Recording) -> list[Outline]:
    """The scenario's terrain, areas and routes, as far as they can still be made out."""
    record = recording.run
    ground = ground_of(scenario_of(record, str(recording.path)), record)
    terrain = ground.terrain
    bodies: list[Obstacle | Crossing] = [*terrain.obstacles, *terrain.crossings]
    bodies.sort(key=lambda body: body.ground.area, reverse=True)
    # Only what is too large to be seen at once is named; names of trees would bury the map.
    lines = [
        (body.name if body.kind in LARGE else "", get_coordinates(body.ground.exterior), True)
        for body in bodies[:MOST_BODIES]
    ]
    lines += [(area.name, area.vertices, True) for area in ground.areas]
    lines += [(route.name, route.corners, False) for route in ground.routes]
    return [Outline(name, points[:, 0], points[:, 1], area) for name, points, area in lines]


def _description(scenario: str) -> str:
    """What the scenario's file says it is; nothing where there is none or it cannot be read."""
    try:
        document = YAML(typ="safe", pure=True).load(scenario)
    except YAMLError:
        return ""
    told = document.get("description") if isinstance(document, dict) else None
    return told.strip() if isinstance(told, str) else ""
