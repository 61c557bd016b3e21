"""`movenv run --rehearse` plays a car that drives by its scans, with a layer in between."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from movenv.recording.reader import Recording
from movenv.runtime.rehearsal.cars import played_cars
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.messages import Health

from .processes import LiveRun, free_port, live_run, movenv, wait_until

pytestmark = pytest.mark.xdist_group("live")

SIDE_BY_SIDE = 0.3
"""Between the middles of two cars that touch, m: they are as wide as that."""
ROOM = 0.1
"""That it leaves beside it at least, m; it plans with 0.15 m."""
STANDS = -1.0
"""Where car2 is, x in m."""
COMPILING = 240.0
"""How long the car may take to be ready, where nothing has been compiled yet, s."""


def rehearsed(folder: Path, *options: str) -> Any:
    port = f"vehicles.car1.live.port={free_port()}"
    words = ("--rehearse", "--duration", "600", "--set", port, *options)
    return live_run(folder, "hybrid-f110", *words)


def drive_past(run: LiveRun) -> None:
    def is_past() -> bool:
        assert run.process.poll() is None, run.ended()
        cars = {car["name"]: car.get("x") for car in run.status().get("each", ())}
        return (cars.get("car1") or -np.inf) > STANDS + 1.0

    wait_until(is_past, COMPILING)


def closest(recording: Path) -> float:
    """Of both cars, while car1 was heard, m."""
    with Recording(recording) as seen:
        states = [snapshot.vehicles for snapshot, _ in seen.snapshots()]
    heard = [s for s in states if s.health[0] == Health.HEARD]
    return min(float(np.hypot(s.x[0] - s.x[1], s.y[0] - s.y[1])) for s in heard)


def test_it_goes_around_a_car_that_is_only_in_its_scans(tmp_path: Path) -> None:
    with rehearsed(tmp_path) as run:
        drive_past(run)
        layer = run.kill("movenv inject")
        wait_until(lambda: run.pid("movenv inject") not in (None, layer))
        asked = ("inject", "--vehicle", "car1", "--switch", "ask", "--core", run.address)
        wait_until(lambda: movenv(*asked).returncode == 0, COMPILING, every=0.5)
        assert run.state("stop").returncode == 0
        code, facts, said = run.ended()
    assert code == 0, said
    assert facts["restarts"] == 1
    did = facts["rehearsed"]["car1"]
    assert did["car"]["altered"] > 20
    assert did["layer"]["vehicle"] == "car1"
    assert closest(run.recording) > SIDE_BY_SIDE + ROOM


@pytest.mark.long
def test_with_its_layer_switched_off_it_drives_through(tmp_path: Path) -> None:
    with rehearsed(tmp_path, "--manual") as run:
        switch = ("inject", "--vehicle", "car1", "--switch", "off", "--core", run.address)
        wait_until(lambda: movenv(*switch).returncode == 0, COMPILING, every=0.5)
        wait_until(lambda: run.status(False).get("missing") == [], COMPILING)
        for state in ("set", "go"):
            assert run.state(state).returncode == 0
        drive_past(run)
        assert run.state("stop").returncode == 0
        code, facts, said = run.ended()
    assert code == 0, said
    did = facts["rehearsed"]["car1"]
    assert (did["layer"]["on"], did["layer"]["scans"]["altered"], did["car"]["altered"]) == (
        False, 0, 0,
    )  # fmt: skip
    assert did["layer"]["scans"]["in"] > 100
    assert closest(run.recording) < SIDE_BY_SIDE


def test_cars_are_those_who_see_and_navigate_and_tell_their_places_in_datagrams() -> None:
    (car,) = played_cars(Stage(load("hybrid-f110")))
    assert (car.name, car.fixes) == ("car1", 47200)
    assert len({car.fixes, car.scans, car.altered, car.poses}) == 4
    by_phone = ["vehicles.car1.live={type: phone_udp}"]
    assert played_cars(Stage(load("hybrid-f110", by_phone))) == []
    assert played_cars(Stage(load("hybrid-f110"), real=False)) == []
    assert played_cars(Stage(load("mixed-field"))) == []
