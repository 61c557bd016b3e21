"""Which fixes are believed, what becomes of the rest, and how well each sender is heard."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from movenv.gateways.config import Entry, LiveConfig
from movenv.gateways.fix import Fix, sound_fix
from movenv.gateways.limits import limits_of
from movenv.gateways.tracker import Outcome, Trackers
from movenv.world.frames import Frame
from movenv.world.kinds import Kind
from movenv.world.messages import Heard, Motions, Receptions

FRAME = Frame(29.19, -81.05)
EPOCH = 1.75e9
KINDS = ("pedestrian", "ground", "surface", "underwater", "aerial/rotorcraft", "aerial/fixedwing")
FAR = (84_000.0, 0.0)


def entry(vid: int, kind: str, **config: object) -> Entry:
    return Entry(vid, f"v{vid}", Kind.parse(kind), LiveConfig(type="test", **config))


def fix_at(x: float, y: float, t: float = math.nan, **more: float) -> Fix:
    lat, lon, _ = FRAME.to_geodetic(x, y)
    return sound_fix(float(lat), float(lon), time=EPOCH + t, **({"accuracy": 5.0} | more))


class Phone:
    """One vehicle. What it sends at t arrives `delay` later, unless `at` says when."""

    def __init__(self, kind: str = "pedestrian", **config: object) -> None:
        self.trackers = Trackers(FRAME, [entry(7, kind, **config)])
        self.delay = 0.0

    def send(
        self, t: float, x: float = 0.0, y: float = 0.0, at: float | None = None, **more: float
    ) -> Outcome:
        at = t + self.delay if at is None else at
        return self.take(fix_at(x, y, t, **more), at)

    def take(self, fix: Fix, at: float) -> Outcome:
        return Outcome(self.trackers.take([7], [fix], [EPOCH + at])[0])

    def motion(self, t: float) -> Motions:
        return self.trackers.state(EPOCH + t)[0]

    def reception(self, t: float) -> Receptions:
        return self.trackers.state(EPOCH + t)[1]


def wandering(seed: int, sigma: float = 3.0) -> Iterator[tuple[float, float]]:
    """Places of one who stands still, as a receiver sees them."""
    rng = np.random.default_rng(seed)
    while True:
        x, y = rng.normal(0, sigma, 2)
        yield float(x), float(y)


# --- what is rejected ----------------------------------------------------------------------------


def test_a_vehicle_never_heard_has_a_row_but_no_motion() -> None:
    motions, receptions = Phone().trackers.state(EPOCH)
    assert len(motions) == 0
    assert receptions.vid.tolist() == [7]
    assert receptions.heard.tolist() == [Heard.NEVER]
    assert np.isnan([receptions.age[0], receptions.accuracy[0], receptions.loss[0]]).all()
    assert receptions.rate[0] == 0.0


def test_nothing_to_take_is_no_trouble() -> None:
    assert len(Phone().trackers.take([], [], [])) == 0
    assert len(Trackers(FRAME, []).state(EPOCH)[1]) == 0


def test_a_stranger_is_refused() -> None:
    with pytest.raises(KeyError, match="vid 8"):
        Phone().trackers.take([7, 8], [fix_at(0, 0, 0)] * 2, [EPOCH] * 2)


def test_the_same_time_again_is_a_repetition() -> None:
    phone = Phone()
    assert phone.send(0.0) is Outcome.ACCEPTED
    assert phone.send(0.0, at=0.3) is Outcome.REPEATED
    assert phone.send(0.0, 1.0, 1.0, at=0.4) is Outcome.REPEATED


def test_the_very_same_place_within_a_second_is_the_same_fix_under_a_new_time() -> None:
    phone = Phone()
    outcomes = [phone.send(k / 10, 1.4 * (k // 10)) for k in range(40)]
    assert outcomes == ([Outcome.ACCEPTED] + 9 * [Outcome.REPEATED]) * 4


def test_a_parked_phone_that_sends_every_second_or_a_little_sooner_stays_heard() -> None:
    phone = Phone()
    assert {phone.send(0.98 * k, 3.0, 4.0) for k in range(20)} == {Outcome.ACCEPTED}


def test_a_parked_receiver_that_holds_its_place_stays_heard() -> None:
    phone = Phone("ground", stale_after=2.0)
    for t in range(60):
        assert phone.send(float(t), 3.0, 4.0) is Outcome.ACCEPTED
    assert phone.reception(59.5).heard[0] == Heard.HEARD


def test_an_older_one_than_the_newest_comes_too_late() -> None:
    phone = Phone()
    phone.send(2.0, at=2.1)
    assert phone.send(1.0, 1.0, at=2.2) is Outcome.OUT_OF_ORDER
    assert phone.send(3.0, 1.0, at=3.1) is Outcome.ACCEPTED


def test_a_clock_5_s_ahead_is_refused_and_counted() -> None:
    phone = Phone()
    assert {phone.send(t + 5.0, at=float(t)) for t in range(10)} == {Outcome.FUTURE}
    heard = phone.reception(10.0)
    assert (heard.accepted[0], heard.rejected[0], heard.heard[0]) == (0, 10, Heard.NEVER)


def test_a_clock_up_to_2_s_ahead_counts_as_measured_at_arrival() -> None:
    phone = Phone()
    for t in range(20):
        assert phone.send(t + 1.9, 1.4 * t, at=float(t)) is Outcome.ACCEPTED
    assert phone.reception(19.0).age[0] == 0.0
    assert phone.motion(19.0).x[0] == pytest.approx(1.4 * 19, abs=0.5)


def test_a_clock_5_s_behind_shows_a_walker_7_m_ahead_and_arrival_time_cures_it() -> None:
    ahead = {}
    for clock in ("fix", "arrival"):
        phone = Phone(clock=clock, stale_after=10.0)
        for t in range(40):
            assert phone.send(t - 5.0, 1.4 * t, at=float(t)) is Outcome.ACCEPTED
        ahead[clock] = float(phone.motion(39.0).x[0]) - 1.4 * 39
        assert phone.reception(39.0).age[0] == pytest.approx(5.0 if clock == "fix" else 0.0)
    assert ahead["fix"] == pytest.approx(1.4 * 5, abs=1.5)
    assert ahead["arrival"] == pytest.approx(0.0, abs=0.5)


def test_with_the_usual_patience_a_clock_5_s_behind_is_stale_all_the_time() -> None:
    phone = Phone(stale_after=5.0)
    for t in range(40):
        phone.send(t - 5.0, 1.4 * t, at=t + 0.1)
    assert phone.reception(39.1).heard[0] == Heard.STALE


def test_a_fix_without_time_counts_as_measured_at_arrival() -> None:
    phone = Phone()
    for k in range(10):
        assert phone.take(fix_at(1.4 * k, 0.0), float(k)) is Outcome.ACCEPTED
    assert phone.reception(9.5).age[0] == pytest.approx(0.5)
    assert math.isnan(phone.reception(9.5).delay[0])


def test_local_time_taken_for_utc_is_too_old_but_half_an_hour_out_of_a_dead_zone_is_not() -> None:
    assert Phone().send(-3600.1, at=0.0) is Outcome.TOO_OLD
    assert Phone().send(-1024 * 7 * 86400.0, at=0.0) is Outcome.TOO_OLD  # weeks rolled over
    phone = Phone()
    assert {phone.send(float(t), 1.4 * t, at=1800.0) for t in range(600)} == {Outcome.ACCEPTED}
    assert phone.reception(1800.0).heard[0] == Heard.STALE
    assert phone.send(1800.0, 900.0) is Outcome.ACCEPTED
    assert phone.reception(1800.0).heard[0] == Heard.HEARD


@pytest.mark.parametrize("kind", KINDS)
def test_a_stated_speed_beyond_the_kind_is_too_fast(kind: str) -> None:
    top = limits_of(Kind.parse(kind)).max_speed
    assert Phone(kind).send(0.0, speed=top + 1) is Outcome.TOO_FAST
    assert Phone(kind).send(0.0, speed=top - 1) is Outcome.ACCEPTED
    assert Phone(kind, max_speed=top + 2).send(0.0, speed=top + 1) is Outcome.ACCEPTED
    assert Phone(kind, max_speed=top - 2).send(0.0, speed=top - 1) is Outcome.TOO_FAST


def test_a_pedestrian_at_40_m_s_is_not_believed() -> None:
    phone = Phone()
    outcomes = [phone.send(float(t), 40.0 * t) for t in range(30)]
    assert outcomes.count(Outcome.ACCEPTED) == 1
    assert phone.motion(29.0).speed[0] < 12.0
    car = Phone("ground")
    assert {car.send(float(t), 40.0 * t) for t in range(30)} == {Outcome.ACCEPTED}


def test_a_place_outside_the_local_frame_is_off_the_map() -> None:
    for lat, lon in ((29.0, 100.0), (-60.0, -81.0), (89.0, 99.0)):
        assert Phone().take(sound_fix(lat, lon), 0.0) is Outcome.OFF_THE_MAP


def test_every_outcome_has_words() -> None:
    assert [outcome.words for outcome in Outcome] == [
        "accepted", "repeated", "out of order", "from the future", "too old", "too fast",
        "too far", "too coarse", "off the map",
    ]  # fmt: skip


# --- who is right --------------------------------------------------------------------------------


def test_three_that_agree_overrule_a_wrong_first_fix() -> None:
    phone = Phone()
    assert phone.send(0.0, *FAR) is Outcome.ACCEPTED
    outcomes = [phone.send(1.0 + t, 1.4 * t) for t in range(4)]
    assert outcomes == [Outcome.TOO_FAR, Outcome.TOO_FAR, Outcome.ACCEPTED, Outcome.ACCEPTED]
    assert phone.motion(4.0).x[0] == pytest.approx(1.4 * 3, abs=3.0)


def test_even_one_who_stands_on_the_very_same_spot_overrules_a_wrong_first_fix() -> None:
    phone = Phone()
    phone.send(0.0, *FAR)
    outcomes = [phone.send(1.0 + t) for t in range(4)]
    assert outcomes == [Outcome.TOO_FAR, Outcome.TOO_FAR, Outcome.ACCEPTED, Outcome.ACCEPTED]


def test_rejected_ones_that_do_not_agree_never_win() -> None:
    phone = Phone()
    for t, place in zip(range(5), wandering(1), strict=False):
        phone.send(float(t), *place)
    rng = np.random.default_rng(2)
    for t in range(5, 100):
        assert phone.send(float(t), *rng.uniform(20_000, 90_000, 2)) is Outcome.TOO_FAR


@pytest.mark.parametrize("first", ["trailer", "good"])
@pytest.mark.parametrize("timed", [True, False])
def test_a_stale_trailer_84_km_away_never_wins(first: str, timed: bool) -> None:
    phone = Phone()
    pair = ["trailer", "good"] if first == "trailer" else ["good", "trailer"]
    good, shown = wandering(3), []
    for t in range(120):
        for which in pair:
            place = FAR if which == "trailer" else next(good)
            phone.take(fix_at(*place, t if timed else math.nan), t + 0.1)
        shown.append(float(np.hypot(phone.motion(t + 0.2).x[0], phone.motion(t + 0.2).y[0])))
    assert max(shown[3:]) < 30.0
    assert phone.reception(120.0).accepted[0] > 110


def test_nor_does_it_win_while_the_good_ones_drop_out() -> None:
    phone = Phone()
    good = wandering(4)
    for t in range(10):
        phone.send(float(t), *next(good))
    assert {phone.send(float(t), *FAR) for t in range(10, 2000)} == {Outcome.TOO_FAR}
    assert phone.reception(2000.0).heard[0] == Heard.STALE
    assert phone.send(2000.0, *next(good)) is Outcome.ACCEPTED
    assert abs(phone.motion(2000.0).x[0]) < 30.0


def test_after_ten_minutes_of_silence_it_may_be_anywhere() -> None:
    phone = Phone()
    for t in range(5):
        phone.send(float(t), 0.1 * t)
    assert phone.send(300.0, *FAR) is Outcome.TOO_FAR
    phone = Phone()
    for t in range(5):
        phone.send(float(t), 0.1 * t)
    assert phone.send(700.0, *FAR) is Outcome.ACCEPTED
    assert phone.motion(700.0).x[0] == pytest.approx(FAR[0], abs=0.1)


def test_a_coarse_fix_counts_only_where_there_is_no_better() -> None:
    phone = Phone()
    assert phone.send(0.0, 800.0, accuracy=1500.0) is Outcome.ACCEPTED
    assert phone.send(1.0, 0.0, accuracy=5.0) is Outcome.ACCEPTED
    assert phone.motion(1.0).x[0] == pytest.approx(0.0, abs=1.0)
    assert phone.motion(1.0).speed[0] < 0.1
    assert phone.send(2.0, 500.0, accuracy=1500.0) is Outcome.TOO_COARSE
    assert phone.send(30.0, 500.0, accuracy=1500.0) is Outcome.ACCEPTED
    assert phone.motion(30.0).x[0] == pytest.approx(0.0, abs=5.0)
    assert phone.reception(30.0).accuracy[0] == 1500.0


# --- motion --------------------------------------------------------------------------------------


def test_one_at_a_desk_does_not_appear_to_run() -> None:
    vids = list(range(1, 41))
    trackers = Trackers(FRAME, [entry(vid, "pedestrian") for vid in vids])
    sources = [wandering(seed) for seed in vids]
    speeds, fastest = [], 0.0
    for t in range(300):
        fixes = [fix_at(*next(source), t, accuracy=3.0 * 1.515) for source in sources]
        trackers.take(vids, fixes, [EPOCH + t] * len(vids))
        motions, _ = trackers.state(EPOCH + t + 0.5)
        fastest = max(fastest, float(motions.speed.max()))
        speeds += motions.speed.tolist() if t > 10 else []
    print(f"{np.sqrt(np.mean(np.square(speeds))):.2f} m/s rms, {fastest:.2f} at most")
    assert np.sqrt(np.mean(np.square(speeds))) < 0.5
    assert max(speeds) < 2.0
    assert fastest < 3.0


def test_a_pocket_for_30_s_goes_on_for_a_while_then_stays_then_is_well_again() -> None:
    phone = Phone(stale_after=5.0)
    for t in range(60):
        phone.send(float(t), 1.4 * t, speed=1.4, course=90.0)
    last = phone.motion(59.0)
    going, staying, still = phone.motion(63.0), phone.motion(65.0), phone.motion(85.0)
    assert 4.5 < going.x[0] - last.x[0] < 5.6
    assert going.speed[0] > 1.0
    assert staying.x[0] == still.x[0]
    assert staying.speed[0] == staying.vx[0] == 0.0
    heard = [phone.reception(t).heard[0] for t in (59.0, 63.9, 64.1, 88.0)]
    assert heard == [Heard.HEARD, Heard.HEARD, Heard.STALE, Heard.STALE]
    assert phone.send(89.0, 1.4 * 59, 30.0) is Outcome.ACCEPTED
    back = phone.motion(89.0)
    assert math.hypot(back.x[0] - 1.4 * 59, back.y[0] - 30.0) < 0.5
    assert back.speed[0] < 0.1
    assert phone.reception(89.0).heard[0] == Heard.HEARD


def test_a_fix_newer_than_the_instant_is_carried_back_to_it() -> None:
    phone = Phone("ground")
    for t in range(60):
        phone.send(float(t), 10.0 * t)
    assert phone.motion(58.8).x[0] == pytest.approx(588.0, abs=0.1)
    assert phone.reception(58.8).age[0] == 0.0


def test_a_stated_course_is_turned_from_true_to_grid_north() -> None:
    east = Frame(60.0, 11.9)  # far from the central meridian at 9°
    trackers = Trackers(east, [entry(7, "ground")])
    here, there = (60.0, 11.9), (60.01, 11.9)
    fix = sound_fix(*here, time=EPOCH, accuracy=5.0, speed=10.0, course=0.0)
    trackers.take([7], [fix], [EPOCH])
    x0, y0, _ = east.to_local(*here)
    x1, y1, _ = east.to_local(*there)
    motions, _ = trackers.state(EPOCH)
    assert motions.yaw[0] == pytest.approx(math.atan2(y1 - y0, x1 - x0), abs=1e-4)
    assert motions.yaw[0] > math.radians(92.0)


def test_one_who_stops_goes_on_facing_where_it_went() -> None:
    phone = Phone("ground")
    for t in range(30):
        phone.send(float(t), 0.0, -5.0 * t)
    for t in range(30, 90):
        phone.send(float(t), 1e-3 * t, -145.0)
    assert phone.motion(90.0).speed[0] < 0.1
    assert phone.motion(90.0).yaw[0] == pytest.approx(-math.pi / 2, abs=0.05)


def test_height_comes_from_the_ground_or_from_the_fix() -> None:
    def shown(kind: str, **config: object) -> float:
        phone = Phone(kind, **config)
        for t in range(5):
            phone.send(float(t), 0.1 * t, alt=120.0)
        return float(phone.motion(4.0).z[0])

    assert shown("pedestrian") == shown("ground") == shown("surface") == 0.0
    assert shown("aerial/rotorcraft") == shown("underwater") == pytest.approx(120.0)
    assert shown("pedestrian", height="fix") == pytest.approx(120.0)
    assert shown("aerial/fixedwing", height="ground") == 0.0


def test_without_a_height_the_last_one_stays_and_before_the_first_it_is_0() -> None:
    phone = Phone("aerial/rotorcraft")
    phone.send(0.0)
    assert phone.motion(0.0).z[0] == 0.0
    for t in range(1, 10):
        phone.send(float(t), 0.1 * t, alt=80.0)
    for t in range(10, 60):
        phone.send(float(t), 0.1 * t)
    now = phone.motion(60.0)
    assert now.z[0] == pytest.approx(80.0, abs=0.01)
    assert now.vz[0] == 0.0


def test_one_odd_height_is_passed_over_and_several_are_believed() -> None:
    phone = Phone("aerial/rotorcraft")
    phone.send(0.0, alt=0.0)  # many receivers say 0 before they know
    heights = []
    for t in range(1, 20):
        phone.send(float(t), 0.1 * t, alt=5000.0 if t == 12 else 300.0)
        heights.append(float(phone.motion(float(t)).z[0]))
    assert heights[:2] == [0.0, 0.0]
    assert heights[2:] == pytest.approx([300.0] * 17, abs=0.1)


# --- reception -----------------------------------------------------------------------------------


def test_reception_tells_accuracy_age_delay_battery_and_rate() -> None:
    phone = Phone()
    phone.delay = 0.25
    for k in range(200):
        phone.send(k / 5, 0.1 * k, accuracy=4.0, battery=0.5)
    heard = phone.reception(40.0)
    assert (heard.accepted[0], heard.rejected[0]) == (200, 0)
    assert (heard.accuracy[0], heard.battery[0]) == (4.0, 0.5)
    assert heard.age[0] == pytest.approx(0.2)
    assert heard.delay[0] == pytest.approx(0.25, abs=1e-4)
    assert heard.rate[0] == pytest.approx(5.0, rel=0.05)
    assert heard.loss[0] == 0.0
    assert phone.reception(100.0).rate[0] < 0.1


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("lost", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("period", [0.1, 1.0])
def test_loss_is_found_from_counts_or_from_gaps(counted: bool, lost: float, period: float) -> None:
    rng = np.random.default_rng(5)
    phone, told = Phone(), []
    sent = [(k * period + rng.uniform(0, 0.9), k) for k in range(1500) if rng.random() >= lost]
    for at, k in sorted(sent):
        count = {"sequence": k} if counted else {}
        phone.send(k * period, 0.01 * k, at=at, **count)
        told.append(float(phone.reception(at).loss[0]))
    assert np.mean(told[200:]) == pytest.approx(lost, abs=0.05)


def test_uneven_arrival_alone_is_no_loss() -> None:
    rng = np.random.default_rng(6)
    phone = Phone()
    for t in range(300):
        phone.take(fix_at(0.01 * t, 0.0), t + rng.uniform(0.05, 0.35))
    assert phone.reception(300.0).loss[0] < 0.02


def test_a_sender_that_begins_to_count_anew_has_lost_nothing() -> None:
    phone = Phone()
    for t in range(200):
        phone.send(float(t), 0.01 * t, sequence=(5000 + t) if t < 100 else t - 100)
    assert phone.reception(200.0).loss[0] == 0.0


# --- the clock of this machine --------------------------------------------------------------------


@pytest.mark.parametrize("clock", ["fix", "arrival"])
def test_a_clock_that_is_set_back_costs_no_fix(clock: str) -> None:
    """NTP sets the laptop back by ten minutes; the walker walks on."""
    phone = Phone(clock=clock)
    for t in range(20):
        assert phone.send(float(t), y=1.4 * t) == Outcome.ACCEPTED
    back = -600.0
    assert phone.reception(20.0 + back).heard.tolist() == [Heard.STALE]  # until it is heard again
    assert phone.motion(20.0 + back).speed[0] == 0
    for t in range(20, 40):
        assert phone.send(t + back, y=1.4 * t) == Outcome.ACCEPTED
    assert phone.reception(39.0 + back).heard.tolist() == [Heard.HEARD]
    assert phone.motion(39.0 + back).y[0] == pytest.approx(1.4 * 39, abs=1.0)
