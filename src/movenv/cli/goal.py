"""Where a run is recorded: a file, a database, or both."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from movenv.recording.mongo.url import Address

DATABASE_VARIABLE = "MOVENV_DATABASE"
"""How processes of ours are told of the database: others see what stands on a command line."""


@dataclass
class Goal:
    """The file is always written; without `keep` only until all is in the database."""

    path: Path
    database: "Address | None" = None
    keep: bool = True
    facts: dict[str, Any] = field(default_factory=dict)
    """Once it is reached, or not: `recording` and `database`."""

    @classmethod
    def of(cls, record: list[str], default: Callable[[], Path]) -> "Goal":
        """What `--record` asks for. A database has to be there. Raises RecordingRefused."""
        from movenv.recording.mongo.url import is_database, parse

        files = [word for word in record if not is_database(word)]
        databases = [word for word in record if is_database(word)]
        if len(files) > 1 or len(databases) > 1:
            raise typer.BadParameter("at most one file and one database", param_hint="--record")
        address = None
        if databases:
            from movenv.recording.mongo.upload import check_database

            address = parse(databases[0])
            if address.run:
                raise typer.BadParameter(
                    "a run is given its name when it begins: leave out ?run=", param_hint="--record"
                )
            check_database(address)
            os.environ[DATABASE_VARIABLE] = address.uri
        keep = bool(files) or not databases
        return cls(Path(files[0]) if files else default(), address, keep)

    def reach(self, quiet: bool = False) -> bool:
        """After the run: bring what is missing into the database; whether all is there."""
        self.facts = {"recording": str(self.path) if self.path.exists() else None}
        if self.database is None or not self.path.exists():
            return True
        from movenv.recording.mongo.upload import upload

        signal.signal(signal.SIGINT, signal.default_int_handler)
        uploaded = None
        with contextlib.suppress(KeyboardInterrupt):  # what to do then is said below
            uploaded = upload(self.path, self.database, _say if not quiet else lambda line: None)
        if uploaded is None:
            print(
                f"{self.database.shown} does not hold all of the run. Nothing is lost: when it is "
                f"back, catch up with\n  movenv upload {self.path} {self.database.shown}",
                file=sys.stderr,
            )
            return False
        self.facts["database"] = uploaded.run.told
        if not self.keep:
            self._remove()
            self.facts["recording"] = None
        return True

    def _remove(self) -> None:
        """What is in the database: files of other runs that are named like parts stay."""
        from movenv.recording.opening import read_opening
        from movenv.recording.parts import belongs, later_parts

        opening = read_opening(self.path)
        assert opening is not None  # it was uploaded
        for part in later_parts(self.path).values():
            if belongs(part, opening.run):
                part.unlink()
        self.path.unlink()


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
