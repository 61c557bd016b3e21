import json
import math
from base64 import b64encode
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from phones import assert_sound, fixes, same, same_course

from movenv.gateways.fix import NAN, Fix, Unreadable
from movenv.gateways.nmea_sentence import KNOT
from movenv.gateways.phone_http.codec import ENCODERS, decode, read
from movenv.gateways.phone_http.post import Post

NOON = 1_774_267_200.0
"""12:00 UTC on 23 March 2026."""


def posted(document: Any, **rest: str) -> Post:
    return Post(body=json.dumps(document).encode(), content_type="application/json", **rest)


def only(post: Post) -> Fix:
    (fix,) = decode(post.as_bytes())
    return fix


def reason(post: Post) -> str:
    with pytest.raises(Unreadable) as raised:
        read(post)
    return str(raised.value)


class TestSensorLogger:
    VALUES: ClassVar[dict[str, Any]] = {
        "latitude": 48.1173,
        "longitude": 11.5167,
        "altitude": 545.4,
        "speed": 1.25,
        "bearing": 84.4,
        "horizontalAccuracy": 3.0,
        "verticalAccuracy": 4.0,
    }

    def message(self, *samples: dict[str, Any]) -> Post:
        return posted({"messageId": 9, "sessionId": "s", "deviceId": "d-1", "payload": samples})

    def sample(self, seconds: float = 0.0, **changes: Any) -> dict[str, Any]:
        time = int((NOON + seconds) * 1e9)
        return {"name": "location", "time": time, "values": {**self.VALUES, **changes}}

    def test_a_location_among_other_sensors(self) -> None:
        wind = {"name": "accelerometer", "time": 1, "values": {"x": 1, "y": 2, "z": 3}}
        battery = {"name": "battery", "time": 1, "values": {"batteryLevel": 0.5}}
        fix = only(self.message(wind, self.sample(), battery))
        assert fix == Fix(
            48.1173, 11.5167, NOON, 545.4, 1.25, 84.4, 3.0, 4.0, battery=0.5, device="d-1"
        )

    def test_all_locations_count(self) -> None:
        post = self.message(*(self.sample(second) for second in range(5)))
        assert [fix.time - NOON for fix in read(post)] == [0, 1, 2, 3, 4]

    def test_the_values_may_stand_beside_the_time(self) -> None:
        fix = only(self.message({"name": "location", "time": int(NOON * 1e9), **self.VALUES}))
        assert (fix.lat, fix.time) == (48.1173, NOON)

    def test_negative_is_not_valid(self) -> None:
        fix = only(self.message(self.sample(speed=-1, bearing=-1, verticalAccuracy=-1)))
        assert all(map(math.isnan, (fix.speed, fix.course, fix.alt, fix.vertical_accuracy)))
        assert reason(self.message(self.sample(horizontalAccuracy=-1))) == "no fix"

    def test_one_place_that_is_none_does_not_spoil_the_others(self) -> None:
        assert len(read(self.message(self.sample(latitude=None), self.sample()))) == 1

    def test_no_location(self) -> None:
        assert reason(self.message()) == "no location"
        assert reason(self.message({"name": "gravity", "time": 1, "values": {}})) == "no location"


class TestOwnTracks:
    MESSAGE: ClassVar[dict[str, Any]] = {
        "_type": "location",
        "lat": 48.1173,
        "lon": 11.5167,
        "tst": int(NOON),
        "acc": 12,
        "alt": 545,
        "vel": 36,
        "cog": 270,
        "batt": 85,
        "tid": "mc",
    }

    def test_units(self) -> None:
        fix = only(posted(self.MESSAGE))
        assert fix.speed == pytest.approx(10.0)
        assert (fix.time, fix.alt, fix.course, fix.accuracy) == (NOON, 545, 270, 12)
        assert fix.battery == 0.85
        assert fix.device == "mc"

    def test_who_it_is(self) -> None:
        topic = {**self.MESSAGE, "topic": "owntracks/jane/medic"}
        basic = "Basic " + b64encode(b"anna:secret").decode()
        nameless = {key: self.MESSAGE[key] for key in ("_type", "lat", "lon")}
        assert only(posted(topic, device="phone")).device == "medic"
        assert only(posted(self.MESSAGE, device="phone", user="jane")).device == "phone"
        assert only(posted(nameless, user="jane")).device == "jane"
        assert only(posted(nameless, authorization=basic)).device == "anna"
        assert only(posted(nameless)).device == ""

    @pytest.mark.parametrize("kind", ["lwt", "status", "transition", "waypoint", "card", None, 1])
    def test_other_messages_have_no_location(self, kind: Any) -> None:
        assert reason(posted({**self.MESSAGE, "_type": kind})) == "no location"

    def test_what_is_encrypted_cannot_be_read(self) -> None:
        assert reason(posted({"_type": "encrypted", "data": "xyz"})) == "encrypted"


class TestTraccar:
    def test_json(self) -> None:
        coords = {
            "latitude": 48.1173,
            "longitude": 11.5167,
            "accuracy": 3.5,
            "altitude": 545.4,
            "speed": 10.0,
            "heading": 84.4,
        }
        location = {
            "timestamp": "2026-03-23T12:00:00.250Z",
            "coords": coords,
            "battery": {"level": 0.5, "is_charging": False},
            "is_moving": True,
        }
        fix = only(posted({"location": location, "device_id": "1234"}))
        assert fix == Fix(
            48.1173, 11.5167, NOON + 0.25, 545.4, 10.0, 84.4, 3.5, battery=0.5, device="1234"
        )
        still = {**location, "coords": {**coords, "heading": -1, "speed": -1}, "battery": None}
        fix = only(posted({"location": [still], "device_id": 1234}))
        assert math.isnan(fix.course)
        assert math.isnan(fix.speed)
        assert fix.device == "1234"

    @pytest.mark.parametrize("location", [None, 3, "here", [], {}, {"coords": []}, [[[]]]])
    def test_no_location(self, location: Any) -> None:
        assert reason(posted({"location": location, "device_id": "1"})) == "no location"

    def test_a_query_is_in_knots(self) -> None:
        query = "id=medic&lat=48.1173&lon=11.5167&timestamp=1774267200&speed=10&bearing=84.4"
        fix = only(Post(query=query + "&altitude=545.4&accuracy=3.5&batt=50"))
        assert fix.speed == pytest.approx(10 * KNOT)
        assert (fix.course, fix.alt, fix.accuracy, fix.battery) == (84.4, 545.4, 3.5, 0.5)
        assert (fix.device, fix.time) == ("medic", NOON)

    @pytest.mark.parametrize(
        "time",
        [
            "1774267200",
            "1774267200000",
            "2026-03-23T12:00:00Z",
            "2026-03-23T12:00:00.000Z",
            "2026-03-23T13:00:00%2B01:00",
            "2026-03-23+12:00:00",
            "2026-03-23%2012:00:00",
        ],
    )
    def test_times(self, time: str) -> None:
        assert only(Post(query=f"id=1&lat=48.1&lon=11.5&timestamp={time}")).time == NOON

    def test_other_names(self) -> None:
        post = Post(query="deviceid=medic&location=48.1,11.5&heading=84.4")
        fix = only(post)
        assert (fix.device, fix.lat, fix.lon, fix.course) == ("medic", 48.1, 11.5, 84.4)

    def test_a_form_is_as_good_as_a_query(self) -> None:
        assert only(Post(body=b"id=medic&lat=48.1&lon=11.5")).device == "medic"

    def test_what_is_not_valid_is_no_fix(self) -> None:
        assert reason(Post(query="id=1&lat=48.1&lon=11.5&valid=false")) == "no fix"
        assert only(Post(query="id=1&lat=48.1&lon=11.5&valid=true"))


class TestGpsLogger:
    ALL = (
        "lat=48.1173&lon=11.5167&sat=9&desc=&alt=545.4&acc=3.0&dir=84.4&prov=gps&spd=10.0"
        "&timestamp=1774267200&time=2026-03-23T12:00:00.250Z&starttimestamp=1774260000"
        "&date=2026-03-23&batt=50.0&aid=abc123&ser=unknown&act=&filename=x&profile=y"
    )

    @pytest.mark.parametrize("where", ["query", "body"])
    def test_all(self, where: str) -> None:
        post = Post(query=self.ALL) if where == "query" else Post(body=self.ALL.encode())
        assert only(post) == Fix(
            48.1173, 11.5167, NOON + 0.25, 545.4, 10.0, 84.4, 3.0, battery=0.5, device="abc123"
        )

    def test_a_local_time_is_not_believed(self) -> None:
        post = Post(query=self.ALL.replace("T12:00:00.250Z", "T14:00:00.250"))
        assert only(post).time == NOON

    def test_the_network_knows_no_direction_or_speed(self) -> None:
        fix = only(Post(query=self.ALL.replace("prov=gps", "prov=network")))
        assert math.isnan(fix.speed)
        assert math.isnan(fix.course)

    def test_zeros_that_mean_nothing(self) -> None:
        query = self.ALL.replace("alt=545.4", "alt=0.0").replace("acc=3.0", "acc=0.0")
        fix = only(Post(query=query.replace("dir=84.4", "dir=0.0").replace("spd=10.0", "spd=0.0")))
        assert all(map(math.isnan, (fix.alt, fix.accuracy, fix.course)))
        assert fix.speed == 0.0

    def test_a_template_that_was_not_filled_is_no_fix(self) -> None:
        assert reason(Post(query="lat=%25LAT&lon=%25LON&spd=%25SPD")) == "no fix"


class TestSensorLog:
    MESSAGE: ClassVar[dict[str, Any]] = {
        "loggingSample": "42",
        "locationTimestamp_since1970": "1774267200.250000",
        "locationLatitude": "48.1173",
        "locationLongitude": "11.5167",
        "locationAltitude": "545.4",
        "locationSpeed": "1.25",
        "locationCourse": "84.4",
        "locationHorizontalAccuracy": "3.0",
        "locationVerticalAccuracy": "4.0",
        "batteryLevel": "0.85",
        "deviceID": "my_iOS_device",
        "label": "0",
    }

    def test_all_values_are_text(self) -> None:
        assert only(posted(self.MESSAGE)) == Fix(
            48.1173,
            11.5167,
            NOON + 0.25,
            545.4,
            1.25,
            84.4,
            3.0,
            4.0,
            0.85,
            "my_iOS_device",
            sequence=42,
        )

    def test_a_label_that_is_a_word_is_the_name(self) -> None:
        assert only(posted({**self.MESSAGE, "label": "medic"})).device == "medic"

    def test_a_course_of_minus_one_is_none(self) -> None:
        assert math.isnan(only(posted({**self.MESSAGE, "locationCourse": "-1.0"})).course)

    def test_several_samples(self) -> None:
        assert len(read(posted([self.MESSAGE, {**self.MESSAGE, "locationLatitude": "48.2"}]))) == 2

    def test_before_the_first_location(self) -> None:
        assert reason(posted({**self.MESSAGE, "locationLatitude": "null"})) == "no fix"


class TestToken:
    QUERY = "id=medic&lat=48.1&lon=11.5"

    def test_where_it_may_be(self) -> None:
        basic = "Basic " + b64encode(b"anna:se:cret").decode()
        assert only(Post(query=self.QUERY)).token == ""
        assert only(Post(query=self.QUERY, authorization="Bearer secret")).token == "secret"
        assert only(Post(query=self.QUERY, authorization="bearer  secret ")).token == "secret"
        assert only(Post(query=self.QUERY, authorization=basic)).token == "se:cret"
        assert only(Post(query=self.QUERY + "&token=secret")).token == "secret"
        assert only(Post("/t/secret", self.QUERY)).token == "secret"
        assert only(Post("/t/secret/more", self.QUERY)).token == "secret"
        assert only(Post("/x/secret", self.QUERY)).token == ""

    @pytest.mark.parametrize(
        "header", ["Basic", "Basic ?", "Basic /w==", "Digest x", "Bearer", " "]
    )
    def test_a_broken_header_shows_nothing(self, header: str) -> None:
        assert only(Post(query=self.QUERY, authorization=header)).token == ""

    def test_the_name_in_the_message_counts_before_the_user(self) -> None:
        basic = "Basic " + b64encode(b"anna:secret").decode()
        assert only(Post(query=self.QUERY, authorization=basic)).device == "medic"
        assert only(Post(query="lat=48.1&lon=11.5", authorization=basic)).device == "anna"


@pytest.mark.parametrize(
    ("post", "expected"),
    [
        (Post(), "no location"),
        (Post(query="token=secret"), "no location"),
        (Post(query="hello=world"), "unknown format"),
        (Post(query="&".join(f"a{i}=1" for i in range(300))), "garbled"),
        (Post(body=b"{"), "garbled"),
        (Post(body=b"[" * 100_000), "garbled"),
        (Post(body=b'{"a":' * 100_000), "garbled"),
        (posted({}), "unknown format"),
        (posted([]), "no location"),
        (posted([1, "x"]), "garbled"),
        (posted({"payload": 3}), "unknown format"),
        (Post(query="lat=x&lon=y"), "no fix"),
        (Post(query="lat=48.1"), "no fix"),
        (Post(query="lat=0&lon=0"), "no fix"),
        (Post(query="lat=98&lon=0"), "no place on the globe"),
        (Post(query="lat=inf&lon=0"), "no place on the globe"),
        (posted({"_type": "location", "lat": True, "lon": True}), "no fix"),
        (posted({"_type": "location", "lat": 10**400, "lon": 1}), "no fix"),
        (posted({"_type": "location", "lat": [48.1], "lon": 1}), "no fix"),
    ],
)
def test_no_fix(post: Post, expected: str) -> None:
    assert reason(post) == expected


def test_bytes_that_are_no_request() -> None:
    with pytest.raises(Unreadable, match="garbled"):
        decode(b"\xc1")


RESOLUTION = {
    #                 place  time    alt   speed        course accuracy vertical battery
    "gpslogger": (1e-7, 0.001, 0.001, 0.001, 0.001, 0.001, NAN, 0.0006),
    "osmand": (1e-7, 0.5, 0.001, 0.001 * KNOT, 0.001, 0.001, NAN, 0.0006),
    "owntracks": (1e-7, 0.5, 0.5, 0.5 / 3.6, 0.5, 0.5, 0.5, 0.005),
    "sensor_logger": (0.0, 1e-6, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "sensorlog_json": (1e-8, 1e-6, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001),
    "traccar": (0.0, 0.001, 0.0, 0.0, 0.0, 0.0, NAN, 0.0),
}

MOVING = fixes(
    device=st.sampled_from(["medic", "Läufer 2", "a4:50:46:12:9f:01"]),
    token=st.sampled_from(["", "secret", "pä ss+&%"]),
    speed=st.floats(0.5, 300),
    accuracy=st.floats(1, 5000),
    vertical_accuracy=st.floats(1, 5000),
)


@pytest.mark.parametrize("app", sorted(ENCODERS))
@given(fix=MOVING)
def test_each_app_tells_the_fix_again(app: str, fix: Fix) -> None:
    place, time, alt, speed, course, accuracy, vertical, battery = RESOLUTION[app]
    again = only(ENCODERS[app](fix))
    assert same(again.lat, fix.lat, place)
    assert same(again.lon, fix.lon, place)
    assert same(again.time, fix.time, time)
    assert same(again.alt, fix.alt, alt)
    assert same(again.speed, fix.speed, speed)
    if app != "gpslogger" or not math.isnan(fix.course):  # it has no way to say that
        assert same_course(again.course, fix.course, course)
    assert same(again.accuracy, fix.accuracy, accuracy)
    if not math.isnan(vertical) and not math.isnan(fix.alt):
        assert same(again.vertical_accuracy, fix.vertical_accuracy, vertical)
    assert same(again.battery, fix.battery, battery)
    assert (again.device, again.token) == (fix.device, fix.token)


@pytest.mark.parametrize(
    "app", ["owntracks", "osmand", "sensor_logger", "sensorlog_json", "traccar"]
)
@given(fix=fixes(device=st.just("medic")))
def test_what_is_not_known_stays_unknown(app: str, fix: Fix) -> None:
    again = only(ENCODERS[app](fix))
    for field in ("time", "alt", "speed", "course", "battery"):
        assert math.isnan(getattr(again, field)) == math.isnan(getattr(fix, field))


def sound_or_unreadable(data: bytes) -> None:
    try:
        found = decode(data)
    except Unreadable as unreadable:
        assert 0 < len(str(unreadable)) < 40
        return
    assert found
    for fix in found:
        assert_sound(fix)
        fix.device.encode()
        fix.token.encode()


NAMES = [
    "_type", "location", "payload", "values", "name", "time", "coords", "latitude", "longitude",
    "lat", "lon", "tst", "timestamp", "battery", "level", "device_id", "topic", "tid", "vel", "spd",
    "locationLatitude", "locationLongitude", "label", "altitude", "speed", "horizontalAccuracy",
]  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(NAMES),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=8)
    ),
    max_leaves=20,
)


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    sound_or_unreadable(data)


@given(st.text(), st.text(), st.binary(), st.text(), st.text())
def test_any_request(path: str, query: str, body: bytes, authorization: str, name: str) -> None:
    post = Post(path, query, body, authorization=authorization, device=name)
    sound_or_unreadable(post.as_bytes())


@given(ANYTHING)
def test_any_json(document: Any) -> None:
    sound_or_unreadable(posted(document).as_bytes())


@given(st.sampled_from(sorted(ENCODERS)), MOVING, st.data())
def test_a_real_message_with_a_value_replaced(app: str, fix: Fix, data: st.DataObject) -> None:
    post = ENCODERS[app](fix)
    if not post.is_json():
        return
    document = json.loads(post.body)
    inner = document
    while isinstance(inner, dict | list) and inner:
        keys = sorted(inner) if isinstance(inner, dict) else range(len(inner))
        key = data.draw(st.sampled_from(keys))
        if data.draw(st.booleans()) or not isinstance(inner[key], dict | list):
            inner[key] = data.draw(ANYTHING)
            break
        inner = inner[key]
    sound_or_unreadable(posted(document).as_bytes())


@given(st.sampled_from(sorted(ENCODERS)), MOVING, st.data(), st.binary(max_size=6))
def test_a_real_request_with_a_piece_replaced(
    app: str, fix: Fix, data: st.DataObject, piece: bytes
) -> None:
    packet = ENCODERS[app](fix).as_bytes()
    at, cut = data.draw(st.integers(0, len(packet))), data.draw(st.integers(0, 8))
    sound_or_unreadable(packet[:at] + piece + packet[at + cut :])
