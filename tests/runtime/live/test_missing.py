"""What a run waits for is told in words: whose phone, which host, since when."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from movenv.gateways.fix import Fix
from movenv.runtime.live.audience import Audience
from movenv.runtime.live.clock import SECOND
from movenv.runtime.live.missing import Absence, missing, missing_status, missing_words
from movenv.runtime.live.seats import Seats
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.messages import Heard, Receptions
from movenv.world.run_state import RunState

from .simulated import GatewaySide, Simulation

FIELD = """
name: field
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 60}
areas: {field: {square: 300}}
vehicles:
  - {name: medic, vid: 1, kind: pedestrian, live: {type: join, stale_after: 2}}
  - {name: boat, vid: 2, kind: surface, live: {type: nmea, port: 10110}}
  - {name: cart, vid: 10, count: 8, kind: ground, start: {within: field}, behaviors: {wander: {}}}
"""
SENDERS = {0: "phone", 1: "receiver"}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    path = tmp_path / "field.yaml"
    path.write_text(FIELD)
    return Stage(load(str(path)))


def told(found: list[Absence]) -> list[tuple[str, str]]:
    return [(absence.what, absence.why) for absence in found]


def said(net: Simulation) -> list[tuple[str, str, int | None]]:
    return [(e["what"], e["why"], e["vid"]) for e in net.live.status(net.core.now)["missing"]]


def heard(*rows: tuple[int, Heard, float, int]) -> Receptions:
    """A gateway's word: vid, how heard, age, fixes that were not believed."""
    columns: dict[str, Any] = {
        name: np.zeros(len(rows), dtype) for name, dtype in Receptions.dtypes.items()
    }
    columns["vid"] = np.array([row[0] for row in rows])
    columns["heard"] = np.array([row[1] for row in rows])
    columns["age"] = np.array([row[2] for row in rows])
    columns["rejected"] = np.array([row[3] for row in rows])
    return Receptions(columns)


def test_before_anybody_came_everything_is_missing(stage: Stage) -> None:
    found = missing(stage.roster, Seats(stage.roster), Audience(1), SENDERS, 0)
    assert told(found) == [
        ("the recorder", "not here yet"),
        ("medic", "no gateway brings it"),
        ("boat", "no gateway brings it"),
        ("8 vehicles", "no host brings them"),
    ]
    assert [absence.vid for absence in found] == [None, 1, 2, None]


def test_real_vehicles_are_missing_by_how_they_are_heard(stage: Stage) -> None:
    seats = Seats(stage.roster)
    seats.give("h1", np.arange(2, 10), 0)
    seat, _ = seats.give("gateway", np.arange(2), 0, real=True)
    one = missing(stage.roster, seats, Audience(0), SENDERS, 0)
    assert ("medic's phone", "never heard") in told(one)
    assert ("boat's receiver", "never heard") in told(one)
    seat.receptions = heard((1, Heard.STALE, 12.0, 0), (2, Heard.NEVER, np.nan, 1400))
    seat.heard_at = 5 * SECOND
    two = told(missing(stage.roster, seats, Audience(0), SENDERS, 7 * SECOND))
    assert two[:2] == [
        ("medic's phone", "last heard 14 s ago"),
        ("boat's receiver", "never heard: none of 1,400 fixes was believed"),
    ]
    seat.receptions = heard((1, Heard.HEARD, 0.5, 3), (2, Heard.HEARD, 0.1, 0))
    names = [what for what, _ in told(missing(stage.roster, seats, Audience(0), SENDERS, 0))]
    assert not any("phone" in name or "receiver" in name for name in names)


def test_a_host_that_is_gone_or_silent_is_named(stage: Stage) -> None:
    seats = Seats(stage.roster)
    few, _ = seats.give("h1", np.arange(2, 4), 0)
    many, _ = seats.give("h2", np.arange(4, 10), 0)
    few.lost, few.why_lost = True, "gone"
    many.lost, many.why_lost, many.heard_at = True, "silent for 1.0 s", SECOND
    assert told(missing(stage.roster, seats, Audience(0), SENDERS, 4 * SECOND))[2:] == [
        ("cart-1", "its host h1 is gone"),
        ("cart-2", "its host h1 is gone"),
        ("6 vehicles", "their host h2 has been silent for 3 s"),
    ]


def test_a_host_that_has_said_nothing_is_named(stage: Stage) -> None:
    seats = Seats(stage.roster)
    seats.give("h1", np.arange(10), 0)
    found = missing(stage.roster, seats, Audience(0), SENDERS, 0)
    assert told(found) == [("h1", "has not reported yet")]


def test_a_host_that_cannot_keep_up_is_named() -> None:
    net = Simulation("three-uavs").shares(1).start().run(1)
    assert said(net) == []
    net.hosts["h1"].cost = SECOND // 5  # a tick is half of that
    net.run(4)
    (what, why, _), *_ = said(net)
    assert what == "h1"
    assert why.startswith("overloaded: ")


def test_recorders_that_went_are_named_until_another_came() -> None:
    audience = Audience(2)
    assert audience.missing == [("the recorder", "not here yet")] * 2
    audience.recorder("recorder", True)
    audience.recorder("second", True)
    assert audience.missing == []
    audience.recorder("second", False)
    assert audience.missing == [("the recorder second", "is gone; what happens is kept for it")]
    audience.recorder("third", True)
    assert audience.missing == []


def test_a_status_names_twenty_and_counts_the_rest() -> None:
    found = [Absence(f"p-{i}'s phone", "never heard", i) for i in range(27)]
    status = missing_status(found)
    assert [entry["vid"] for entry in status["missing"]] == list(range(20))
    assert status["missing_more"] == 7
    assert missing_words(status, most=2) == (
        "p-0's phone (never heard), p-1's phone (never heard) and 25 more"
    )
    assert missing_words(missing_status(found[:1])) == "p-0's phone (never heard)"
    assert missing_words(missing_status([])) == ""


def test_a_run_tells_what_is_missing_from_ready_to_stop(stage: Stage) -> None:
    net = Simulation(stage)
    net.host("h1", share=(1, 2))
    gateway = net.gateway()
    net.run(1)
    assert said(net) == [
        ("medic's phone", "never heard", 1),
        ("boat's receiver", "never heard", 2),
        ("4 vehicles", "no host brings them", None),
    ]
    net.host("h2", share=(2, 2))
    hear(gateway, 1)
    hear(gateway, 2)
    net.run(1.5)
    assert said(net) == []
    net.start().run(10.5)
    age = net.live.status(net.core.now)["t"]
    assert said(net)[0][:2] == ("medic's phone", f"last heard {age + 3.5:.0f} s ago")
    net.kill("h2")
    net.run(1)
    assert ("4 vehicles", "their host h2 is gone", None) in said(net)
    net.command(RunState.STOP).run(1)
    assert said(net) == []


def hear(gateway: GatewaySide, vid: int) -> None:
    gateway.hear(vid, Fix(29.193111, -81.046171, gateway.utc, accuracy=2.0))


def test_consoles_are_told_what_may_follow_who_is_real_and_whose_vehicles_they_are(
    stage: Stage,
) -> None:
    net = Simulation(stage)
    net.host("h1", share=(1, 2))
    gateway = net.gateway()
    net.run(1)
    status = net.live.console_status(net.core.now)
    assert status["legal"] == ["SET", "STOP"]
    assert status["host_of"] == [1, 1, 0, 0, 0, 0, -1, -1, -1, -1]
    assert [host["host"] for host in status["hosts"]] == ["h1", "gateway"]
    assert [(e["row"], e["heard"]) for e in status["real"]] == [(0, "never"), (1, "never")]
    hear(gateway, 1)
    net.run(1.5)
    medic, boat = net.live.console_status(net.core.now)["real"]
    assert (medic["row"], medic["heard"], medic["accuracy"], medic["accepted"]) == (
        0, "heard", 2.0, 1,
    )  # fmt: skip
    assert boat["heard"] == "never"
    net.kill("gateway")
    net.run(2)
    assert [e["heard"] for e in net.live.console_status(net.core.now)["real"]] == [None, None]
