"""The process that feeds a database while a run is recorded: nobody waits for it.

The recorder writes its file whether the database is there or not, and this follows the file.
"""

from pathlib import Path

from movenv.recording.mongo.database import Database
from movenv.recording.mongo.feeder import Feeder
from movenv.recording.mongo.url import Address
from movenv.runtime.keys import Credentials, KeysError
from movenv.runtime.live import bus as keys
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.wire import Mark

FOREVER = float("inf")
LINK_PATIENCE = 1.0


class FeederProcess:
    """Feeds one recording until it is closed."""

    def __init__(self, path: Path, database: Address, core: str, keys: Path | None) -> None:
        """`core` and `keys` say whom to tell when the database goes and comes back."""
        self._path = path
        self._address = database
        self._core, self._keys = core, keys

    def run(self) -> None:
        """Raises RecordingError."""
        database = Database(self._address)
        try:
            Feeder(database, self._path, self._tell).feed(live=True, patience=FOREVER)
        finally:
            database.close()

    def _tell(self, line: str) -> None:
        """To the launcher's log and terminal, and as a mark into the run's event log."""
        print(line, flush=True)
        try:
            held = Credentials.read(self._keys) if self._keys else None
            with Bus.connect(self._core, held, patience=LINK_PATIENCE) as bus:
                bus.ask(keys.MARK, Mark(line, "database").encoded())
        except (BusError, KeysError) as error:
            print(f"the Core could not be told: {error}", flush=True)
