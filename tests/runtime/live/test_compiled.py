"""Which kernels were compiled before is noted by kind of scenario, not by its numbers."""

from pathlib import Path

import numba
import pytest

from movenv.runtime.live import compiled
from movenv.scenario.build import Stage
from movenv.scenario.load import load


def stage(*changes: str) -> Stage:
    return Stage(load("three-uavs", list(changes), {}))


def test_other_numbers_need_nothing_new_and_other_parts_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "COMPILED_BEFORE", True)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kernels"))
    assert not compiled.is_compiled(stage())
    compiled.note_compiled(stage())
    assert compiled.is_compiled(stage())
    assert compiled.is_compiled(stage("seed=9", "vehicles.0.count=2"))
    for change in ("vehicles.0.behaviors.avoid={method: reciprocal}", "terrain={soil: ice}",
                   "vehicles.0.behaviors.driven={}"):  # fmt: skip
        assert not compiled.is_compiled(stage(change))
