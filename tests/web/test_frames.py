"""Frames hold what moved and what the view needs. Read here field by field, as the page does."""

import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.web.synthetic import encounters, states

from movenv.web.feed import History, Moment
from movenv.web.frame import ROUNDS, FrameMaker, packed
from movenv.web.placed_scan import PlacedScan
from movenv.world.messages import Encounters, Health, VehicleStates
from movenv.world.run_state import RunState

VIDS = np.arange(1, 21, dtype=np.uint32)


def moment(t: float = 1.0, count: int = 20, **changes: Any) -> Moment:
    vehicles = states(count, t)
    for name, column in changes.items():
        setattr(vehicles, name, np.asarray(column, VehicleStates.dtypes[name]))
    return Moment(round(t * 10), t, 1.7e9 + t, RunState.GO, vehicles, encounters(vehicles))


def read(frame: bytes) -> dict[str, Any]:
    """A frame by the words of its description."""
    magic, version, kind = struct.unpack_from("<HBB", frame, 0)
    assert (magic, version, kind) == (0x564D, 2, 1)
    (sequence,) = struct.unpack_from("<I", frame, 4)
    t, utc = struct.unpack_from("<dd", frame, 8)
    tick, flags, vehicles, pairs = struct.unpack_from("<IIII", frame, 24)
    rows = [struct.unpack_from("<IiifffHBB", frame, 40 + 28 * i) for i in range(vehicles)]
    at = 40 + 28 * vehicles
    near = [struct.unpack_from("<IIfI", frame, at + 16 * i) for i in range(pairs)]
    assert len(frame) == at + 16 * pairs
    return {
        "sequence": sequence, "t": t, "utc": utc, "tick": tick, "state": flags & 255,
        "jumped": bool(flags & 256), "pairs": near,
        "rows": {row[0] & 0xFFFFFF: row[1:] for row in rows},
        "steps": {row[0] & 0xFFFFFF: row[0] >> 24 for row in rows},
    }  # fmt: skip


def frame_of(maker: FrameMaker, shown: Moment, jumped: bool = False) -> dict[str, Any]:
    return read(maker.states(shown, packed(shown), jumped))


def test_a_first_frame_tells_of_everyone_to_a_centimetre() -> None:
    shown = moment()
    found = frame_of(FrameMaker(VIDS), shown)
    assert (found["t"], found["tick"], found["state"], found["sequence"]) == (1.0, 10, 3, 1)
    for row in range(20):
        lat, lon, z, speed, age, heading, behavior, condition = found["rows"][row]
        assert lat / 1e7 == pytest.approx(shown.vehicles.lat[row], abs=6e-8)
        assert lon / 1e7 == pytest.approx(shown.vehicles.lon[row], abs=6e-8)
        assert (z, speed) == (shown.vehicles.z[row], shown.vehicles.speed[row])
        assert age - 0.5 < shown.vehicles.age[row] <= age
        turned = (heading * 360 / 65536 - shown.vehicles.heading_deg[row]) % 360
        assert min(turned, 360 - turned) < 0.003
        assert behavior == shown.vehicles.behavior[row]
        assert condition & 15 == shown.vehicles.health[row]
        assert condition >> 4 == shown.vehicles.run_state[row]


def test_a_row_tells_the_step_of_its_mission_and_is_told_again_when_it_changes() -> None:
    step = np.zeros(20, np.uint8)
    step[3], step[19] = 4, 255
    maker = FrameMaker(VIDS)
    found = frame_of(maker, moment(step=step))
    assert found["steps"] == {row: {3: 4, 19: 255}.get(row, 0) for row in range(20)}
    step[3] = 5
    assert frame_of(maker, moment(step=step))["steps"] == {3: 5}


def test_pairs_under_notice_come_by_row_with_distance_and_level() -> None:
    shown = moment()
    table = shown.encounters
    expected = list(zip(table.vid - 1, table.other - 1, table.distance, table.level, strict=True))
    assert len(expected) > 3
    assert frame_of(FrameMaker(VIDS), shown)["pairs"] == expected


def test_who_has_not_changed_is_not_told_of_again() -> None:
    maker, first = FrameMaker(VIDS), moment()
    frame_of(maker, first)
    assert frame_of(maker, replace(first, tick=11))["rows"] == {}
    lat = first.vehicles.lat.copy()
    lat[7] += 1e-6
    assert list(frame_of(maker, moment(lat=lat))["rows"]) == [7]


def test_who_is_out_of_view_comes_in_turn_and_all_have_come_after_a_round() -> None:
    maker = FrameMaker(VIDS)
    frame_of(maker, moment(1.0))
    maker.view.look_at((10.0, 10.0, 10.1, 10.1), [3])
    told: set[int] = set()
    for i in range(ROUNDS):
        rows = set(frame_of(maker, moment(1.1 + i / 10))["rows"])
        assert 3 in rows
        assert len(rows) <= 2 + 20 // ROUNDS
        told |= rows
    assert told == set(range(20))


def test_a_view_shows_what_lies_in_it() -> None:
    shown = moment()
    lat, lon = shown.vehicles.lat, shown.vehicles.lon
    box = (float(np.median(lon)), float(lat.min()), float(lon.max()), float(np.median(lat)))
    expected = {i for i in range(20) if lon[i] >= box[0] and lat[i] <= box[3]}
    assert 0 < len(expected) < 20
    maker = FrameMaker(VIDS)
    maker.view.look_at(box, [])
    assert set(np.flatnonzero(maker.view.shows(packed(shown)))) == expected


def test_a_view_across_the_date_line_shows_both_sides() -> None:
    lon = np.full(20, 0.0)
    lon[:3] = [179.95, -179.95, 180.0]
    maker = FrameMaker(VIDS)
    maker.view.look_at((179.9, -90.0, 180.1, 90.0), [])
    assert set(np.flatnonzero(maker.view.shows(packed(moment(lon=lon))))) == {0, 1, 2}
    maker.view.look_at((-180.1, -90.0, -179.9, 90.0), [])
    assert set(np.flatnonzero(maker.view.shows(packed(moment(lon=lon))))) == {0, 1, 2}


def test_nobody_knows_where_an_unheard_vehicle_is() -> None:
    lat = np.full(20, np.nan)
    health = np.full(20, Health.UNHEARD)
    rows = frame_of(FrameMaker(VIDS), moment(lat=lat, health=health))["rows"]
    assert {row[0] for row in rows.values()} == {-(2**31)}


def test_a_jump_tells_of_everyone() -> None:
    maker, first = FrameMaker(VIDS), moment()
    frame_of(maker, first)
    again = frame_of(maker, first, jumped=True)
    assert again["jumped"]
    assert len(again["rows"]) == 20


def test_a_lost_vehicle_that_only_ages_is_news_twice_a_second() -> None:
    maker = FrameMaker(VIDS)
    changes = 0
    for i in range(20):
        age = np.full(20, i / 10)
        aged = moment(1.0, age=age)
        changes += bool(frame_of(maker, aged)["rows"]) and i > 0
    assert changes == 4


def test_tails_hold_every_place_of_everyone() -> None:
    t = np.array([1.0, 2.0, 3.0])
    past = [states(20, one) for one in t]
    lat, lon = (np.array([getattr(one, name) for one in past]) for name in ("lat", "lon"))
    lat[0, 4] = np.nan
    x, y, z = (np.array([getattr(one, n) for one in past], np.float32) for n in "xyz")
    data = FrameMaker(VIDS).tails(History(t, lat, lon, x, y, z))
    assert struct.unpack_from("<HBBI", data, 0) == (0x564D, 2, 2, 1)
    assert struct.unpack_from("<II", data, 32) == (20, 3)
    assert struct.unpack_from("<3d", data, 40) == (1.0, 2.0, 3.0)
    for point in range(3):
        for row in range(20):
            found = struct.unpack_from("<ii", data, 64 + 8 * (point * 20 + row))
            if np.isnan(lat[point, row]):
                assert found == (-(2**31), -(2**31))
            else:
                assert found[0] / 1e7 == pytest.approx(lat[point, row], abs=6e-8)
                assert found[1] / 1e7 == pytest.approx(lon[point, row], abs=6e-8)


def test_distances_are_in_three_dimensions() -> None:
    t = np.zeros(1)
    x = np.array([[0.0, 2.0]], np.float32)
    history = History(t, x * 0.0, x * 0.0, x, x * 0, np.array([[0.0, 1.5]], np.float32))
    assert history.distances(0, 1).tolist() == [2.5]


BEGINNING = states(20, 0.0)
corner = st.floats(-1.0, 1.0)
step = st.tuples(st.floats(1, 50), st.booleans(), st.tuples(corner, corner, corner, corner))


def box_of(share: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """A part of where the vehicles are."""
    lat, lon = BEGINNING.lat, BEGINNING.lon
    width, height = float(np.ptp(lon)), float(np.ptp(lat))
    east, west = (float(lon.mean()) + width * s for s in (max(share[:2]), min(share[:2])))
    north, south = (float(lat.mean()) + height * s for s in (max(share[2:]), min(share[2:])))
    return west, south, east, north


def is_in(row: Any, box: tuple[float, float, float, float]) -> bool:
    lat, lon = row[0] / 1e7, row[1] / 1e7
    return bool(box[0] <= lon <= box[2] and box[1] <= lat <= box[3])


@settings(max_examples=60)
@given(st.lists(step, min_size=1, max_size=12))
def test_a_page_that_takes_every_frame_shows_its_view_as_it_is(steps: list[Any]) -> None:
    """Whatever came before: who is in view is right, and nobody is shown in it who is not."""
    maker, page = FrameMaker(VIDS), dict[int, Any]()
    for t, jumped, share in steps:
        shown, box = moment(round(t, 1)), box_of(share)
        maker.view.look_at(box, [])
        page |= frame_of(maker, shown, jumped)["rows"]
        truth = frame_of(FrameMaker(VIDS), shown)["rows"]
        for row in range(20):
            if is_in(truth[row], box) or is_in(page[row], box):
                assert page[row] == truth[row]


def test_tails_are_thinned_to_what_a_thin_link_can_take() -> None:
    t = np.arange(120.0)
    lat = np.zeros((120, 1000))
    flat = lat.astype(np.float32)
    data = FrameMaker(np.arange(1, 1001, dtype=np.uint32)).tails(
        History(t, lat, lat, flat, flat, flat)
    )
    assert len(data) < 300_000
    points = struct.unpack_from("<I", data, 36)[0]
    times = struct.unpack_from(f"<{points}d", data, 40)
    assert times[-1] == 119.0
    assert len(set(np.diff(times))) == 1
    huge = FrameMaker(np.arange(1, 10_001, dtype=np.uint32))
    wide = np.zeros((120, 10_000))
    assert len(huge.tails(History(t, wide, wide, *[wide.astype(np.float32)] * 3))) == 40


def test_there_may_be_no_pairs() -> None:
    shown = replace(moment(), encounters=Encounters.empty())
    assert frame_of(FrameMaker(VIDS), shown)["pairs"] == []


def test_a_frame_of_scans_holds_all_of_them_with_their_points() -> None:
    def points(count: int) -> NDArray[np.float32]:
        return np.random.default_rng(count).random((count, 2), np.float32)

    scans = [
        PlacedScan(3, 7.5, points(1)[0], points(5), points(2)),
        PlacedScan(1, 7.6, points(1)[0], points(0), points(0)),
    ]
    maker = FrameMaker(VIDS)
    data = maker.scans(scans)
    assert struct.unpack_from("<HBBId", data) == (0x564D, 2, 3, 1, 7.6)
    assert struct.unpack_from("<II", data, 32) == (2, 7)
    at = 40
    for scan in scans:
        row, own, altered, *sensor = struct.unpack_from("<IIIff", data, at)
        assert (row, own, altered) == (scan.row, len(scan.own), len(scan.altered))
        assert sensor == scan.sensor.tolist()
        told = np.frombuffer(data, "<f4", (own + altered) * 2, at + 20).reshape(-1, 2)
        np.testing.assert_array_equal(told, np.vstack([scan.own, scan.altered]))
        at += 20 + told.nbytes
    assert at == len(data)
    assert struct.unpack_from("<II", maker.scans([]), 32) == (0, 0)
