"""The benchmark runs and says what it should; how fast is for `make bench` to tell."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from movenv.bench.measure import Row


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        ("engine", 6),
        pytest.param("review", 4, marks=pytest.mark.long),
        pytest.param("live", 7, marks=pytest.mark.soak),
        pytest.param("phones", 4, marks=pytest.mark.soak),
        pytest.param("mongo", 4, marks=pytest.mark.soak),
        pytest.param("console", 7, marks=pytest.mark.soak),
        pytest.param("hybrid", 30, marks=pytest.mark.soak),
    ],
)
def test_a_quick_bench_has_every_row_beside_a_baseline(
    tmp_path: Path, part: str, rows: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "movenv", "bench", "--quick", "--json", part, "-o", "bench.json"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert told == json.loads((tmp_path / "bench.json").read_text())
    assert len(told["rows"]) == rows
    for row in told["rows"]:
        assert row["value"] > 0
        assert row["baseline_value"] > 0
        assert isinstance(row["met"], bool)


def test_met_and_gain_follow_the_direction() -> None:
    higher = Row("a", 30, "x", 25, "higher", "b", 10)
    lower = Row("a", 3, "s", 2, "lower", "b", 6)
    assert (higher.met, higher.gain) == (True, 3)
    assert (lower.met, lower.gain) == (False, 2)
