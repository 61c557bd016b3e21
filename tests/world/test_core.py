"""The Core: one instant for everyone, and only those on the roster."""

from dataclasses import replace

import numpy as np
import pytest

from movenv.world.core import Core
from movenv.world.frames import Frame
from movenv.world.kinds import Kind, Origin
from movenv.world.messages import (
    Broadcasts,
    Detections,
    Health,
    Heard,
    Motions,
    Receptions,
    Report,
    Roster,
)
from movenv.world.proximity import Proximity
from movenv.world.radio import Radio
from movenv.world.run_state import RunState

VIDS = np.array([3, 5, 9], np.uint32)
LEVELS = np.array([20.0])


@pytest.fixture
def core() -> Core:
    return core_with(None)


def core_with(radio: Radio | None) -> Core:
    roster = Roster(
        vids=VIDS,
        names=["a", "b", "c"],
        kinds=[Kind("ground")],
        kind=np.zeros(3, np.uint8),
        origin=np.full(3, Origin.VIRTUAL, np.uint8),
        length=np.ones(3),
        behaviors=["wander"],
    )
    proximity = Proximity(VIDS, roster.length, np.array([20.0]), True)
    return Core(Frame(29.0, -81.0, alt=5.0), roster, proximity, 0.1, radio)


def report(host: str, t: float, vids: list[int], **columns: list[float]) -> Report:
    motions = Motions.empty(len(vids))
    motions.vid[:] = vids
    for name, values in columns.items():
        getattr(motions, name)[:] = values
    return Report(host, round(t * 10), t, RunState.GO, motions)


def test_reports_of_several_hosts_land_in_their_rows(core: Core) -> None:
    core.take(report("one", 0.0, [9, 3], x=[90.0, 30.0]))
    core.take(report("two", 0.0, [5], x=[50.0]))
    assert core.tick(0, 0.0).snapshot.vehicles.x.tolist() == [30.0, 50.0, 90.0]


def test_everyone_is_carried_to_the_common_instant_and_the_age_is_told(core: Core) -> None:
    core.take(report("one", 0.0, [3, 5], x=[0.0, 10.0], vx=[2.0, 0.0], vz=[0.0, -1.0]))
    core.take(report("two", 0.4, [9], x=[7.0], vx=[5.0]))
    vehicles = core.tick(5, 0.5).snapshot.vehicles
    assert vehicles.x == pytest.approx([1.0, 10.0, 7.5])
    assert vehicles.z == pytest.approx([0.0, -0.5, 0.0])
    assert vehicles.age == pytest.approx([0.5, 0.5, 0.1])


def gateway_report(t: float, heard: dict[int, Heard], age: float = 0.4) -> Report:
    """Of a gateway that owns 3 and 9 and has places of those it has heard."""
    vids = [vid for vid, how in heard.items() if how != Heard.NEVER]
    receptions = Receptions.empty(len(heard))
    receptions.vid[:] = list(heard)
    receptions.heard[:] = list(heard.values())
    receptions.age[:] = [age if vid in vids else np.nan for vid in heard]
    return replace(report("gateway", t, vids, x=[1.0] * len(vids)), receptions=receptions)


def test_a_gateway_leaves_out_who_was_never_heard(core: Core) -> None:
    core.take(gateway_report(0.0, {3: Heard.HEARD, 9: Heard.NEVER}))
    update = core.tick(0, 0.0)
    unheard = Health.UNHEARD
    assert update.snapshot.vehicles.health.tolist() == [Health.HEARD, unheard, unheard]
    assert np.isnan(update.snapshot.vehicles.x[2])
    assert update.receptions.vid.tolist() == [3, 9]
    core.take(gateway_report(0.1, {3: Heard.HEARD, 9: Heard.HEARD}))
    assert core.tick(1, 0.1).snapshot.vehicles.x[2] == 1.0


def test_the_age_of_a_real_vehicle_is_that_of_its_fix(core: Core) -> None:
    core.take(gateway_report(0.0, {3: Heard.HEARD, 9: Heard.STALE}, age=2.0))
    core.take(report("one", 0.0, [5]))
    vehicles = core.tick(3, 0.3).snapshot.vehicles
    assert vehicles.age == pytest.approx([2.3, 0.3, 2.3])
    assert vehicles.health.tolist() == [Health.HEARD, Health.HEARD, Health.STALE]


def test_a_stale_vehicle_whose_gateway_is_gone_is_lost(core: Core) -> None:
    core.take(gateway_report(0.0, {3: Heard.HEARD, 9: Heard.STALE}))
    core.lose(np.array([3, 9], np.uint32), 0.1)
    assert core.tick(2, 0.2).snapshot.vehicles.health.tolist()[::2] == [Health.LOST] * 2
    core.release("gateway")
    assert len(core.tick(3, 0.3).receptions) == 0


def test_latitude_longitude_and_heading_come_with_every_row(core: Core) -> None:
    core.take(report("one", 0.0, [3, 5, 9], x=[0.0, 1000.0, 0.0], yaw=[0.0, np.pi / 2, np.pi]))
    vehicles = core.tick(0, 0.0).snapshot.vehicles
    assert vehicles.lat[0] == pytest.approx(29.0)
    assert vehicles.lon[1] > vehicles.lon[0]
    assert vehicles.heading_deg == pytest.approx([90, 0, 270], abs=1.5)


def test_a_stranger_is_refused_by_name(core: Core) -> None:
    with pytest.raises(ValueError, match="vid 4, which is not on the roster"):
        core.take(report("one", 0.0, [4]))


def test_detections_do_not_depend_on_the_order_of_hosts(core: Core) -> None:
    def found(vid: int, target: int) -> Detections:
        table = Detections.empty(1)
        table.vid[:], table.target[:] = vid, target
        return table

    told = []
    for order in ((0, 1), (1, 0)):
        reports = [
            Report("one", 0, 0.0, RunState.GO, report("one", 0.0, [3, 5]).motions, found(3, 9)),
            Report("two", 0, 0.0, RunState.GO, report("two", 0.0, [9]).motions, found(9, 3)),
        ]
        for i in order:
            core.take(reports[i])
        told.append(core.tick(0, 0.0).detections.vid.tolist())
    assert told == [[3, 9], [3, 9]]
    assert len(core.tick(1, 0.1).detections) == 0


def test_a_lost_vehicle_is_carried_no_further_until_it_is_heard_again(core: Core) -> None:
    core.take(report("one", 0.0, [3, 5], x=[0.0, 10.0], vx=[2.0, 1.0]))
    core.take(report("two", 0.0, [9]))
    core.lose(np.array([3], np.uint32), 0.5)
    vehicles = core.tick(20, 2.0).snapshot.vehicles
    assert vehicles.x == pytest.approx([1.0, 12.0, 0.0])
    assert vehicles.health.tolist() == [Health.LOST, Health.HEARD, Health.HEARD]
    assert vehicles.age[0] == pytest.approx(2.0)
    core.take(report("one", 2.0, [3, 5], x=[4.0, 12.0], vx=[2.0, 1.0]))
    vehicles = core.tick(21, 2.1).snapshot.vehicles
    assert vehicles.x == pytest.approx([4.2, 12.1, 0.0])
    assert vehicles.health[0] == Health.HEARD


def test_a_vehicle_that_never_reported_has_no_place_and_meets_nobody(core: Core) -> None:
    core.take(report("one", 0.0, [3, 5], x=[1.0, 3.0]))
    update = core.tick(0, 0.0)
    vehicles = update.snapshot.vehicles
    assert vehicles.health.tolist() == [Health.HEARD, Health.HEARD, Health.UNHEARD]
    assert np.isnan([vehicles.x[2], vehicles.lat[2], vehicles.age[2]]).all()
    assert update.encounters.other.tolist() == [5]
    assert update.closest is not None
    assert update.closest.distance == pytest.approx(2.0)


def test_every_row_tells_the_run_state_its_host_is_in(core: Core) -> None:
    core.take(report("one", 0.0, [3, 5]))
    core.say_state(np.array([9], np.uint32), RunState.SET)
    states = core.tick(0, 0.0).snapshot.vehicles.run_state
    assert states.tolist() == [RunState.GO, RunState.GO, RunState.SET]


def speaking(host: str, vids: list[int], *payloads: bytes) -> Report:
    motions = report(host, 0.0, vids).motions
    said = Broadcasts(np.repeat(vids, len(payloads)), [*payloads] * len(vids))
    return Report(host, 0, 0.0, RunState.GO, motions, broadcasts=said)


def test_what_is_heard_does_not_depend_on_the_order_of_hosts() -> None:
    told = []
    for order in ((0, 1), (1, 0)):
        core = core_with(Radio(VIDS, 1, 0.1, range=10.0))
        reports = [speaking("one", [9, 3], b"x", b"y"), speaking("two", [5], b"z")]
        for i in order:
            core.take(reports[i])
        update = core.tick(0, 0.0)
        told.append((update.broadcasts.payloads, update.inbox.sender.tolist()))
        assert update.heard.tolist() == [2] * 5
        assert len(core.tick(1, 0.1).inbox) == 0
    assert told[0] == told[1]
    assert told[0][0] == [b"x", b"y", b"z", b"x", b"y"]
    assert told[0][1] == [5, 9, 9, 3, 3, 9, 9, 3, 3, 5]


def test_without_a_radio_words_are_kept_but_nobody_hears(core: Core) -> None:
    core.take(speaking("one", [3, 5, 9], b"x"))
    update = core.tick(0, 0.0)
    assert (len(update.broadcasts), update.heard.tolist(), len(update.inbox)) == (3, [0, 0, 0], 0)


def test_a_stranger_cannot_speak(core: Core) -> None:
    strange = Report(
        "one",
        0,
        0.0,
        RunState.GO,
        report("one", 0.0, [3]).motions,
        broadcasts=Broadcasts([4], [b""]),
    )
    with pytest.raises(ValueError, match="vid 4, which is not on the roster"):
        core.take(strange)


def test_a_restored_core_knows_where_everyone_was(core: Core) -> None:
    core.take(report("one", 3.0, [3, 5], x=[1.0, 2.0], vx=[1.0, 0.0]))
    stated = core.tick(30, 3.0).snapshot.vehicles
    again = Core(Frame(29.0, -81.0), core.roster, Proximity(VIDS, np.ones(3), LEVELS, True), 0.1)
    again.restore(stated, 3.0)
    vehicles = again.tick(50, 5.0).snapshot.vehicles
    assert vehicles.x[:2].tolist() == [1.0, 2.0]  # lost, so not carried on
    assert vehicles.health.tolist() == [Health.LOST, Health.LOST, Health.UNHEARD]
    motions, _ = again.latest(np.array([3], np.uint32))
    assert motions.vx.tolist() == [1.0]
