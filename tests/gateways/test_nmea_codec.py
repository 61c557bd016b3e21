"""NMEA 0183: sentences of one instant become one fix, whatever the wire does to them."""

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from movenv.gateways.fix import Fix, Unreadable, sound_fix
from movenv.gateways.nmea.codec import ENCODERS, LONGEST, NmeaDecoder, encode_nmea
from movenv.gateways.nmea_sentence import checksum

KNOT = 1852 / 3600


def line(text: str) -> bytes:
    return f"${text}*{checksum(text):02X}\r\n".encode()


def at(*moment: int) -> float:
    return datetime(*moment, tzinfo=UTC).timestamp()  # type: ignore[arg-type, misc]


def rmc(clock: str = "120000.00", lat: str = "4807.0380", date: str = "050926", **also) -> bytes:
    talker, status = also.get("talker", "GP"), also.get("status", "A")
    motion = also.get("motion", "010.0,084.4")
    mode = also.get("mode", "A")
    return line(f"{talker}RMC,{clock},{status},{lat},N,01131.0000,E,{motion},{date},,,{mode}")


def gga(clock: str = "120000.00", lat: str = "4807.0380", quality: str = "1", **also) -> bytes:
    talker = also.get("talker", "GP")
    return line(f"{talker}GGA,{clock},{lat},N,01131.0000,E,{quality},08,0.9,545.4,M,46.9,M,,")


GST = "GPGST,{},1.1,2.0,1.5,12.0,3.0,4.0,6.5"
VTG = line("GPVTG,084.4,T,077.8,M,010.0,N,018.5,K,A")

NEXT = line(GST.format("120001"))
"""Begins another epoch, and tells no place."""


def fed(*data: bytes, now: float | None = None) -> list[Fix]:
    decoder = NmeaDecoder()
    return [fix for one in data for fix in decoder.feed(one, now)]


def test_all_sentences_of_an_epoch_make_one_fix() -> None:
    (fix,) = fed(rmc() + gga() + VTG + line(GST.format("120000.00")), rmc("120001.00"))
    assert fix.lat == pytest.approx(48 + 7.038 / 60, abs=1e-12)
    assert fix.lon == pytest.approx(11 + 31 / 60, abs=1e-12)
    assert fix.time == at(2026, 9, 5, 12)
    assert fix.alt == 545.4
    assert fix.speed == pytest.approx(10 * KNOT)
    assert fix.course == 84.4
    assert fix.accuracy == pytest.approx(5.0), "root of 3² + 4²"
    assert fix.vertical_accuracy == 6.5


def test_once_the_receiver_is_known_a_fix_comes_with_its_last_sentence() -> None:
    decoder = NmeaDecoder()
    assert decoder.feed(rmc("120000") + gga("120000")) == []
    assert [fix.time for fix in decoder.feed(rmc("120001"))] == [at(2026, 9, 5, 12)]
    assert [fix.time for fix in decoder.feed(gga("120001"))] == [at(2026, 9, 5, 12, 0, 1)]
    assert decoder.feed(rmc("120002")) == []
    assert [fix.alt for fix in decoder.feed(gga("120002"))] == [545.4]
    assert decoder.feed(line(GST.format("120002"))) == [], "it is out already"
    decoder.feed(rmc("120003") + gga("120003") + line(GST.format("120003")))
    decoder.feed(rmc("120004") + gga("120004"))
    (fix,) = decoder.feed(line(GST.format("120004")))
    assert fix.accuracy == pytest.approx(5.0), "sent twice, GST is waited for"


def test_a_sentence_that_is_sent_now_and_then_delays_nothing() -> None:
    decoder, seen = NmeaDecoder(), []
    for second in range(20):
        clock = f"1200{second:02d}"
        now_and_then = line(GST.format(clock)) if second % 5 == 0 else b""
        data = rmc(clock) + gga(clock) + now_and_then
        seen.append([fix.time % 60 for fix in decoder.feed(data)])
    assert seen[0] == []
    assert seen[1] == [0.0], "with GST the first epoch was longer"
    assert seen[2] == [1.0, 2.0]
    assert seen[3:] == [[float(second)] for second in range(3, 20)]


def test_a_receiver_with_one_sentence_is_heard_without_delay() -> None:
    decoder = NmeaDecoder()
    counts = [len(decoder.feed(rmc(f"1200{second:02d}"))) for second in range(4)]
    assert counts == [0, 2, 1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "GNGNS,120000.00,4807.0380,N,01131.0000,E,AAN,10,0.8,545.4,46.9,,",
        "INGGA,120000.00,4807.0380,N,01131.0000,E,4,12,0.5,545.4,M,46.9,M,1.0,0000",
        "GLGLL,4807.0380,N,01131.0000,E,120000.00,A,D",
        "BDRMC,120000.00,A,4807.0380,N,01131.0000,E,,,050926",
        "GNRMC,120000.00,A,4807.0380,N,01131.0000,E,0.01,,050926,,,D,V",
    ],
)
def test_any_talker_and_any_sentence_with_a_place_will_do(text: str) -> None:
    (fix,) = fed(line(text), gga("120001"), now=at(2026, 9, 5, 11))
    assert (fix.lat, fix.lon) == pytest.approx((48.1173, 11 + 31 / 60))
    assert fix.time == at(2026, 9, 5, 12)
    assert math.isnan(fix.course)


def test_south_and_west_are_negative() -> None:
    (fix,) = fed(line("GPGLL,3352.1280,S,15112.5580,W,120000,A"), gga("120001"))
    assert (fix.lat, fix.lon) == pytest.approx((-33.8688, -151.2093))


def test_accuracy_without_gst_follows_from_hdop() -> None:
    (fix,) = fed(gga(), NEXT)
    assert fix.accuracy == pytest.approx(4.5)


def test_speed_and_course_come_from_vtg_where_rmc_is_not_sent() -> None:
    (fix,) = fed(gga() + line("GPVTG,084.4,T,,M,,N,36.0,K,A"), gga("120001"))
    assert fix.speed == pytest.approx(10.0)
    assert fix.course == 84.4
    (fix,) = fed(gga() + line("GPVTG,084.4,T,,M,1.0,N,1.9,K,N"), gga("120001"))
    assert math.isnan(fix.speed), "mode N is not valid"


def test_a_vtg_before_everything_belongs_to_an_epoch_that_was_missed() -> None:
    (fix,) = fed(line("GPVTG,1.0,T,,M,50.0,N,,K,A") + gga() + VTG, gga("120001"))
    assert fix.speed == pytest.approx(10 * KNOT)


def test_several_talkers_in_one_epoch_are_one_fix_and_the_joint_solution_counts() -> None:
    gns = "GNS,120000.00,{},{},08,0.9,545.4,46.9,,"
    (fix,) = fed(
        line("GP" + gns.format(",,,", "")),
        line("GL" + gns.format("4807.9999,N,01131.0000,E", "N")),
        line("GN" + gns.format("4807.0380,N,01131.0000,E", "AA")),
        rmc("120001", talker="GN"),
    )
    assert fix.lat == pytest.approx(48.1173)


@pytest.mark.parametrize(
    "nothing",
    [
        rmc(status="V"),
        rmc(mode="N"),
        gga(quality="0"),
        line("GPRMC,120000.00,V,,,,,,,050926,,,N"),
        line("GPGGA,120000.00,,,,,0,00,99.99,,,,,,"),
        line("GNGNS,120000.00,4807.0380,N,01131.0000,E,NN,00,99.9,,,,"),
        line("GPGLL,4807.0380,N,01131.0000,E,120000.00,V,N"),
        line("GPGGA,120000.00,0000.0000,N,00000.0000,E,1,04,1.0,0,M,,M,,"),
    ],
)
def test_a_receiver_that_says_it_does_not_know_gives_no_fix(nothing: bytes) -> None:
    decoder = NmeaDecoder()
    assert decoder.feed(nothing + NEXT) == []
    assert decoder.voids == 1
    assert decoder.wrong == 0


def test_one_void_sentence_is_enough_to_doubt_the_others() -> None:
    assert fed(gga() + rmc(status="V"), gga("120001") + rmc("120001", status="V")) == []


@pytest.mark.parametrize("quality", "12345678")
def test_differential_estimated_manual_and_simulated_places_are_places(quality: str) -> None:
    assert len(fed(gga(quality=quality), NEXT)) == 1


def test_a_wrong_checksum_is_dropped_and_counted_and_a_missing_one_is_not() -> None:
    decoder = NmeaDecoder()
    good = rmc()
    assert decoder.feed(good.replace(b"4807", b"4817") + rmc("120001")) == []
    assert (decoder.wrong, decoder.understood) == (1, 1)
    plain = gga("120001").split(b"*")[0] + b"\r\n"
    assert decoder.feed(plain) == []
    assert (decoder.wrong, decoder.understood) == (1, 2)
    assert decoder.feed(rmc("120002").split(b"*")[0] + b"\r\n") == []
    assert decoder.wrong == 2, "cut off: the same sentence had one before"


def test_lower_case_checksums_and_bare_line_feeds_are_fine() -> None:
    data = (rmc() + rmc("120001")).replace(b"\r\n", b"\n")
    text, _, told = rmc().strip().rpartition(b"*")
    assert len(fed(data)) == 2
    assert len(fed(text + b"*" + told.lower() + b"\n", NEXT)) == 1


def test_ais_unknown_and_proprietary_sentences_are_ignored() -> None:
    decoder = NmeaDecoder()
    others = (
        b"!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C\r\n"
        + line("GPGSV,1,1,01,21,00,000,")
        + line("PUBX,00,120000.00,4807.0380,N")
        + line("GPTXT,01,01,02,hello!")
        + b"$\r\n$$$GP\r\n$GPRMC"
    )
    assert decoder.feed(others) == []
    assert (decoder.wrong, decoder.understood) == (0, 0)
    assert len(decoder.feed(rmc() + others + NEXT)) == 1


def test_the_stream_may_be_cut_anywhere() -> None:
    data = b"".join(
        rmc(f"1200{s:02d}") + gga(f"1200{s:02d}") + line(GST.format(f"1200{s:02d}"))
        for s in range(5)
    )
    whole = fed(data)
    assert len(whole) == 5
    for size in (1, 2, 3, 7, 64, 81):
        cut = [data[i : i + size] for i in range(0, len(data), size)]
        assert repr(fed(*cut)) == repr(whole)


def test_datagrams_need_no_line_ends() -> None:
    assert len(fed(rmc().strip(), gga().strip(), rmc("120001").strip())) == 1
    bare = [sentence.split(b"*")[0] for sentence in (rmc(), gga(), rmc("120001"), gga("120001"))]
    assert len(fed(*bare)) == 1


def test_garbage_is_skipped_and_never_piles_up() -> None:
    decoder = NmeaDecoder()
    decoder.feed(b"\xb5\x62\x01\x07" * 5000 + b"$" + b"\x01" * 100_000)
    assert len(decoder._buffer) <= LONGEST
    assert len(decoder.feed(b"\xff\x00$\xb5b" + rmc() + NEXT)) == 1


def test_an_overtaken_sentence_makes_no_fix_of_the_past() -> None:
    times = [
        fix.time % 60 for fix in fed(rmc("120000"), rmc("120002"), rmc("120001"), rmc("120003"))
    ]
    assert times == [0.0, 2.0, 3.0]


def test_a_log_that_begins_anew_is_followed() -> None:
    times = [fix.time for fix in fed(rmc("120000"), rmc("120001"), rmc("110000"), rmc("110001"))]
    assert times == [at(2026, 9, 5, *hms) for hms in [(12,), (12, 0, 1), (11,), (11, 0, 1)]]


def test_without_a_date_the_day_of_arrival_counts_also_around_midnight() -> None:
    for clock, now, then in [
        ("120000", at(2026, 9, 5, 12, 0, 1), at(2026, 9, 5, 12)),
        ("235959", at(2026, 9, 6, 0, 0, 1), at(2026, 9, 5, 23, 59, 59)),
        ("000001", at(2026, 9, 5, 23, 59, 59), at(2026, 9, 6, 0, 0, 1)),
    ]:
        first, *_ = fed(gga(clock), gga("040000"), now=now)
        assert first.time == then
    (fix,) = fed(gga(), NEXT)
    assert math.isnan(fix.time), "and none without either"


def test_a_date_heard_before_counts_more_than_the_day_of_arrival() -> None:
    zda = line("GPZDA,235958.00,05,09,2026,00,00")
    data = zda + b"".join(gga(clock) for clock in ("235959", "000000", "000001"))
    assert [fix.time for fix in fed(data, now=at(2026, 11, 1))] == [
        at(2026, 9, 5, 23, 59, 59),
        at(2026, 9, 6),
        at(2026, 9, 6, 0, 0, 1),
    ]


def test_a_week_that_overflowed_is_put_right() -> None:
    stale = at(2026, 9, 5, 12) - 1024 * 7 * 86400
    date = f"{datetime.fromtimestamp(stale, UTC):%d%m%y}"
    assert date[4:] == "07"
    times = [fed(rmc(date=date), rmc("120001"), now=now)[0].time for now in (at(2026, 9, 7), None)]
    assert times == [at(2026, 9, 5, 12), stale]
    twice = f"{datetime.fromtimestamp(stale - 1024 * 7 * 86400, UTC):%d%m%y}"
    assert twice[4:] == "87"
    assert fed(rmc(date=twice), rmc("120001"), now=at(2026, 9, 5))[0].time == at(2026, 9, 5, 12)


def test_a_clock_that_is_days_off_is_left_alone() -> None:
    assert fed(rmc(), rmc("120001"), now=at(2026, 9, 25))[0].time == at(2026, 9, 5, 12)
    assert fed(rmc(), rmc("120001"), now=at(2026, 8, 5))[0].time == at(2026, 9, 5, 12)


def test_why_no_fix_comes_of_a_datagram_is_said() -> None:
    for data, reason in [
        (rmc(), "waiting for the rest of the epoch"),
        (rmc("120001", status="V") + rmc("120002", status="V"), "no fix"),
        (rmc().replace(b"4807", b"4817"), "garbled"),
        (line("GPGSV,1,1,01,21,00,000,"), "no sentence that tells a place"),
        (b"\0\xff", "no sentence that tells a place"),
    ]:
        with pytest.raises(Unreadable, match=reason):
            NmeaDecoder().decode(data)
    assert len(NmeaDecoder().decode(rmc() + NEXT)) == 1


@pytest.mark.parametrize(
    "garbled",
    [
        "GPRMC,120000,A,4807.0380,N",
        "GPRMC,120000,A,4807.0380,N,01131.0000,E,1e3,084.4,050926",
        "GPRMC,120000,A,4807.0380,N,01131.0000,E,nan,084.4,050926",
        "GPRMC,120000,A,4807.0380,X,01131.0000,E,1,084.4,050926",
        "GPRMC,120000,A,4867.0380,N,01131.0000,E,1,084.4,050926",
        "GPRMC,120000,A,4807.0380,N,18131.0000,E,1,084.4,050926",
        "GPRMC,250000,A,4807.0380,N,01131.0000,E,1,084.4,050926",
        "GPRMC,120000,A,4807.0380,N,01131.0000,E,1,084.4,310226",
        "GPZDA,120000,00,09,2026",
    ],
)
def test_garbled_fields_are_counted_even_under_a_right_checksum(garbled: str) -> None:
    decoder = NmeaDecoder()
    assert decoder.feed(line(garbled) + rmc("120001")) == []
    assert (decoder.wrong, decoder.understood) == (1, 1)


def test_many_made_up_talkers_are_not_all_remembered() -> None:
    decoder = NmeaDecoder()
    talkers = [a + b for a in "ABCDEFGHIJKLMNO" for b in "ABCDEFGHIJKLMNO"]
    decoder.feed(b"".join(rmc(talker=talker) for talker in talkers))
    assert decoder._epoch is not None
    assert len(decoder._epoch.said) == 32


FIXES = st.builds(
    sound_fix,
    st.floats(-90, 90),
    st.floats(-180, 180).filter(lambda lon: abs(lon) > 1e-3),
    # The sentence that ends an epoch, at 03:14:15.927, must not belong to it.
    time=st.floats(at(2020, 1, 1), at(2035, 1, 1)).filter(
        lambda t: abs(t % 86_400 - 11_655.927) > 5
    ),
    alt=st.floats(-400, 9000) | st.just(math.nan),
    speed=st.floats(0, 300) | st.just(math.nan),
    course=st.floats(0, 359.9) | st.just(math.nan),
    accuracy=st.floats(0.01, 500) | st.just(math.nan),
    vertical_accuracy=st.floats(0.01, 500) | st.just(math.nan),
)


@settings(max_examples=200, deadline=None)
@given(FIXES)
def test_what_is_encoded_is_decoded_again(fix: Fix) -> None:
    (back,) = fed(ENCODERS["nmea"](fix) + rmc("031415.927"))
    assert (back.lat, back.lon) == pytest.approx((fix.lat, fix.lon), abs=1.1e-8)
    assert back.time == pytest.approx(fix.time, abs=6e-4)
    assert back.alt == pytest.approx(fix.alt, abs=0.006, nan_ok=True)
    assert back.speed == pytest.approx(fix.speed, abs=3e-4, nan_ok=True)
    assert back.course == pytest.approx(fix.course, abs=0.006, nan_ok=True)
    assert back.accuracy == pytest.approx(fix.accuracy, abs=1e-3, nan_ok=True)
    if not math.isnan(fix.accuracy):
        assert back.vertical_accuracy == pytest.approx(fix.vertical_accuracy, abs=6e-4, nan_ok=True)


def tried(*data: bytes) -> None:
    decoder = NmeaDecoder()
    for one in data:
        try:
            fixes = decoder.decode(one, 1.8e9)
        except Unreadable as reason:
            assert 0 < len(str(reason)) < 40
            continue
        for fix in fixes:
            assert -90 <= fix.lat <= 90
            assert -180 <= fix.lon <= 180
            assert math.isnan(fix.time) or 0 < fix.time < 1e11


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(max_size=120), max_size=5))
def test_any_bytes_are_fixes_or_unreadable(data: list[bytes]) -> None:
    tried(*data)


FIELD = st.text("0123456789.NSEWAVK-+ \xff", max_size=10) | st.sampled_from(
    ["120000", "4807.0380", "N", "01131.0", "E", "A", "1", "050926", "", "²", "٣"]
)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["RMC", "GGA", "GNS", "GLL", "VTG", "GST", "ZDA"]),
            st.lists(FIELD, max_size=16),
        ),
        max_size=6,
    )
)
def test_any_fields_under_a_right_checksum_are_fixes_or_unreadable(
    sentences: list[tuple[str, list[str]]],
) -> None:
    texts = [f"GP{kind},{','.join(fields)}" for kind, fields in sentences]
    raw = [text.encode("latin-1", "replace").decode("latin-1") for text in texts]
    tried(*(f"${text}*{checksum(text):02X}\n".encode("latin-1") for text in raw))


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 10_000), st.binary(max_size=4), st.integers(0, 6), st.booleans())
def test_a_damaged_stream_is_fixes_or_unreadable(
    where: int, put: bytes, cut: int, sums: bool
) -> None:
    data = b"".join(
        rmc(f"1200{s:02d}") + gga(f"1200{s:02d}") + VTG + line(GST.format(f"1200{s:02d}"))
        for s in range(3)
    )
    if not sums:
        data = b"\r\n".join(one.split(b"*")[0] for one in data.split(b"\r\n"))
    where %= len(data)
    tried(data[:where] + put + data[where + cut :], encode_nmea(sound_fix(1, 2, time=1.8e9)))
