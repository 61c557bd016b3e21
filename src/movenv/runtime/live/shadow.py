"""What real vehicles carry: behaviors that look, find and speak, and missions; nothing drives.

A real vehicle goes where its driver wants. But a camera that is simulated on a real drone finds
what lies beneath the real drone, and whoever waits for a real medic waits for the real one.
"""

from dataclasses import replace

import numpy as np

from movenv.scenario.build import Stage
from movenv.world.columns import U1, Mask, Rows, VidIndex
from movenv.world.messages import Broadcasts, Finds, Inbox, Notices, Report, VehicleStates
from movenv.world.model import MOTION

NOWHERE = 1e8
"""Where a vehicle is that was never heard, m: near nobody."""


class Shadow:
    """The behaviors and missions of a gateway's vehicles, told where the vehicles really are."""

    def __init__(self, stage: Stage, name: str, rows: Rows, steps: U1 | None = None) -> None:
        start = stage.start.copy()
        start[: MOTION.index("z")] = NOWHERE
        self._host = stage.host(name, rows, start, steps)
        self._index = VidIndex(self._host.vids)

    def seen(
        self,
        real: Report,
        others: VehicleStates,
        notices: Notices,
        inbox: Inbox,
        finds: Finds,
    ) -> Report:
        """A report of where vehicles are, with what they find and say and how far they are."""
        rows = self._index.rows(real.motions.vid)
        self._host.be_at(rows, real.motions)
        told = self._host.watch(real.tick, others, notices, inbox, finds)
        heard = np.zeros(len(self._host.vids), np.bool_)
        heard[rows] = True
        columns = dict(real.motions.columns()) | {"step": told.motions.step[rows]}
        return replace(
            real,
            motions=type(real.motions)(columns),
            detections=told.detections.take(heard[self._index.rows(told.detections.vid)]),
            broadcasts=_of(told.broadcasts, heard[self._index.rows(told.broadcasts.vid)]),
        )


def _of(said: Broadcasts, speaking: Mask) -> Broadcasts:
    payloads = [said.payloads[i] for i in np.flatnonzero(speaking)]
    return Broadcasts(said.vid[speaking], payloads)


def needs_shadow(stage: Stage, rows: Rows) -> bool:
    """Whether any of these vehicles carries something that works without driving."""
    groups = [stage.groups[i] for i in np.unique(stage.group[rows])]
    return any(
        group.steps or any(c.part.finds() or c.part.speaks() for c in group.carried)
        for group in groups
    )
