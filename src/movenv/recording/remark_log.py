"""What vehicles tell the operator, as events for the log."""

from collections import defaultdict

from movenv.recording.layouts import EventRecord
from movenv.world.messages import Remark, Roster

REMARK = "remark"
MOST_AT_ONCE = 50
"""Remarks told by name at one instant; of more only how many say the same."""


def remark_events(
    remarks: list[Remark], roster_names: dict[int, str], t: float, utc: float
) -> list[EventRecord]:
    """One event a remark, with the vehicle's name."""
    if len(remarks) <= MOST_AT_ONCE:
        return [
            EventRecord(t, utc, REMARK, f"{roster_names[vid]}: {text}", "", [vid])
            for vid, text in remarks
        ]
    alike: dict[str, list[int]] = defaultdict(list)
    for vid, text in remarks:
        alike[text].append(vid)
    return [
        EventRecord(t, utc, REMARK, f"{_whose(vids, roster_names)}: {text}", "", vids)
        for text, vids in alike.items()
    ]


def remarked(event: EventRecord, text: str) -> bool:
    """Whether an event says that its vehicles remarked this."""
    return event.kind == REMARK and event.text.endswith(f": {text}")


def names_by_vid(roster: Roster) -> dict[int, str]:
    return dict(zip(roster.vids.tolist(), roster.names, strict=True))


def _whose(vids: list[int], names: dict[int, str]) -> str:
    return names[vids[0]] if len(vids) == 1 else f"{len(vids):,} vehicles"
