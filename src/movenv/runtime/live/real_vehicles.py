"""The real vehicles of a gateway host: packets in, motion and its quality out."""

import msgspec
import numpy as np

from movenv.gateways.config import Entry
from movenv.gateways.fix import Fix
from movenv.gateways.inlet import Arrival, Inlet
from movenv.gateways.tracker import Outcome, Trackers
from movenv.recording.layouts import PacketsRecord
from movenv.world.frames import Frame
from movenv.world.messages import Motions, Receptions

COMMON = (Outcome.REPEATED, Outcome.OUT_OF_ORDER)
"""What happens to any phone in a bad network, and is only counted."""
REFUSED_KEPT = 20
"""Packets without a fix that are recorded of those that come in one tick; all are counted."""
TOLD_SENDERS = 100
"""Strangers that are told of one by one; all are counted."""


class RealVehicles:
    """Follows real vehicles by what their gateways take in. Without sockets and clock."""

    def __init__(self, frame: Frame, entries: list[Entry], inlet: Inlet) -> None:
        self._inlet = inlet
        self._trackers = Trackers(frame, entries)
        self._packets: list[bytes] = []
        self._told: set[tuple[str, str | int]] = set()

    def listen(self) -> None:
        """Take in everything that has come."""
        arrivals = self._inlet.drain()
        if not arrivals:
            return
        vids, fixes, at = [], [], []
        for arrival in arrivals:
            if arrival.refused:
                self._tell_of(arrival)
            for vid, fix in arrival.fixes:
                vids.append(vid)
                fixes.append(fix)
                at.append(arrival.at)
        outcomes = self._trackers.take(vids, fixes, at)
        for i in np.flatnonzero(outcomes != Outcome.ACCEPTED).tolist():
            outcome = Outcome(outcomes[i])
            self._inlet.refused[outcome.words] += 1
            if outcome not in COMMON and (outcome.words, vids[i]) not in self._told:
                self._told.add((outcome.words, vids[i]))
                self._inlet.happened("refused", _disbelieved(outcome, fixes[i], at[i]), vids[i])
        kept = _few_refused(arrivals)
        self._packets.append(msgspec.json.encode(_record(kept, outcomes.tolist())))

    def _tell_of(self, arrival: Arrival) -> None:
        """Who was refused and why, once a sender: it may send again and again."""
        who = f"{arrival.via}: {arrival.refused}", arrival.sender.rpartition(":")[0]
        if who in self._told or len(self._told) >= TOLD_SENDERS:
            return
        self._told.add(who)
        said = f"{arrival.via} drops what comes from {arrival.sender}: {arrival.refused}"
        self._inlet.happened("refused", said)

    def happened(self, kind: str, text: str) -> None:
        """Tell of something for the recording."""
        self._inlet.happened(kind, text)

    def state(self, utc: float) -> tuple[Motions, Receptions]:
        """Everyone heard so far at the instant `utc`, and how well everyone is heard."""
        return self._trackers.state(utc)

    @property
    def refused(self) -> dict[str, int]:
        return dict(self._inlet.refused)

    def news(self) -> tuple[list[bytes], list[tuple[str, str, int]]]:
        """Packets for the recording, and what happened, since the last call."""
        packets, self._packets = self._packets, []
        return packets, [(h.kind, h.text, h.vid) for h in self._inlet.news()]


def _disbelieved(outcome: Outcome, fix: Fix, at: float) -> str:
    """Why a fix was not believed, in words, with what helps to see why."""
    said = f"a fix is not believed: {outcome.words}"
    if outcome in (Outcome.FUTURE, Outcome.TOO_OLD):
        return f"{said} (its clock is {fix.time - at:+,.1f} s off; clock: arrival ignores it)"
    return f"{said} ({fix.lat:.5f}, {fix.lon:.5f})"


def _few_refused(arrivals: list[Arrival]) -> list[Arrival]:
    """All that hold fixes, and of a flood of others the first ones."""
    room, kept = REFUSED_KEPT, []
    for arrival in arrivals:
        room -= not arrival.fixes
        if arrival.fixes or room >= 0:
            kept.append(arrival)
    return kept


def _record(arrivals: list[Arrival], outcomes: list[int]) -> PacketsRecord:
    words = [Outcome(code).words for code in outcomes]
    became, at = [], 0
    for arrival in arrivals:
        count = len(arrival.fixes)
        became.append(arrival.refused or arrival.empty or ",".join(words[at : at + count]))
        at += count
    return PacketsRecord(
        arrived=[arrival.at for arrival in arrivals],
        via=[arrival.via for arrival in arrivals],
        sender=[arrival.sender for arrival in arrivals],
        vid=[arrival.fixes[0][0] if arrival.fixes else arrival.vid for arrival in arrivals],
        outcome=became,
        data=[arrival.data for arrival in arrivals],
    )
