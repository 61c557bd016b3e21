"""Small scenarios written in the test that needs them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from movenv.testing import Drive, drive

HEAD = """
name: test
origin: {lat: 29.193111, lon: -81.046171}
"""


@pytest.fixture
def driven(tmp_path: Path) -> Callable[..., Drive]:
    """Drive a scenario given as YAML below the usual head."""

    def run(text: str, *changes: str) -> Drive:
        path = tmp_path / "test.yaml"
        path.write_text(HEAD + text)
        return drive(path, *changes)

    return run
