"""Scenarios that exist only for a measurement."""

import tempfile
from pathlib import Path

from movenv.scenario.build import Run, build
from movenv.scenario.load import load


def built(text: str) -> Run:
    """The run of a scenario that is written here and now."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.yaml"
        path.write_text(text)
        return build(load(str(path)))
