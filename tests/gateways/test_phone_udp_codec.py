import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phones import assert_sound, fixes, same, same_course

from movenv.gateways.fix import Fix, Unreadable
from movenv.gateways.nmea_sentence import KNOT, checksum
from movenv.gateways.phone_udp.codec import ENCODERS, decode
from movenv.gateways.phone_udp.hyperimu import encode_hyperimu
from movenv.gateways.phone_udp.sensorlog import encode_sensorlog

MAC = "a4:50:46:12:9f:01"
ACCELEROMETER = "0.0930,0.1480,9.8066"
TRAILER = "48.11730000,11.51666667,545.4"
MARCH_23 = 764_426_119.0
"""12:35:19 on 23 March 1994."""


def slot(sentence: str, separator: str = ".") -> str:
    """A sentence as HyperIMU shows it; the checksum is of the form with commas."""
    return f"${sentence.replace(',', separator)}*{checksum(sentence):02X}"


RMC = slot("GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W")
VOID = slot("GPRMC,123519,V,,,,,,,230394,,,N")


def only(line: str | bytes) -> Fix:
    (fix,) = decode(line.encode() if isinstance(line, str) else line)
    return fix


def reason(line: str | bytes) -> str:
    with pytest.raises(Unreadable) as raised:
        decode(line.encode() if isinstance(line, str) else line)
    return str(raised.value)


class TestHyperImu:
    def test_all_groups(self) -> None:
        fix = only(f"1700000000123,{MAC},85,1,0,{ACCELEROMETER},{TRAILER},{RMC}, , \r\n")
        assert fix.lat == pytest.approx(48 + 7.038 / 60)
        assert fix.lon == pytest.approx(11 + 31 / 60)
        assert fix.time == MARCH_23
        assert fix.speed == pytest.approx(22.4 * KNOT)
        assert fix.course == pytest.approx(84.4)
        assert fix.alt == 545.4
        assert fix.battery == 0.85
        assert fix.device == MAC

    @pytest.mark.parametrize("time", ["1700000000123,", ""])
    @pytest.mark.parametrize("mac", [f"{MAC},", ""])
    @pytest.mark.parametrize("battery", ["85,0,1,", ""])
    @pytest.mark.parametrize("sensors", ["", f"{ACCELEROMETER},", f"{ACCELEROMETER}," * 7])
    def test_groups_are_found_wherever_they_are(
        self, time: str, mac: str, battery: str, sensors: str
    ) -> None:
        fix = only(f"{time}{mac}{battery}{sensors}{TRAILER}")
        assert (fix.lat, fix.lon, fix.alt) == (48.1173, 11.51666667, 545.4)
        assert same(fix.time, 1_700_000_000.123 if time else math.nan, 1e-6)
        assert fix.device == (MAC if mac else "")
        assert same(fix.battery, 0.85 if battery else math.nan, 1e-9)

    @pytest.mark.parametrize("slots", [f"{RMC}, , ", f" ,{RMC}, ", f" , ,{RMC}", f",,{RMC}", RMC])
    def test_the_sentence_may_be_in_any_slot(self, slots: str) -> None:
        assert only(f"{ACCELEROMETER},{TRAILER},{slots}").time == MARCH_23

    def test_other_sentences_stand_beside_it(self) -> None:
        gga = slot("GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,")
        assert only(f"{TRAILER},{gga},{RMC},{slot('GPVTG,84.4,T,,M,22.4,N,41.5,K,A')}").speed > 11

    def test_the_sentence_is_enough(self) -> None:
        assert math.isnan(only(RMC).alt)

    def test_the_sentence_wins_over_a_stale_trailer(self) -> None:
        fix = only(f"{ACCELEROMETER},48.5000,11.9000,600.0,{RMC}")
        assert (fix.lat, fix.lon) == pytest.approx((48.1173, 11.5166667))
        assert math.isnan(fix.alt)

    def test_no_fix_in_the_sentence_is_no_fix_though_there_is_a_trailer(self) -> None:
        assert reason(f"{ACCELEROMETER},{TRAILER},{VOID}") == "no fix"
        assert reason(f"{TRAILER},{slot('GNRMC,,V,,,,,,,,,,N')}") == "no fix"
        assert reason(f"{TRAILER},{slot('GNRMC,,V,,,,,,,,,,N', ';')}") == "no fix"

    def test_mode_n_is_no_fix(self) -> None:
        rmc = slot("GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,,,N")
        assert reason(f"{TRAILER},{rmc}") == "no fix"

    def test_one_receiver_with_a_fix_is_enough(self) -> None:
        assert only(f"{TRAILER},{VOID},{RMC}").time == MARCH_23
        assert only(f"{TRAILER},{RMC},{VOID}").time == MARCH_23

    def test_a_wrong_checksum_is_not_believed_nor_is_the_trailer(self) -> None:
        assert reason(f"{TRAILER},{RMC[:-2]}6B") == "bad checksum"
        assert reason(f"{TRAILER},{RMC[:-3]}") == "bad checksum"
        assert reason(f"{TRAILER},{RMC.replace('4807', '4817')}") == "bad checksum"

    def test_the_checksum_is_of_the_form_with_commas(self) -> None:
        dotted = RMC[1:-3]
        assert checksum(dotted) != 0x6A
        assert reason(f"{TRAILER},${dotted}*{checksum(dotted):02X}") == "bad checksum"

    @pytest.mark.parametrize("separator", [".", ";"])  # newer versions have semicolons
    @pytest.mark.parametrize("sentence", ["GPRMC,123519", "GNRMC,123519.00", "BDRMC,123519.000"])
    @pytest.mark.parametrize("motion", ["022.4,084.4", "22.4,84.4", "22.40,084.400000"])
    @pytest.mark.parametrize("tail", [",", "003.1,W", "003,W", ",,A", "3.1,E,D", ",,A,V", ",,"])
    def test_dots_and_commas_are_told_apart(
        self, separator: str, sentence: str, motion: str, tail: str
    ) -> None:
        place = "A,4807.038,N,01131.000000,W"
        fix = only(slot(f"{sentence},{place},{motion},230394,{tail}", separator))
        assert (fix.lat, fix.lon) == pytest.approx((48.1173, -11.5166667))
        assert fix.time == MARCH_23
        assert fix.speed == pytest.approx(22.4 * KNOT)
        assert fix.course == pytest.approx(84.4)

    @pytest.mark.parametrize(
        ("motion", "knots", "course"),
        [
            (",", math.nan, math.nan),
            ("0.5,", 0.5, math.nan),
            ("5,", 5.0, math.nan),
            (",84.4", math.nan, 84.4),
            (",84", math.nan, 84.0),
            ("5,84", 5.0, 84.0),
            ("5,84.999", 5.0, 84.999),
            ("5.777,84", 5.777, 84.0),
        ],
    )
    def test_what_is_missing_or_whole(self, motion: str, knots: float, course: float) -> None:
        fix = only(slot(f"GPRMC,123519,A,4807.038,N,01131.000,E,{motion},230394,,,A"))
        assert same(fix.speed / KNOT, knots, 1e-9)
        assert same(fix.course, course, 1e-9)

    def test_a_dot_that_may_belong_to_either_makes_both_unknown(self) -> None:
        # 5.84 and 4 or 5 and 84.4: the checksums of the two are equal.
        fix = only(slot("GPRMC,123519,A,4807.038,N,01131.000,E,5,84.4,230394,,,A"))
        assert math.isnan(fix.speed)
        assert math.isnan(fix.course)

    def test_the_mac_address_that_android_shows_to_all_names_nobody(self) -> None:
        assert only(f"02:00:00:00:00:00,{TRAILER}").device == ""

    def test_altitude_zero_is_none(self) -> None:
        assert math.isnan(only("48.1173,11.5167,0.0").alt)

    def test_a_light_sensor_is_not_a_battery(self) -> None:
        assert math.isnan(only(f"50.0,0.0,0.0,{TRAILER}").battery)

    def test_sensors_may_fail(self) -> None:
        assert only(f"NaN,NaN,NaN,{TRAILER}").lat == 48.1173

    def test_no_place(self) -> None:
        assert reason(f"1700000000123,{MAC},{ACCELEROMETER},0.0,0.0,0.0, , , ") == "no fix"
        assert reason("91.0,10.0,0.0") == "no place on the globe"

    @pytest.mark.parametrize(
        "line",
        [
            "",
            ",",
            "   ",
            "hello",
            "1700000000123",
            f"1700000000123,{MAC}",
            "48.1,11.5",
            "48.1,11.5,545.4,1.0",
            "a,1,2,48.1,11.5,545.4",
            f"{TRAILER},,,,,",
            f"{TRAILER},{slot('GPRMC,123519,A,4807,N')}",
            f"{TRAILER},$GPRMC.*00",
            f"{TRAILER},$..RMC.*00",
            f"{TRAILER},$GPRMC.123519.A.4807.038.N.01131.000.E.022.4.084.4.310294.003.1.W*6F",
        ],
    )
    def test_garbage(self, line: str) -> None:
        assert reason(line) in ("garbled", "bad checksum")

    def test_a_date_that_is_none(self) -> None:
        rmc = slot("GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,310294,003.1,W")
        assert reason(f"{TRAILER},{rmc}") == "garbled"


class TestSensorLog:
    LINE = (
        "1774269320.101,42,0,1774269319.250,48.1173,11.5167,545.4,1.25,84.4,4.0,3.0,-9999,1,0.85,"
    )

    def test_all_fields(self) -> None:
        assert only(f"{self.LINE}medic\r\n") == Fix(
            lat=48.1173,
            lon=11.5167,
            time=1774269319.25,
            alt=545.4,
            speed=1.25,
            course=84.4,
            accuracy=3.0,
            vertical_accuracy=4.0,
            battery=0.85,
            device="medic",
            sequence=42,
        )

    def test_the_time_is_that_of_the_location_however_old(self) -> None:
        line = self.LINE.replace("1774269320.101", "1774269920.101")
        assert only(line).time == 1774269319.25

    @pytest.mark.parametrize("label", ["", "0", "17", "-1", "nan", '""'])
    def test_a_number_is_no_name(self, label: str) -> None:
        assert only(self.LINE + label).device == ""

    @pytest.mark.parametrize("label", ["medic", "Rettung 3", '"medic"', "medic-2", "Läufer"])
    def test_a_word_is_a_name(self, label: str) -> None:
        assert only(self.LINE + label).device == label.strip('"')

    def test_without_battery(self) -> None:
        fix = only(self.LINE.removesuffix("1,0.85,") + "medic")
        assert fix.device == "medic"
        assert math.isnan(fix.battery)
        assert only(self.LINE.removesuffix(",1,0.85,")).device == ""

    def test_a_negative_course_or_speed_means_none(self) -> None:
        fix = only(self.LINE.replace(",1.25,84.4,", ",-1.0,-1.0,"))
        assert math.isnan(fix.speed)
        assert math.isnan(fix.course)

    def test_a_negative_vertical_accuracy_means_no_altitude(self) -> None:
        fix = only(self.LINE.replace(",4.0,", ",-1.0,"))
        assert math.isnan(fix.alt)
        assert math.isnan(fix.vertical_accuracy)

    def test_a_negative_horizontal_accuracy_means_no_place(self) -> None:
        assert reason(self.LINE.replace(",3.0,", ",-1.0,")) == "no fix"

    def test_before_the_first_location(self) -> None:
        assert reason("1774269320.1,1,0,0,0,0,0,-1,-1,-1,-1,-9999,1,0.85,medic") == "no fix"
        assert reason("1774269320.1,1,0,,,,,,,,,,1,0.85,medic") == "no fix"

    def test_garbage(self) -> None:
        assert reason(self.LINE.replace("48.1173", "x")) == "garbled"
        assert reason(self.LINE.replace("48.1173", "98.1")) == "no place on the globe"
        assert reason(self.LINE.replace("48.1173", "nan")) == "no place on the globe"

    def test_an_endless_sample_number_is_none(self) -> None:
        assert only(self.LINE.replace(",42,", f",{'9' * 5000},")).sequence == -1


class TestLines:
    HEADER = "Timestamp,MAC address,Gyroscope.x,Gyroscope.y,GPS.lat,GPS.long,GPS.alt,NMEA.a"

    def test_a_header_is_no_fix(self) -> None:
        assert reason(self.HEADER + "\r\n") == "header"
        assert reason("loggingTime,loggingSample,identifierForVendor,locationLatitude") == "header"

    def test_a_header_before_a_line(self) -> None:
        assert only(f"{self.HEADER}\r\n{TRAILER}\r\n").lat == 48.1173

    def test_why_the_line_after_the_header_has_no_fix(self) -> None:
        assert reason(f"{self.HEADER}\r\n0.0,0.0,0.0\r\n") == "no fix"
        assert reason(f"{self.HEADER}#{self.HEADER}#") == "header"

    @pytest.mark.parametrize("end", ["\r\n", "#", "\n", "#\r\n"])
    def test_all_lines_count(self, end: str) -> None:
        lines = [f"1700000000{i}00,{TRAILER}" for i in range(3)]
        times = [fix.time for fix in decode((end.join(lines) + end).encode())]
        assert times == [1_700_000_000.0, 1_700_000_000.1, 1_700_000_000.2]

    def test_one_broken_line_does_not_spoil_the_others(self) -> None:
        assert len(decode(f"{TRAILER}#xyz#{TRAILER}#".encode())) == 2

    def test_both_apps_on_one_port(self) -> None:
        assert len(decode(f"{TRAILER}\n{TestSensorLog.LINE}medic".encode())) == 2

    def test_not_text(self) -> None:
        assert reason(b"\xff\xfe\x00") == "garbled"


@given(fixes(device=st.sampled_from(["", MAC]), time=st.floats(315_964_800, 3_400_000_000)))
def test_hyperimu_tells_the_fix_again(fix: Fix) -> None:
    (again,) = decode(encode_hyperimu(fix))
    assert same(again.lat, fix.lat, 1e-5 / 60)
    assert same(again.lon, fix.lon, 1e-5 / 60)
    assert same(again.time, fix.time, 0.0051)
    assert same(again.alt, fix.alt, 0.001)
    assert same(again.speed, fix.speed, 0.001 * KNOT)
    assert same_course(again.course, fix.course, 0.01)
    assert same(again.battery, fix.battery, 0.0051)
    assert again.device == fix.device


@given(fixes(device=st.sampled_from(["", MAC])))
def test_hyperimu_without_sentences_tells_the_place(fix: Fix) -> None:
    (again,) = decode(encode_hyperimu(fix, rmc=False))
    assert same(again.lat, fix.lat, 1e-8)
    assert same(again.lon, fix.lon, 1e-8)
    assert same(again.time, fix.time, 0.00051)
    assert same(again.alt, fix.alt, 0.001)
    assert math.isnan(again.speed)
    assert again.device == fix.device


@given(fixes(device=st.sampled_from(["", "medic", "Läufer 2"]), sequence=st.integers(0, 10**9)))
def test_sensorlog_tells_the_fix_again(fix: Fix) -> None:
    (again,) = decode(encode_sensorlog(fix))
    assert same(again.lat, fix.lat, 1e-8)
    assert same(again.lon, fix.lon, 1e-8)
    assert same(again.time, fix.time, 1e-6)
    assert same(again.alt, fix.alt, 0.001)
    assert same(again.speed, fix.speed, 0.001)
    assert same_course(again.course, fix.course, 0.001)
    assert same(again.accuracy, fix.accuracy, 0.001)
    if not math.isnan(fix.alt):
        assert same(again.vertical_accuracy, fix.vertical_accuracy, 0.001)
    assert same(again.battery, fix.battery, 0.001)
    assert (again.device, again.sequence) == (fix.device, fix.sequence)


def sound_or_unreadable(data: bytes) -> None:
    try:
        found = decode(data)
    except Unreadable as reason:
        assert 0 < len(str(reason)) < 40
        return
    assert found
    for fix in found:
        assert_sound(fix)


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    sound_or_unreadable(data)


@given(st.text(alphabet="0123456789.,-+eE_#\r\n $*;:ANVSEWRMCGPnaif٣", max_size=200))
def test_any_text_of_the_kind(text: str) -> None:
    sound_or_unreadable(text.encode())


@given(
    st.sampled_from(sorted(ENCODERS)), fixes(), st.data(), st.binary(max_size=6), st.integers(0, 8)
)
def test_a_real_packet_with_a_piece_replaced(
    app: str, fix: Fix, data: st.DataObject, piece: bytes, cut: int
) -> None:
    packet = ENCODERS[app](fix)
    at = data.draw(st.integers(0, len(packet)))
    sound_or_unreadable(packet[:at] + piece + packet[at + cut :])
