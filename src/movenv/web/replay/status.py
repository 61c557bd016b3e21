"""Where a recorded run stood at a time, as far as the recording tells."""

from typing import Any

import msgspec
import numpy as np

from movenv.recording.cdr import DecodeError
from movenv.recording.layouts import (
    HEALTH,
    RECEPTION_LAYOUT,
    RECEPTIONS,
    RUN_STATE,
    SUMMARY,
    HealthRecord,
    RunStateRecord,
    SummaryRecord,
)
from movenv.recording.seek import Seeker
from movenv.web.feed import Moment
from movenv.world.columns import VidIndex
from movenv.world.messages import Heard, Roster

RECEPTIONS_HOLD = 2.0
"""How long what was told of a real vehicle's reception is true, s; it is told every tick."""


class RecordedStatus:
    """Makes the status of any time."""

    def __init__(self, seeker: Seeker, roster: Roster, end: float) -> None:
        self._seeker, self._end = seeker, end
        self._index = VidIndex(roster.vids)

    def at(self, t: float, moment: Moment | None) -> dict[str, Any]:
        """The status without what only the viewer knows; what is not known is left out."""
        status: dict[str, Any] = {"duration": self._end, "legal": []}
        if moment is not None:
            status |= {"tick": moment.tick, "t": moment.t, "utc": moment.utc}
            status["state"] = moment.run_state.name
        if state := self._record(RUN_STATE, t, RunStateRecord):
            status["state"] = state.state
        if health := self._record(HEALTH, t, HealthRecord):
            status |= {"core": health.core, "hosts": health.hosts}
        if summary := self._record(SUMMARY, t, SummaryRecord):
            status["summary"] = _summary(summary)
        if (real := self._real(t)) is not None:
            status["real"] = real
        return status

    def _record(self, topic: str, t: float, kind: Any) -> Any:
        data = self._seeker.latest(topic, t)
        try:
            return msgspec.json.decode(data, type=kind) if data else None
        except msgspec.MsgspecError:
            return None  # what says nothing is as good as not there

    def _real(self, t: float) -> list[dict[str, Any]] | None:
        data = self._seeker.latest(RECEPTIONS, t, within=RECEPTIONS_HOLD)
        if data is None:
            return None
        try:
            _, heard = RECEPTION_LAYOUT.decode(data)
        except DecodeError:
            return None
        rows = self._index.rows(heard.vid)
        known = (rows >= 0) & (heard.heard <= max(Heard))
        heard, rows = heard.take(known), rows[known]
        columns = {name: _plain(column) for name, column in heard.columns() if name != "vid"}
        columns["heard"] = [Heard(value).name.lower() for value in columns["heard"]]
        names = ["row", *columns]
        entries = zip(rows.tolist(), *columns.values(), strict=True)
        return [dict(zip(names, entry, strict=True)) for entry in entries]


def _plain(column: Any) -> list[Any]:
    """What is not known is None."""
    if column.dtype.kind != "f":
        listed: list[Any] = column.tolist()
        return listed
    return [value if np.isfinite(value) else None for value in column.tolist()]


def _summary(record: SummaryRecord) -> dict[str, Any]:
    closest = record.closest
    return {
        "notices": record.notices,
        "closest": closest
        and {"distance": closest.distance, "names": closest.names, "t": closest.t},
        "detections": record.detections,
        "missions": msgspec.to_builtins(record.missions),
    }
