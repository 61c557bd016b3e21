"""Findings of runs that never were: ten vehicles, a thousand, none."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from movenv.review.fidelity import Rated, Rating
from movenv.review.findings import (
    Findings,
    FixFacts,
    Happening,
    LinkSeries,
    Pairs,
    PairSeries,
    ProcessSeries,
    RunFacts,
    Track,
    VehicleFacts,
)
from movenv.world.kinds import Kind, Origin
from movenv.world.messages import Roster

LEVELS = {"caution": 5.0, "warning": 3.0, "alert": 1.5}
NAMES = ["ann", "ben", "van-1", "van-2", "rover", "uav-1", "uav-2", "uav-3", "uav-4", "boat"]


def rated() -> Rating:
    return Rating(
        vehicle=Rated(2, "2 of 10 vehicles are people with phones", 2),
        sensors=Rated(1, "GNSS fixes at 1 a second, 3.0 m", 1),
        algorithms=Rated(3, "the scenario says so", 2),
        environment=Rated(2, "outdoors", 2),
        pedestrians=Rated(2, "2 real pedestrians", 2),
        remark="The phones were played in a rehearsal.",
    )


def facts(**changes: object) -> RunFacts:
    made = RunFacts(
        source="/field/2026-05-04/run-1.mcap",
        name="mixed-field",
        description="Two people, two vans and some UAVs on one field.",
        seed=7,
        started_utc=1_777_891_200.0,
        movenv="0.4.0",
        live=True,
        rehearsed=True,
        changes=["time.duration=120"],
        t_first=0.0,
        t_last=120.0,
        ticks=1201,
        tick=0.1,
        levels=LEVELS,
        limit=1.0,
        honesty=["nothing is recorded from 71.0 s to 73.5 s"],
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def roster_of(names: list[str], real: int) -> Roster:
    count = len(names)
    kinds = [Kind("pedestrian"), Kind("ground"), Kind("aerial", "rotorcraft")]
    return Roster(
        vids=np.arange(100, 100 + count, dtype=np.uint32),
        names=names,
        kinds=kinds,
        kind=np.minimum(np.arange(count) // 2, 2).astype(np.uint8),
        origin=np.where(np.arange(count) < real, Origin.REAL, Origin.VIRTUAL).astype(np.uint8),
        length=np.where(np.arange(count) < real, 1.0, 2.0),
        behaviors=["wander", "avoid"],
    )


def tracks_of(roster: Roster, t: NDArray[np.float64], flat: bool = False) -> list[Track]:
    random = np.random.default_rng(5)
    tracks = []
    field = 20 * math.sqrt(len(roster))
    for row in range(len(roster)):
        x0, y0 = random.uniform(-field, field, 2)
        radius, rate, phase = random.uniform(8, 30), random.uniform(0.03, 0.2), random.uniform(0, 6)
        x = x0 + radius * np.sin(rate * t + phase)
        y = y0 + radius * np.sin(2 * rate * t) / 2
        flies = row >= 5 and not flat
        z = 20 + 5 * np.sin(rate * t) if flies else np.zeros_like(t)
        step = np.hypot(np.diff(x), np.diff(y))
        path = np.concatenate([[0], np.cumsum(step)])
        speed = np.concatenate([step, step[-1:]]) / (t[1] - t[0])
        track = Track(row, t, x, y, z, 29.19 + y / 1.1e5, -81.05 + x / 9.7e4, speed, path)
        tracks.append(track)
    return tracks


def with_gap(track: Track, start: float, end: float) -> Track:
    gone = (track.t >= start) & (track.t <= end)
    blank = {
        name: np.where(gone, np.nan, getattr(track, name))
        for name in ("x", "y", "z", "lat", "lon", "speed", "path")
    }
    return replace(track, **blank)


def distance(a: Track, b: Track) -> NDArray[np.float64]:
    return np.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2)


def pairs_of(
    roster: Roster, tracks: list[Track], most: int
) -> tuple[Pairs, list[PairSeries], bool]:
    rows, others = np.triu_indices(len(tracks), 1)
    if len(rows) > 2000:
        rows, others = rows[:2000], others[:2000]
    apart = np.array([distance(tracks[a], tracks[b]) for a, b in zip(rows, others, strict=True)])
    t = tracks[0].t
    at = np.nanargmin(apart, axis=1)
    closest = apart[np.arange(len(apart)), at]
    larger = np.maximum(roster.length[rows], roster.length[others])
    step = t[1] - t[0]
    below = np.array(
        [(apart < multiple * larger[:, None]).sum(axis=1) * step for multiple in LEVELS.values()]
    )
    order = np.argsort(closest)
    pairs = Pairs(
        row=rows[order],
        other=others[order],
        closest=closest[order],
        closest_t=t[at][order],
        both_known_s=np.isfinite(apart).sum(axis=1)[order] * step,
        below_s=below[:, order],
        mean=np.nanmean(apart, axis=1)[order],
        deviation=np.nanstd(apart, axis=1)[order],
        farthest=np.nanmax(apart, axis=1)[order],
    )
    series = [
        PairSeries(int(rows[i]), int(others[i]), t, apart[i])
        for i in order[: min(most, len(order))]
    ]
    return pairs, series, len(series) == len(pairs)


def vehicles_of(
    tracks: list[Track], gaps: list[list[tuple[float, float, str]]], real: int
) -> VehicleFacts:
    return VehicleFacts(
        known_s=np.array([120.0 - sum(end - start for start, end, _ in gap) for gap in gaps]),
        distance=np.array([np.nanmax(track.path) for track in tracks]),
        mean_speed=np.array([np.nanmean(track.speed) for track in tracks]),
        top_speed=np.array([np.nanmax(track.speed) for track in tracks]),
        behaviors=[
            {} if row < real else {"wander": 0.9, "avoid": 0.1} for row in range(len(tracks))
        ],
        gaps=gaps,
    )


def fixes_of(real: int) -> FixFacts:
    each = np.arange(real, dtype=float)
    return FixFacts(
        rows=np.arange(real),
        accuracy_median=3.0 + each,
        accuracy_p95=5.5 + 2 * each,
        delay_median=0.12 + 0.1 * each,
        delay_p95=0.4 + 0.1 * each,
        age_p95=1.2 + each,
        loss=0.02 + 0.1 * each,
        rate=np.full(real, 0.98),
        accepted=np.full(real, 115, np.uint32),
        rejected=np.full(real, 2, np.uint32),
    )


def happenings_of(pairs: Pairs, levels: int) -> list[Happening]:
    found = [
        Happening(0.0, "state", "READY"),
        Happening(1.0, "state", "RUNNING"),
        Happening(120.0, "state", "STOPPED"),
        Happening(30.2, "mark", "gate opened"),
        Happening(40.0, "mission", "uav-1 leg 2 of 4", [5]),
        Happening(44.0, "said", "uav-2: 12 bytes, heard by 3", [6]),
        Happening(50.0, "detection", "uav-3 found ann", [7, 0]),
        Happening(52.5, "reaction", "van-1 avoids ben", [2, 1], until=55.0),
        Happening(71.2, "lost", "host air lost", [5, 6]),
        Happening(60.0, "stale", "not heard for 3.0 s", [1]),
    ]
    for pair in range(min(40, len(pairs))):
        for level in range(levels):
            if pairs.below_s[level, pair] > 0:
                t = float(pairs.closest_t[pair]) - 2.0 + level / 2
                who = [NAMES[int(row) % 10] for row in (pairs.row[pair], pairs.other[pair])]
                found.append(
                    Happening(
                        t,
                        "notice",
                        " – ".join(who),
                        [int(pairs.row[pair]), int(pairs.other[pair])],
                        level + 1,
                        t + float(pairs.below_s[level, pair]),
                    )
                )
    return sorted(found, key=lambda happening: happening.t)


def ten(names: list[str] | None = None, **changes: object) -> Findings:
    """A live run with two people, three ground vehicles and five that fly."""
    roster = roster_of(names or NAMES, 2)
    t = np.linspace(0, 120, 481)
    tracks = tracks_of(roster, t)
    gaps: list[list[tuple[float, float, str]]] = [[] for _ in tracks]
    gaps[1] = [(0.0, 4.0, "not heard yet"), (60.0, 68.0, "stale")]
    gaps[5] = [(71.0, 80.0, "host lost")]
    gaps[6] = [(71.0, 80.0, "host lost")]
    for row, each in enumerate(gaps):
        each.append((71.0, 73.5, "nothing recorded"))
        each.sort()
        for start, end, _ in each:
            tracks[row] = with_gap(tracks[row], start, end)
    pairs, series, every = pairs_of(roster, tracks, 45)
    s = np.arange(0, 120.0)
    random = np.random.default_rng(1)
    made = Findings(
        run=facts(),
        roster=roster,
        vehicles=vehicles_of(tracks, gaps, 2),
        fixes=fixes_of(2),
        tracks=tracks,
        pairs=pairs,
        series=series,
        every_pair_drawn=every,
        happenings=happenings_of(pairs, 3),
        left_out=0,
        processes=[
            ProcessSeries(name, s, 0.8 - 0.3 * random.random(120), 0.002 * random.random(120))
            for name in ("core", "host air", "host ground")
        ],
        links=[
            LinkSeries(
                row, s, 1 + random.random(120), 0.2 * random.random(120), s * 0 + 0.02, s * 0 + 1
            )
            for row in range(2)
        ],
        rating=rated(),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def thousand(points: int = 300) -> Findings:
    """A fast run with 50 real ones."""
    roster = roster_of([f"v{row:04}" for row in range(1000)], 50)
    tracks = tracks_of(roster, np.linspace(0, 600, points))
    gaps: list[list[tuple[float, float, str]]] = [
        [(10.0 + row % 80, 20.0 + row % 90, "stale")] if row % 9 == 0 else [] for row in range(1000)
    ]
    pairs, series, every = pairs_of(roster, tracks, 40)
    return Findings(
        run=facts(t_last=600.0, name="thousand", live=False, rehearsed=False, honesty=[]),
        roster=roster,
        vehicles=vehicles_of(tracks, gaps, 50),
        fixes=fixes_of(50),
        tracks=tracks,
        pairs=pairs,
        series=series,
        every_pair_drawn=every,
        happenings=happenings_of(pairs, 3),
        left_out=1200,
        processes=[],
        links=[],
        rating=rated(),
    )


def empty() -> Findings:
    """One vehicle that was never known, and nothing else."""
    none = np.zeros(0)
    nan = np.array([math.nan])
    rows = np.zeros(0, np.intp)
    counts = np.zeros(0, np.uint32)
    return Findings(
        run=facts(
            started_utc=0.0,
            live=False,
            rehearsed=False,
            ticks=0,
            t_last=0.0,
            changes=[],
            honesty=[],
        ),
        roster=roster_of(["alone"], 0),
        vehicles=VehicleFacts(np.zeros(1), nan, nan, nan, [{}], [[]]),
        fixes=FixFacts(rows, none, none, none, none, none, none, none, counts, counts),
        tracks=[],
        pairs=Pairs(rows, rows, none, none, none, np.zeros((3, 0)), none, none, none),
        series=[],
        every_pair_drawn=True,
        happenings=[],
        left_out=0,
        processes=[],
        links=[],
        rating=rated(),
    )
