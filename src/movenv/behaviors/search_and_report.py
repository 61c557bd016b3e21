"""Look for targets within a radius and tell the Core. Never touches the wheel."""

from fnmatch import fnmatchcase
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Detections,
    Field,
    Moment,
    Own,
    Setup,
    Sighting,
    SightRange,
    VehicleStates,
)
from movenv.terrain.heights import heights_of
from movenv.world.columns import F8, Mask, VidIndex
from movenv.world.neighbors import within

EYES = 1.5
"""Above where somebody stands: what sees, and what is seen, m."""


class SearchAndReportConfig(BehaviorConfig):
    """Signal targets within a radius: found, still seen, lost; with the last time and place.

    On a height map hills and buildings hide them."""

    radius: SightRange = Field(50.0, gt=0, le=1e6, description="how far the searcher sees, m")
    targets: list[str] = Field(["*"], min_length=1, description="name patterns of what to look for")
    every: float = Field(1.0, gt=0, le=3600, description="time between reports of one target, s")


class SearchAndReport(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = SearchAndReportConfig

    def __init__(self, setup: Setup) -> None:
        _, self._group = setup.config.each()
        roster_names = setup.roster.names
        self._radius = setup.config.radius
        self._every = setup.config.every
        self._index = VidIndex(setup.roster.vids)
        self._searchers = VidIndex(setup.vids)
        self._wanted = np.array(
            [
                [any(fnmatchcase(name, wanted) for wanted in targets) for name in roster_names]
                for targets in setup.config.distinct("targets")
            ]
        )
        for wanted in {name for names in setup.config.distinct("targets") for name in names}:
            if not any(fnmatchcase(name, wanted) for name in roster_names):
                raise ValueError(f"no vehicle is called '{wanted}'")
        self._ground = None if setup.terrain.relief is None else heights_of(setup.terrain)
        if self._ground is not None:
            self._ground.sees(np.empty((3, 0)), np.empty((3, 0)))  # compiled before anything moves
        # Pairs in view, as (searcher << 32 | target): when reported, when and where last seen.
        self._pairs = np.empty(0, np.uint64)
        self._reported = np.empty(0)
        self._seen = np.empty((4, 0))

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        """Whom they saw before is found anew."""
        kept = ~np.isin(self._pairs >> np.uint64(32), own.vid[begins])
        self._pairs, self._reported = self._pairs[kept], self._reported[kept]
        self._seen = self._seen[:, kept]

    def detect(self, own: Own, others: VehicleStates, moment: Moment) -> Detections | None:
        own_xyz = np.column_stack([own.x, own.y, own.z])
        others_xyz = np.column_stack([others.x, others.y, others.z])
        searcher, seen = within(own_xyz, self._radius, others_xyz)
        vid, target = own.vid[searcher], others.vid[seen]
        wanted = (target != vid) & self._wanted[self._group[searcher], self._index.rows(target)]
        searcher, seen = searcher[wanted], seen[wanted]
        in_view = self._in_view(own_xyz[searcher].T, others_xyz[seen].T)
        searcher, seen = searcher[in_view], seen[in_view]
        vid, target = own.vid[searcher], others.vid[seen]
        pairs = (vid.astype(np.uint64) << np.uint64(32)) | target
        order = np.argsort(pairs)
        seen = seen[order]
        where_when = np.array(
            [np.full(len(seen), moment.t), others.x[seen], others.y[seen], others.z[seen]]
        )
        return self._compare(pairs[order], where_when, moment.t)

    def _in_view(self, own: F8, others: F8) -> Mask:
        """Whose heads, over places (3, n) of searchers and targets, the ground does not hide."""
        if self._ground is None:
            return np.ones(own.shape[1], np.bool_)
        heads = []
        for x, y, z in (own, others):
            # Real ones may be measured below the ground.
            heads.append(np.array([x, y, np.maximum(z, self._ground.at(x, y)) + EYES]))
        return self._ground.sees(*heads)

    def _compare(self, pairs: NDArray[np.uint64], seen: F8, t: float) -> Detections | None:
        """Tell what changed since the last tick, and remember."""
        vid = (pairs >> np.uint64(32)).astype(np.uint32)
        lost = ~np.isin(self._pairs, pairs)
        at = np.searchsorted(self._pairs, pairs)
        known = np.zeros(len(pairs), np.bool_)
        if len(self._pairs):
            at = np.minimum(at, len(self._pairs) - 1)
            known = self._pairs[at] == pairs
        reported = np.full(len(pairs), -np.inf)
        reported[known] = self._reported[at[known]]
        tell = t - reported >= self._every[self._searchers.rows(vid)] - 1e-9
        sighting = np.where(known, Sighting.SEEN, Sighting.FOUND)
        gone, gone_seen = self._pairs[lost], self._seen[:, lost]
        self._pairs, self._seen = pairs, seen
        self._reported = np.where(tell, t, reported)
        if not tell.any() and not len(gone):
            return None
        told_pairs = np.concatenate([pairs[tell], gone])
        told_seen = np.concatenate([seen[:, tell], gone_seen], axis=1)
        return Detections(
            {
                "vid": told_pairs >> np.uint64(32),
                "target": told_pairs & np.uint64(0xFFFFFFFF),
                "sighting": np.concatenate([sighting[tell], np.full(len(gone), Sighting.LOST)]),
                "t_seen": told_seen[0],
                "x": told_seen[1],
                "y": told_seen[2],
                "z": told_seen[3],
            }
        )
