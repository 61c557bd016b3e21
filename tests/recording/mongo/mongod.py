"""A real MongoDB server for tests: started, killed and started again where it was."""

import random
import shutil
import socket
import subprocess
import sysconfig
import time
from pathlib import Path
from typing import Any

from pymongo import MongoClient
from pymongo.errors import PyMongoError

SHIPPED = Path(sysconfig.get_path("purelib")) / "fiftyone" / "db" / "bin" / "mongod"


def free_port() -> int:
    """One that nobody is given by chance, so that it is still free after the server was killed."""
    for port in random.sample(range(20_000, 32_000), 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no free port")


class Mongod:
    """One server with its own folder."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        self._folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        program = SHIPPED if SHIPPED.exists() else shutil.which("mongod")
        assert program, "tests need mongod: pip install -e .[dev] brings it"
        words = ["--dbpath", self._folder, "--port", str(self.port), "--bind_ip", "127.0.0.1"]
        log = ["--logpath", self._folder / "mongod.log", "--logappend"]
        self._process = subprocess.Popen(
            [program, *words, *log, *self._options], stdout=subprocess.DEVNULL
        )
        until = time.monotonic() + 60
        while True:
            try:
                with self.client() as client:
                    client.admin.command("ping")
                return
            except PyMongoError:
                assert self._process.poll() is None, "mongod ended"
                assert time.monotonic() < until, "mongod does not answer"

    def kill(self) -> None:
        """As kill -9 does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def client(self) -> "MongoClient[dict[str, Any]]":
        return MongoClient("127.0.0.1", self.port, serverSelectionTimeoutMS=500, tz_aware=True)

    def url(self, database: str) -> str:
        return f"mongodb://127.0.0.1:{self.port}/{database}"
