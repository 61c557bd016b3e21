"""The cache of compiled kernels follows the source, whatever the clock says."""

import os
from pathlib import Path

import pytest

from movenv.world import kernel


def test_an_edit_of_the_same_size_and_time_is_another_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "PACKAGE", tmp_path)
    source = tmp_path / "inlined.py"
    digests = []
    for text in ("x = 1", "x = 2", "x = 1"):
        source.write_text(text)
        os.utime(source, (0, 0))
        digests.append(kernel._source_digest())
    assert digests[0] == digests[2] != digests[1]
