"""movenv review as a person types it."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.forked import forked

from movenv.bench.recorded import MadeUp, record_made_up


def movenv(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = forked([*words], cwd)
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reviewed")
    record_made_up(place / "a.mcap", MadeUp(5), 0, 100)
    return place


def test_the_numbers_are_json(folder: Path) -> None:
    done = movenv("review", "a.mcap", "--json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["run"]["ticks"] == 101
    assert len(told["vehicles"]) == 5
    assert len(told["pairs"]) == told["pairs_in_all"] == 10
    assert told["pairs"][0]["closest"] == min(pair["closest"] for pair in told["pairs"])
    assert told["fixes"][0]["accuracy_median"] == 4.0
    assert sorted(path.name for path in folder.iterdir()) == ["a.mcap"]
    both = json.loads(movenv("review", "a.mcap", "a.mcap", "--json", cwd=folder).stdout)
    assert [review["run"] for review in both["reviews"]] == [told["run"]] * 2


def test_the_tables_name_vehicles_and_pairs(folder: Path, tmp_path: Path) -> None:
    done = movenv("review", "a.mcap", "--gap", "0.5", "-o", str(tmp_path / "out"), cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("uav-1", "closest, m", "uav-1 and uav-", "fidelity", "warning, s"):
        assert word in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("none.mcap", "cannot read none.mcap"),
        ("a.mcap -o there", "there is not empty; --force"),
        ("a.mcap -o none/there", "there is no folder none"),
        ("a.mcap -o a.mcap", "it is there and no folder"),
        ("a.mcap --gap 0", "--gap"),
        ("a.mcap a.mcap a.mcap", "one recording is reviewed, or two are compared"),
    ],
)
def test_what_cannot_be_is_refused(folder: Path, words: str, said: str) -> None:
    (folder / "there").mkdir(exist_ok=True)
    (folder / "there" / "mine").touch()
    done = movenv("review", *words.split(), cwd=folder)
    (folder / "there" / "mine").unlink()
    (folder / "there").rmdir()
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
