"""A live run recorded into a MongoDB server on the same machine, beside the same run without."""

import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from movenv.bench.live import free_port, live_swarm
from movenv.bench.measure import Row
from movenv.bench.recorded import MadeUp, record_made_up
from movenv.recording.layouts import SNAPSHOTS
from movenv.recording.mongo.database import open_database
from movenv.recording.mongo.upload import upload
from movenv.recording.mongo.url import parse
from movenv.recording.reader import Recording
from movenv.world.messages import Snapshot

STARTING = 30.0
SHIPPED = Path(sysconfig.get_path("purelib")) / "fiftyone" / "db" / "bin" / "mongod"
"""Where a package of the development extra puts one."""


def _program() -> str | None:
    return shutil.which("mongod") or (str(SHIPPED) if SHIPPED.exists() else None)


@contextmanager
def server(program: str) -> Iterator[str]:
    """A server with an empty folder; gives the address of a database in it."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        words = [program, "--dbpath", folder, "--port", str(port), "--bind_ip", "127.0.0.1"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        try:
            _wait(f"mongodb://127.0.0.1:{port}")
            yield f"mongodb://127.0.0.1:{port}/bench"
        finally:
            process.kill()
            process.wait()


def _wait(address: str) -> None:
    until = time.monotonic() + STARTING
    with MongoClient[dict[str, Any]](address, serverSelectionTimeoutMS=500) as client:
        while True:
            try:
                client.admin.command("ping")
                return
            except PyMongoError:
                if time.monotonic() > until:
                    raise


def _on_time(told: dict[str, Any]) -> float:
    """The share of ticks that were neither missed nor late nor given up."""
    core = told["core"]
    late = sum(host["late"] for host in told["hosts"])
    trouble = core["missed_ticks"] + core["carried_ticks"] + late + told["given_up"]
    return 1.0 - float(trouble) / float(told["ticks"])


def _margin(told: dict[str, Any]) -> float:
    return min(float(one["margin_p5"]) for one in (told["core"], *told["hosts"]))


def _there_once(recording: Path, url: str) -> float:
    """The share of the file's rows that are in the database; none may be there twice."""
    with Recording(recording) as opened:
        rows = sum(len(table) for part in opened.parts for _, table in part.tables(SNAPSHOTS))
    with MongoClient[dict[str, Any]](url) as client:
        found = client.get_default_database()["snapshots"].count_documents({})
    return 1.0 - abs(rows - found) / rows


def catching_up(url: str, vehicles: int, ticks: int) -> Row:
    """How fast a recording is brought in, beside a dict a row and a call a tick."""
    made_up = MadeUp(vehicles)
    with tempfile.TemporaryDirectory() as folder:
        file = record_made_up(Path(folder) / "made.mcap", made_up, 0, ticks)
        began = time.perf_counter()
        uploaded = upload(file, parse(f"{url}-ours"))
        ours = (uploaded.documents if uploaded else 0) / (time.perf_counter() - began)
    few = ticks // 10
    with open_database(parse(f"{url}-theirs")) as database:
        database.prepare()
        began = time.perf_counter()
        for tick in range(few):
            database.snapshots.insert_many(_dicts(made_up.update(tick).snapshot))
        theirs = few * vehicles / (time.perf_counter() - began)
    return Row(
        what=f"a recording of {vehicles:,} vehicles brought into MongoDB, with all indexes",
        value=ours,
        unit="documents/s",
        target=10_000,
        better="higher",
        baseline="a dict a vehicle, one insert_many a tick, the same indexes",
        baseline_value=theirs,
    )


def _dicts(snapshot: Snapshot) -> list[dict[str, Any]]:
    at = datetime.fromtimestamp(1.7e9 + snapshot.t, UTC)
    names = snapshot.vehicles.dtypes
    columns = [getattr(snapshot.vehicles, name).tolist() for name in names]
    rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return [
        row | {"at": at, "meta": {"run": "r", "vid": row["vid"]},
               "place": {"type": "Point", "coordinates": [row["lon"], row["lat"]]}}
        for row in rows
    ]  # fmt: skip


def measure(quick: bool) -> list[Row]:
    """Nothing where there is no server to start."""
    program = _program()
    if program is None:
        print("there is no mongod here; MongoDB is left out", file=sys.stderr)
        return []
    vehicles, duration = (200, 8.0) if quick else (1_000, 60.0)
    with live_swarm(vehicles, duration) as alone:
        without = alone.end()
    with server(program) as url:
        catching = catching_up(url, vehicles, 100 if quick else 600)
        with live_swarm(vehicles, duration, "--record", url) as fed:
            told = fed.end()
            there = _there_once(fed.recording, url)
    said = f"{vehicles:,} vehicles live for {duration:g} s into a file and MongoDB"
    beside = "the same run into a file alone"
    least = 1e-3
    return [
        Row(f"{said}: ticks on time", max(least, _on_time(told)), "share", 1.0, "higher",
            beside, max(least, _on_time(without))),
        Row(f"{said}: rows of the file that are there once", max(least, there), "share", 1.0,
            "higher", "the file", 1.0),
        Row(f"{said}: margin at the 5th percentile, worst process", max(least, _margin(told)),
            "share of a tick", 0.2, "higher", beside, max(least, _margin(without))),
        catching,
    ]  # fmt: skip
