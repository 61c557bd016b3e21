"""The paper's third experiment: found, reached, evacuated, home again, as the distances show."""

import csv
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from movenv.cli.main import app
from movenv.runtime.fast import updates
from movenv.scenario.build import Stage, build
from movenv.scenario.load import load

CREW = {"uav": 100, "medic": 101, "injured": 102, "ambulance": 103}
DIPS = [("uav", "injured"), ("medic", "injured"), ("ambulance", "injured"), ("uav", "ambulance")]
NEAR, FAR = 25.0, 80.0


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run as a table, as anybody would export it."""
    recording = tmp_path_factory.mktemp("medevac") / "medevac.mcap"
    for words in (
        ["run", "medevac", "--fast", "--record", str(recording)],
        ["export", str(recording), "--to", "csv"],
    ):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
    return recording.with_suffix(".csv")


@pytest.fixture(scope="module")
def places(table: Path) -> dict[str, np.ndarray]:
    """t, x, y of everyone, (ticks, 3)."""
    rows: dict[str, list[tuple[float, float, float]]] = {name: [] for name in CREW}
    with table.open(newline="") as file:
        for row in csv.DictReader(file):
            assert int(row["vid"]) == CREW[row["name"]]
            rows[row["name"]].append((float(row["t"]), float(row["x"]), float(row["y"])))
    return {name: np.array(of) for name, of in rows.items()}


def first_dip(places: dict[str, np.ndarray], a: str, b: str) -> tuple[float, float]:
    """When two came near after having been far apart, and how far apart they were at most."""
    t, *way = places[a].T
    gap = np.hypot(way[0] - places[b][:, 1], way[1] - places[b][:, 2])
    apart = int(np.argmax(gap > FAR))
    if (a, b) == ("uav", "ambulance"):  # both began at the base: the return is what counts
        apart = len(gap) - 1 - int(np.argmax(gap[::-1] > FAR))
    near = np.flatnonzero((np.arange(len(gap)) > apart) & (gap < NEAR))
    assert len(near), f"{a} and {b} never come near"
    return float(t[near[0]]), float(gap[: near[0]].max())


def test_four_dips_in_the_order_of_the_story(places: dict[str, np.ndarray]) -> None:
    dips = [first_dip(places, a, b) for a, b in DIPS]
    for (before, _), (after, _) in pairwise(dips):
        assert after - before > 20, dips
    assert all(far > FAR for _, far in dips)
    assert 300 <= places["uav"][-1, 0] <= 480  # five to eight minutes


def test_they_are_all_at_the_base_again(places: dict[str, np.ndarray]) -> None:
    for name in CREW:
        assert np.hypot(*places[name][-1, 1:]) < 25, name
    # And not because they never left.
    for name in ("uav", "medic", "ambulance"):
        assert np.hypot(*places[name][:, 1:].T).max() > 150


def test_the_steps_come_in_the_order_of_the_story() -> None:
    run = build(load("medevac"))
    entered: dict[tuple[str, str], float] = {}
    for update in updates(run):
        for row, step in enumerate(update.snapshot.vehicles.step.tolist()):
            key = run.roster.names[row], run.roster.step_name(row, step)
            entered.setdefault(key, update.snapshot.t)
    story = [
        ("uav", "search"), ("uav", "call"), ("medic", "approach"), ("medic", "treat"),
        ("uav", "watch"), ("medic", "walk"), ("injured", "walk"), ("medic", "board"),
        ("medic", "ride"), ("ambulance", "return"), ("ambulance", "unload"), ("uav", "return"),
        ("uav", "home"),
    ]  # fmt: skip
    times = [entered[key] for key in story]
    assert times == sorted(times)
    assert times[1] > 30  # the search takes a while
    assert entered["ambulance", "wait"] < entered["medic", "board"]


@pytest.mark.long
def test_three_hosts_tell_the_same_story_to_the_byte() -> None:
    ends = []
    for hosts in (1, 3):
        last = list(updates(build(load("medevac", ["time.duration=120"]), hosts)))[-1]
        ends.append([column.tobytes() for _, column in last.snapshot.vehicles.columns()])
    assert ends[0] == ends[1]


def test_four_phones_are_listened_to() -> None:
    real = Stage(load("medevac")).real
    assert {(r.entry.name, r.entry.vid) for r in real} == set(CREW.items())
    carried = [chosen.name for chosen in load("medevac").groups[0].behaviors]
    assert carried == ["search_and_report"]
