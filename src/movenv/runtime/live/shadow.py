"""What real vehicles carry: behaviors that look, find and speak, and missions; nothing drives.

A real vehicle goes where its driver wants. But a camera that is simulated on a real drone finds
what lies beneath the real drone, and whoever waits for a real medic waits for the real one.
"""

from dataclasses import replace

import numpy as np

from movenv.scenario.build import Stage
from movenv.world.behavior import PartFailed
from movenv.world.columns import U1, Mask, Rows, VidIndex
from movenv.world.messages import Finds, Inbox, Motions, Notices, Report, VehicleStates


class Shadow:
    """The behaviors and missions of a gateway's vehicles, told where the vehicles really are.

    A vehicle begins with its mission when it is first heard.
    """

    def __init__(self, stage: Stage, name: str, rows: Rows, steps: U1 | None = None) -> None:
        self._host = stage.host(name, rows, None, steps)
        self._index = VidIndex(self._host.vids)
        self._heard: Mask = np.zeros(len(rows), np.bool_)
        self.steps: U1 = self._host.steps.copy()
        """How far everyone is, in the order of the host's vehicles."""
        self.failed = ""
        """Why it no longer looks on."""

    def told(self, motions: Motions) -> Motions:
        """The same motions with the steps of missions."""
        step = self.steps[self._index.rows(motions.vid)]
        return Motions(dict(motions.columns()) | {"step": step})

    def seen(
        self,
        real: Report,
        others: VehicleStates,
        notices: Notices,
        inbox: Inbox,
        finds: Finds,
    ) -> Report:
        """A report of where vehicles are, with what they find and say and how far they are.

        A behavior that fails ends what is carried, not the listening to real vehicles.
        """
        rows = self._index.rows(real.motions.vid)
        self._heard[rows] = True
        if not self.failed:
            try:
                self._host.be_at(rows, real.motions)
                told = self._host.watch(real.tick, others, notices, inbox, finds, self._heard)
            except PartFailed as error:
                self.failed = f"{error}: {error.__cause__}"
            else:
                self.steps = told.motions.step
                real = replace(real, detections=told.detections, broadcasts=told.broadcasts)
        return replace(real, motions=self.told(real.motions))


def needs_shadow(stage: Stage, rows: Rows) -> bool:
    """Whether any of these vehicles carries something that works without driving."""
    groups = [stage.groups[i] for i in np.unique(stage.group[rows])]
    return any(
        group.steps or any(c.part.finds() or c.part.speaks() for c in group.carried)
        for group in groups
    )
