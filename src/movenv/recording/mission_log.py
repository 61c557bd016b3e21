"""Steps of missions as events for the log: each is told when it begins."""

from collections import Counter

from movenv.recording.layouts import EventRecord
from movenv.world.columns import Rows
from movenv.world.messages import MISSION_OVER, Roster, VehicleStates
from movenv.world.progress import Progress

MISSION = "mission"
MOST_AT_ONCE = 50
"""Steps told of by name at one instant; of more only how many there are of each."""
STEPS_TOLD = 5


class MissionLog:
    """Turns everyone's steps, from one instant to the next, into events."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._progress = Progress(roster)

    def know(self, t: float, vehicles: VehicleStates) -> None:
        """Go on from where everyone was: what lies before is not told."""
        self._progress.take(t, vehicles.step)

    def events(self, t: float, utc: float, vehicles: VehicleStates) -> list[EventRecord]:
        """Who has begun another step since the instant before."""
        changed = self._progress.take(t, vehicles.step)
        if not len(changed):
            return []
        if len(changed) > MOST_AT_ONCE:
            return [EventRecord(t, utc, MISSION, self._counted(changed, vehicles))]
        vids = self._roster.vids
        return [
            EventRecord(t, utc, MISSION, f"{name}: {step}", "", [int(vids[row])])
            for row, name, step in self._named(changed, vehicles)
        ]

    def _named(self, rows: Rows, vehicles: VehicleStates) -> list[tuple[int, str, str]]:
        """Row, name and what it does now."""
        steps = zip(rows.tolist(), vehicles.step[rows].tolist(), strict=True)
        roster = self._roster
        return [
            (
                row,
                roster.names[row],
                "mission over" if step == MISSION_OVER else roster.step_name(row, step),
            )
            for row, step in steps
        ]

    def _counted(self, rows: Rows, vehicles: VehicleStates) -> str:
        steps = Counter(step for _, _, step in self._named(rows, vehicles)).most_common()
        told = ", ".join(f"{step} ({count:,})" for step, count in steps[:STEPS_TOLD])
        more = len(steps) - STEPS_TOLD
        also = f" and {more} more steps" if more > 1 else " and another step" if more == 1 else ""
        return f"{len(rows):,} vehicles: {told}{also}"
