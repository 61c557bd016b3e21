"""Feeding a database from a recording, each message once, whatever is killed on the way.

What goes in together is a batch, and its number stands in every document. The run's document in
`runs` says which batches count and how far the file is read: both change in one step, on disk,
when a batch is in. Whoever begins, or begins again after the database was away, takes a new
series of numbers and removes every batch that does not count, so that nothing can be there twice.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from bson.raw_bson import RawBSONDocument
from pymongo import ReturnDocument
from pymongo.errors import PyMongoError

from movenv.recording.layouts import RUN, SNAPSHOTS, RunRecord
from movenv.recording.mongo.database import Database, Document, reason
from movenv.recording.mongo.documents import (
    EPOCH,
    event_documents,
    milliseconds,
    moment,
    split,
)
from movenv.recording.mongo.follow import AnotherFile, Followed, Follower, Message, Place
from movenv.recording.mongo.naming import described, run_name
from movenv.recording.mongo.rows import RowDocuments
from movenv.recording.opening import read_opening
from movenv.recording.writer import RecordingError, RecordingRefused
from movenv.world.messages import VehicleStates

BATCH_EVERY = 1.0
"""How long messages may wait for others, s. Fewer and larger batches cost a database less: it
keeps the documents of a vehicle and batch together."""
BATCH_ROWS = 30_000
"""As many documents are inserted at once when there is more to catch up with."""
SERIES = 1_000_000_000
"""Batches of one series."""
LOOK_EVERY = 0.1
BACKOFF = (0.25, 5.0)
"""How long to wait before the database is tried again: at first and at most, s."""


class TakenOver(RecordingError):
    """Somebody else feeds this run now."""


class Feeder:
    """Feeds one recording, all its parts, into one database."""

    def __init__(
        self,
        database: Database,
        path: Path,
        say: Callable[[str], None] = lambda line: None,
        progress: Callable[[float], None] = lambda share: None,
    ) -> None:
        """`progress` hears the latest time that is in the database, s since 1970."""
        self._database = database
        self._path = path
        self._say, self._progress = say, progress
        self.run = ""
        self.documents = 0
        """Inserted by us, in batches that count."""

    def feed(self, live: bool, patience: float) -> bool:
        """Until all is in the database. Raises RecordingError.

        `live`: the file grows still, until it is closed. `patience` is how long the database may
        be away, s; returns False when it was away longer.
        """
        wait, away_since = BACKOFF[0], None
        while True:
            try:
                for _ in self._attempt(live):
                    if away_since is not None:
                        self._say(f"{self._database.address.shown} is back; catching up")
                    wait, away_since = BACKOFF[0], None
                return True
            except PyMongoError as error:
                if away_since is None:
                    away_since = time.monotonic()
                    self._say(
                        f"{self._database.address.shown}: {reason(error)} Nothing is lost: "
                        f"{self._path} is written, and the database caught up later"
                    )
            if time.monotonic() - away_since > patience:
                return False
            time.sleep(wait)
            wait = min(2 * wait, BACKOFF[1])

    def _attempt(self, live: bool) -> Iterator[None]:
        """Feed until all is in; gives back control after every batch."""
        opening = self._wait_for_opening(live)
        self.run = run_name(opening)
        series = _Series(self._database, self.run, opening)
        with Follower(self._path, opening, series.place) as follower:
            # What was closed goes on in a further part when its recorder is started again.
            if series.complete and not follower.goes_on:
                return
            try:
                series.remove_strays()
                yield from self._follow(follower, series, live)
            except AnotherFile:
                raise RecordingRefused(
                    f"{self._database.address.with_run(self.run).told} was fed from another "
                    f"recording of this run than {self._path}; it was not touched"
                ) from None

    def _wait_for_opening(self, live: bool) -> RunRecord:
        while True:
            if not live or self._path.exists():
                opening = read_opening(self._path)
                if opening is not None:
                    return opening.run
                if not live:
                    raise RecordingRefused(f"{self._path} ends before it says what was run")
            time.sleep(LOOK_EVERY)

    def _follow(self, follower: Follower, series: "_Series", live: bool) -> Iterator[None]:
        while True:
            chunks = self._gather(follower, live)
            if chunks:
                self.documents += series.add(chunks, follower.closed)
                self._progress(max((m.stamp for c in chunks for m in c.messages), default=0.0))
                yield
            elif follower.ended or not live:
                series.finish(follower.closed | {follower.place.part: follower.ended})
                return

    def _gather(self, follower: Follower, live: bool) -> list[Followed]:
        """The chunks of one batch; none when nothing came for a while."""
        until = time.monotonic() + BATCH_EVERY
        chunks: list[Followed] = []
        rows = 0
        while rows < BATCH_ROWS:
            chunk = follower.next()
            if chunk is not None:
                chunks.append(chunk)
                rows += sum(len(m.data) for m in chunk.messages) // 100
            elif not live or follower.ended or time.monotonic() > until:
                break
            else:
                time.sleep(LOOK_EVERY)
        return chunks


class _Series:
    """A series of batches, begun now. Raises PyMongoError, TakenOver."""

    def __init__(self, database: Database, run: str, opening: RunRecord) -> None:
        self._database = database
        self._run = run
        database.prepare()
        found = database.sure_runs.find_one_and_update(
            {"_id": run},
            {"$inc": {"feeding.series": 1}, "$setOnInsert": described(opening)},
            upsert=True,
            return_document=ReturnDocument.AFTER,
        )
        assert found is not None  # it is made where it is not there
        feeding: Document = found["feeding"]
        self.complete = bool(feeding.get("complete"))
        self.place = Place(**feeding["place"]) if "place" in feeding else Place()
        self._number: int = feeding["series"]
        self._seq: int = feeding.get("messages", 0)
        self._start_ns: int = feeding.get("start_ns", round(opening.started_utc * 1e9))
        self._damaged: int = feeding.get("damaged_chunks", 0)
        self._spans: list[list[int]] = feeding.get("batches", [])
        self._batch = self._number * SERIES
        self._latest = EPOCH
        self._rows = RowDocuments(run, VehicleStates)

    def remove_strays(self) -> None:
        """Batches that do not count: of whoever was killed before it could say that they do.

        One that a database was still taking in comes even later, so it is done at the end too.
        """
        edges = [-1, *(edge for span in self._spans for edge in span), self._number * SERIES]
        for after, before in zip(edges[::2], edges[1::2], strict=True):
            stray = {"meta.run": self._run, "meta.batch": {"$gt": after, "$lt": before}}
            self._database.snapshots.delete_many(stray)
            self._database.events.delete_many(stray)

    def add(self, chunks: list[Followed], closed: dict[int, bool]) -> int:
        """Insert a batch, then say that it counts; returns how many documents it has."""
        snapshots: list[RawBSONDocument] = []
        events: list[RawBSONDocument] = []
        seq = self._seq
        for chunk in chunks:
            self._damaged += chunk.damaged
            for message in chunk.messages:
                self._document(message, chunk.place.part, seq, snapshots, events)
                seq += 1
        for collection, documents in (
            (self._database.snapshots, snapshots),
            (self._database.events, events),
        ):
            if documents:
                collection.insert_many(documents, ordered=False)
        self._seq = seq
        self._batch += 1
        self.place = chunks[-1].place
        self._commit(False, closed)
        return len(snapshots) + len(events)

    def _document(
        self,
        message: Message,
        part: int,
        seq: int,
        snapshots: list[RawBSONDocument],
        events: list[RawBSONDocument],
    ) -> None:
        body, table = split(message.topic, message.data)
        if message.topic == RUN and body is not None:
            self._start_ns = round(body["started_utc"] * 1e9)
        at = moment(body, message.stamp)
        self._latest = max(at, self._latest)
        shared = {
            "at": at,
            "meta": {"run": self._run, "topic": message.topic, "batch": self._batch},
            "seq": seq,
            "part": part,
            "t": (message.stamp_ns - self._start_ns) / 1e9,
        }
        events += map(RawBSONDocument, event_documents(shared, body, message.data))
        if message.topic == SNAPSHOTS and table is not None and body is not None:
            values = {"at": milliseconds(at), "batch": self._batch, "seq": seq}
            values |= {"tick": body["tick"], "t": body["t"]}
            snapshots += map(RawBSONDocument, self._rows.encode(values, table))

    def _commit(self, complete: bool, closed: dict[int, bool]) -> None:
        first, last = self._number * SERIES, self._batch - 1
        spans = [*self._spans, [first, last]] if last >= first else self._spans
        changes: Document = {
            "feeding.place": asdict(self.place),
            "feeding.messages": self._seq,
            "feeding.start_ns": self._start_ns,
            "feeding.batches": spans,
            "feeding.damaged_chunks": self._damaged,
            **{f"feeding.closed.{part}": ended for part, ended in closed.items()},
            "feeding.complete": complete,
        }
        done = self._database.sure_runs.update_one(
            {"_id": self._run, "feeding.series": self._number},
            {"$set": changes, "$max": {"latest": self._latest}},
        )
        if done.matched_count == 0:
            raise TakenOver(f"somebody else feeds {self._run} into the database now")

    def finish(self, closed: dict[int, bool]) -> None:
        """All is in, and complete where the last part was closed."""
        self._commit(closed[max(closed)], closed)
        self.remove_strays()
