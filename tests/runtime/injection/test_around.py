"""What the Core tells of those around a vehicle, on a simulated network."""

import math
from pathlib import Path

import numpy as np
import pytest

from movenv.runtime.injection.neighbourhood import Neighbourhood
from movenv.runtime.live import wire
from movenv.runtime.live.around import FARTHEST, Around, AroundRequest
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.wire import Garbled, Refusal
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.kinds import Origin
from movenv.world.messages import Health
from movenv.world.run_state import RunState

from ..live.simulated import Simulation
from .made_scans import SCENARIO

REAL = """
  - {name: medic, vid: 9, kind: pedestrian, live: {type: datagram}}
"""


@pytest.fixture
def net(tmp_path: Path) -> Simulation:
    path = tmp_path / "way.yaml"
    path.write_text(SCENARIO + REAL)
    return Simulation(Stage(load(str(path)))).shares(1)


def ask(net: Simulation, reach: float = 30.0, **more: object) -> Around:
    request = AroundRequest("me", reach, net.core.now - 1000, **more)
    told = net.live.around(request, net.core.now)
    assert isinstance(told, Around)
    return wire.decode(Around, told.encoded())


def test_before_anything_has_a_place_nobody_is_around(net: Simulation) -> None:
    told = ask(net)
    assert told.pose() is None
    assert len(told.others()[0]) == 0


def test_who_is_within_reach_and_at_the_same_height_is_told(net: Simulation) -> None:
    net.start().run(2.03)
    told = ask(net)
    boxes, velocities = told.others()
    stated = net.kept[-1].snapshot.vehicles
    assert boxes.shape == (1, 5)
    expected = [stated.x[1], stated.y[1], stated.yaw[1], 4.0, 2.0]
    assert boxes[0] == pytest.approx(expected, abs=2e-3)
    assert velocities[0] == pytest.approx([stated.vx[1], stated.vy[1]], abs=2e-3)
    assert told.pose()[:2] == (stated.x[0], stated.y[0])
    assert len(ask(net, 100.0).others()[0]) == 2


def test_a_real_vehicle_is_never_told_of_since_the_scan_has_it(net: Simulation) -> None:
    net.start().run(1.0)
    assert len(ask(net).others()[0]) == 1
    net.stage.roster.origin[1] = Origin.REAL
    assert len(ask(net).others()[0]) == 0


def test_a_vehicle_may_say_itself_where_it_is(net: Simulation) -> None:
    net.start().run(1.0)
    boxes, _ = ask(net, at=(70.0, 0.0)).others()
    far = net.kept[-1].snapshot.vehicles.x[2]
    assert boxes[:, 0] == pytest.approx([far], abs=1e-3)


def test_who_is_lost_stays_where_it_was_last(net: Simulation) -> None:
    net.start().run(1.0)
    assert len(ask(net).others()[0]) == 1
    net.kill("h1")
    net.run(3.0)
    lost = net.kept[-1].snapshot.vehicles
    assert lost.health[1] == Health.LOST
    boxes, moving = ask(net, at=(0.0, 0.0)).others()
    assert boxes[:, 0] == pytest.approx([lost.x[1]], abs=1e-3)
    assert not moving.any()


@pytest.mark.parametrize(("name", "reach"), [("nobody", 30.0), ("me", -1.0), ("me", math.nan),
                                             ("me", 2 * FARTHEST)])  # fmt: skip
def test_questions_that_make_no_sense_are_refused(net: Simulation, name: str, reach: float) -> None:
    assert isinstance(net.live.around(AroundRequest(name, reach, 0), 0), Refusal)


def test_answers_that_do_not_fit_together_are_garbled(net: Simulation) -> None:
    told = ask(net.start().run(1.0))
    told.rest = told.rest[:-1]
    with pytest.raises(Garbled):
        told.others()
    with pytest.raises(Garbled):
        Neighbourhood().hear(told, 0, 1)


def test_places_are_carried_to_any_time_near_the_word_of_the_core(net: Simulation) -> None:
    """Our clock is an hour behind the Core's; what we say of 0.3 s later is how it is then."""
    net.start().run(2.0)
    behind = 3600 * SECOND
    around = Neighbourhood()
    sent = net.core.now - behind
    request = AroundRequest("me", 30.0, sent)
    around.hear(net.live.around(request, net.core.now), sent, sent)
    then = sent + round(0.3 * SECOND)
    t = around.run_time(then)
    net.run_until(lambda: net.live.t >= t)
    last = net.kept[-1].snapshot
    seen = around.at(last.t)
    assert last.t == pytest.approx(t, abs=0.101)
    assert seen.boxes[0, :2] == pytest.approx([last.vehicles.x[1], last.vehicles.y[1]], abs=0.02)
    assert seen.own[:2] == pytest.approx([last.vehicles.x[0], last.vehicles.y[0]], abs=0.02)
    assert around.known(sent + SECOND // 2)


def test_after_the_link_loss_time_nobody_is_known(net: Simulation) -> None:
    net.start().run(1.0)
    around = Neighbourhood()
    assert not around.known(0)
    around.hear(ask(net), 0, 1000)
    limit = net.stage.scenario.link_loss.after
    assert around.known(1000 + round(limit * SECOND))
    assert not around.known(1001 + round(limit * SECOND))
    assert around.at(net.live.t + limit + 0.2) is None
    assert around.at(math.nan) is None


def test_while_nobody_moves_nobody_is_carried(net: Simulation) -> None:
    net.start().run(1.0).command(RunState.PAUSE).run(1.0)
    around = Neighbourhood()
    told = ask(net)
    around.hear(told, 0, 1000)
    seen = around.at(around.run_time(SECOND // 2))
    assert np.array_equal(seen.boxes, told.others()[0])
    assert not seen.velocities.any()


def test_a_word_on_ten_vehicles_costs_little(net: Simulation) -> None:
    """5 KB/s at 10 Hz leave 500 bytes for question and answer."""
    told = ask(net.start().run(1.0))
    told.places, told.rest = 10 * told.places, 10 * told.rest
    question = AroundRequest("some-vehicle", 30.0, 10**18, (1.5, 2.5))
    assert len(told.others()[0]) == 10
    assert len(told.encoded()) + len(question.encoded()) < 420
