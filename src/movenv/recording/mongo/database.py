"""The database: its collections, their indexes, and what is said when it is not there."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bson.codec_options import CodecOptions
from pymongo import ASCENDING, GEOSPHERE, MongoClient, WriteConcern
from pymongo.collection import Collection
from pymongo.errors import CollectionInvalid, OperationFailure, PyMongoError

from movenv.recording.mongo.url import Address
from movenv.recording.writer import RecordingError, RecordingRefused

Document = dict[str, Any]

OLDEST = (6, 0)
"""Before it, time-series collections cannot be indexed by place."""
SELECTION, ANSWER = 3.0, 30.0
"""How long finding the server and an answer may take, s."""
UNAUTHORIZED = (13, 18)
EXISTS_ALREADY = 48
SURE = WriteConcern(w="majority", j=True, wtimeout=10_000)
"""On disk: and with it everything that was written before."""
BY_RUN_AND_BATCH = [("meta.run", ASCENDING), ("meta.batch", ASCENDING)]
INDEXES: dict[str, list[list[tuple[str, int | str]]]] = {
    "snapshots": [
        [("meta.run", ASCENDING), ("meta.vid", ASCENDING), ("at", ASCENDING)],
        [("meta.run", ASCENDING), ("at", ASCENDING)],
        [*BY_RUN_AND_BATCH],
        [("place", GEOSPHERE)],
    ],
    "events": [
        [("meta.run", ASCENDING), ("meta.topic", ASCENDING), ("at", ASCENDING)],
        [*BY_RUN_AND_BATCH],
    ],
}
RUNS_INDEX = [("started", ASCENDING)]


class Database:
    """An open database. Methods raise PyMongoError unless they say otherwise."""

    def __init__(self, address: Address) -> None:
        """Does not connect yet. Raises RecordingRefused for an address the driver refuses."""
        self.address = address
        self._client = _client(address)
        whole = self._client[address.database]
        self.snapshots: Collection[Document] = whole["snapshots"]
        self.events: Collection[Document] = whole["events"]
        self.runs: Collection[Document] = whole["runs"]
        self.sure_runs: Collection[Document] = whole.get_collection(
            "runs", CodecOptions(tz_aware=True), write_concern=SURE
        )
        self._whole = whole

    def close(self) -> None:
        self._client.close()

    def check(self) -> None:
        """Whether it can be reached and is new enough. Raises RecordingRefused."""
        with in_words(self.address, RecordingRefused):
            version = tuple(self._client.server_info()["versionArray"][:2])
        if version < OLDEST:
            raise RecordingRefused(
                f"{self.address.shown} is MongoDB {'.'.join(map(str, version))}; "
                f"recordings need {'.'.join(map(str, OLDEST))} or newer"
            )

    def prepare(self) -> None:
        """Make the collections and indexes that are not there yet."""
        for name, indexes in INDEXES.items():
            self._make_collection(name)
            for keys in indexes:
                self._whole[name].create_index(keys)
        self.runs.create_index(RUNS_INDEX)

    def _make_collection(self, name: str) -> None:
        try:
            self._whole.create_collection(
                name, timeseries={"timeField": "at", "metaField": "meta", "granularity": "seconds"}
            )
        except CollectionInvalid:  # it is there
            pass
        except OperationFailure as error:
            if error.code != EXISTS_ALREADY:
                raise
        kind = next(iter(self._whole.list_collections(filter={"name": name})))["type"]
        if kind != "timeseries":
            raise RecordingRefused(
                f"{self.address.shown} has a collection '{name}' that is not a time series, so it "
                f"is somebody else's; name another database"
            )


def _client(address: Address) -> MongoClient[Document]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # so it tells of options it ignores
            return MongoClient(
                address.uri,
                serverSelectionTimeoutMS=round(SELECTION * 1000),
                connectTimeoutMS=round(SELECTION * 1000),
                socketTimeoutMS=round(ANSWER * 1000),
                retryWrites=False,  # what became of a write is found out here, see Feeder
                appname="movenv",
                tz_aware=True,
            )
    except (PyMongoError, ValueError, TypeError, UserWarning) as error:
        # Not the driver's own words: they may repeat a part of the address.
        raise RecordingRefused(
            f"{address.shown}: the driver cannot use this address or its options "
            f"({type(error).__name__})"
        ) from None


@contextmanager
def in_words(address: Address, kind: type[RecordingError] = RecordingError) -> Iterator[None]:
    """Turns what the driver says into an error for the user."""
    try:
        yield
    except PyMongoError as error:
        raise kind(f"{address.shown}: {reason(error)}") from None


def reason(error: PyMongoError) -> str:
    """Why the database does not do it."""
    if isinstance(error, OperationFailure):
        if error.code in UNAUTHORIZED:
            return "the database does not let us in; check user, password and rights"
        return f"the database refuses: {(error.details or {}).get('errmsg') or error.code}"
    return f"the database does not answer ({type(error).__name__}); is it running there?"


@contextmanager
def open_database(address: Address) -> Iterator[Database]:
    """One that answers. Raises RecordingRefused."""
    database = Database(address)
    try:
        database.check()
        yield database
    finally:
        database.close()
