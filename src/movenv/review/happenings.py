"""What happened, in order of time: notices, reactions, finds, marks, events, talk."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from movenv.recording.layouts import (
    BROADCASTS,
    DETECTIONS,
    EVENTS,
    NOTICES,
    RUN_STATE,
    BroadcastsRecord,
    EventRecord,
    RunStateRecord,
)
from movenv.review.episodes import Episode, Episodes
from movenv.review.findings import Happening, names_of
from movenv.review.known import Why, runs
from movenv.review.reading import Told
from movenv.review.tracks import Tracks
from movenv.world.columns import U1, U4, VidIndex
from movenv.world.messages import (
    MISSION_OVER,
    NO_MISSION,
    Detections,
    Encounters,
    Roster,
    Sighting,
)

MOST = 5_000
"""Happenings that are told of."""
REACTING = "avoid"
"""What the names of behaviors that react to others begin with."""
SAID_SHOWN = 80
"""Characters."""
RANK = {"state": 0, "mark": 1, "order": 1, "mission": 2, "remark": 4, "detection": 4, "notice": 5,
        "reaction": 6, "said": 7}  # fmt: skip
"""What is kept first where there is too much; events of a live run come after the mission."""
EVENT_RANK = 3


def importance(happening: Happening) -> tuple[int, int, float]:
    """Sorts the most important first."""
    rank = RANK.get(happening.kind, EVENT_RANK)
    return rank, -happening.level, happening.t


@dataclass
class Happenings:
    """Takes in what a recording tells, message by message."""

    roster: Roster
    levels: list[str]
    """Names, outermost first."""
    kept: list[Happening] = field(default_factory=list)
    left_out: int = 0
    states: list[RunStateRecord] = field(default_factory=list)
    """Changes of the run state."""
    events: list[EventRecord] = field(default_factory=list)
    _near: Encounters | None = None
    _t: float | None = None
    _steps: U1 | None = None

    def __post_init__(self) -> None:
        self._index = VidIndex(self.roster.vids)
        self._episodes = [Episodes(level) for level in range(1, len(self.levels) + 1)]
        """One a level: a pair that comes to an inner level stays within the outer ones."""
        self._of_topic: dict[str, Callable[[Told], None]] = {
            NOTICES: self._notices,
            DETECTIONS: self._detections,
            EVENTS: self._event,
            RUN_STATE: self._state,
            BROADCASTS: self._said,
        }
        """A topic more that tells of happenings is a line more here."""

    def take(self, told: Told) -> None:
        """A message of any topic; those that tell of no happening are passed over."""
        if handler := self._of_topic.get(told.topic):
            handler(told)

    def tick(self, t: float, after_gap: bool) -> None:
        """A snapshot has come; its notices follow it."""
        self._finish_tick()
        for episodes in self._episodes if after_gap else ():
            episodes.close()
        self._t, self._near = t, None

    def steps(self, t: float, step: U1) -> None:
        """How far everyone's mission is; told from the snapshots, which every run has."""
        before = self._steps if self._steps is not None else np.zeros_like(step)
        self._steps = np.where(step != NO_MISSION, step, before)
        for row in np.flatnonzero((step != before) & (step != NO_MISSION)).tolist():
            name = self.roster.step_name(row, int(step[row]))
            said = "mission over" if step[row] == MISSION_OVER else name
            self._keep(Happening(t, "mission", f"{self._names([row])}: {said}", [row]))

    def _finish_tick(self) -> None:
        for episodes in self._episodes:
            if self._t is not None:
                episodes.tick(self._t, self._near)
            for episode in episodes.done:
                self._keep(self._notice(episode))
            episodes.done.clear()

    def finish(self, tracks: Tracks) -> list[Happening]:
        """All that are kept, in order of time."""
        self._finish_tick()
        for episodes in self._episodes:
            episodes.close()
        self._t = None
        self._finish_tick()
        self._reactions(tracks)
        if any(event.kind == "state" for event in self.events):
            # A live run tells of a change twice, and its event also by whom.
            bare = {state.state for state in self.states}
            self.kept = [h for h in self.kept if h.kind != "state" or h.text not in bare]
        self._thin()
        return sorted(self.kept, key=lambda happening: happening.t)

    def _keep(self, happening: Happening) -> None:
        self.kept.append(happening)
        if len(self.kept) >= 4 * MOST:
            self._thin()

    def _thin(self) -> None:
        if len(self.kept) > MOST:
            self.kept.sort(key=importance)
            self.left_out += len(self.kept) - MOST
            del self.kept[MOST:]

    def _rows(self, vids: U4 | list[int]) -> list[int]:
        rows = self._index.rows(np.asarray(vids, np.uint32))
        return [row for row in rows.tolist() if row >= 0]

    def _names(self, rows: list[int]) -> str:
        return " and ".join(names_of(self.roster, rows))

    # --- one kind each

    def _notices(self, told: Told) -> None:
        self._near = told.record

    def _notice(self, episode: Episode) -> Happening:
        rows = self._rows([episode.vid, episode.other])
        level = self.levels[episode.level - 1]
        text = f"{self._names(rows)}: {level}, {episode.distance:.1f} m"
        return Happening(episode.since, "notice", text, rows, episode.level, episode.until)

    def _detections(self, told: Told) -> None:
        finds: Detections = told.record
        for i in np.flatnonzero(finds.sighting != Sighting.SEEN).tolist():
            rows = self._rows([int(finds.vid[i]), int(finds.target[i])])
            if len(rows) == 2:
                word = "found" if finds.sighting[i] == Sighting.FOUND else "lost sight of"
                who, whom = names_of(self.roster, rows)
                t = float(told.numbers["t"])
                self._keep(Happening(t, "detection", f"{who} {word} {whom}", rows))

    def _event(self, told: Told) -> None:
        event: EventRecord = told.record
        self.events.append(event)
        if event.kind == "mission":
            return  # the snapshots tell of it
        text = f"{event.who}: {event.text}" if event.who else event.text
        self._keep(Happening(event.t, event.kind, text, self._rows(event.vids)))

    def _state(self, told: Told) -> None:
        record: RunStateRecord = told.record
        if not self.states or record.state != self.states[-1].state:
            self.states.append(record)
            self._keep(Happening(record.t, "state", record.state))

    def _said(self, told: Told) -> None:
        record: BroadcastsRecord = told.record
        for vid, heard, payload in zip(record.vid, record.heard, record.payload, strict=True):
            rows = self._rows([vid])
            said = f"{self._names(rows)}: {_readable(payload)} (heard by {heard})"
            self._keep(Happening(record.t, "said", said, rows))

    def _reactions(self, tracks: Tracks) -> None:
        """Stretches in which a behavior that reacts to others held the wheel."""
        names = self.roster.behaviors
        reacting = np.zeros(len(names) + 1, np.bool_)
        reacting[1:] = [name.startswith(REACTING) for name in names]
        held = reacting[tracks.behavior] & (tracks.why == Why.KNOWN)
        for row in np.flatnonzero(held.any(axis=0)).tolist():
            for start, end in runs(held[:, row]):
                since, until = float(tracks.t[start]), float(tracks.t[min(end, len(tracks) - 1)])
                name = names[int(tracks.behavior[start, row]) - 1]
                text = f"{self._names([row])}: {name} for {until - since:.1f} s"
                self._keep(Happening(since, "reaction", text, [row], until=until))


def _readable(payload: bytes) -> str:
    """Text as text, anything else in hexadecimal; the beginning of what is long."""
    try:
        text: Any = payload.decode()
        shown = repr(text) if text.isprintable() else payload.hex()
    except UnicodeDecodeError:
        shown = payload.hex()
    return shown if len(shown) <= SAID_SHOWN else shown[: SAID_SHOWN - 1] + "…"
