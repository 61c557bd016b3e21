"""Apps that post JSON: Sensor Logger, OwnTracks, Traccar Client from version 9, SensorLog."""

from movenv.gateways.fix import NAN, Fix, NothingInIt, Unreadable
from movenv.gateways.phone_http.values import (
    Fields,
    all_fixes,
    epoch,
    first_number,
    first_word,
    number,
    placed_fix,
)

KMH = 1 / 3.6
"""m/s."""


def read_sensor_logger(message: Fields) -> list[Fix]:
    """All places of a message, which may hold samples of many sensors. Raises Unreadable."""
    device = first_word(message, "deviceId")
    battery = NAN
    places = []
    for sample in message["payload"]:
        if not isinstance(sample, dict):
            continue
        # Some versions put the values beside the name and the time.
        beside = sample.get("values")
        values = beside if isinstance(beside, dict) else sample
        if sample.get("name") == "location":
            places.append((epoch(sample.get("time")), values))
        elif sample.get("name") == "battery":
            battery = number(values.get("batteryLevel"))

    def fix(place: tuple[float, Fields]) -> list[Fix]:
        time, values = place
        return [
            placed_fix(
                number(values.get("latitude")),
                number(values.get("longitude")),
                time=time,
                alt=first_number(values, "altitudeAboveMeanSeaLevel", "altitude"),
                speed=number(values.get("speed")),
                course=number(values.get("bearing")),
                accuracy=number(values.get("horizontalAccuracy")),
                vertical_accuracy=number(values.get("verticalAccuracy")),
                battery=battery,
                device=device,
            )
        ]

    return all_fixes(fix, places)


def read_owntracks(message: Fields, device: str) -> Fix:
    """`device` is what a header says. Raises Unreadable."""
    kind = message.get("_type")
    if kind == "encrypted":
        raise Unreadable("encrypted")
    if kind != "location":
        raise NothingInIt("no location")
    name = first_word(message, "topic").rstrip("/").rpartition("/")[2]  # owntracks/USER/DEVICE
    return placed_fix(
        number(message.get("lat")),
        number(message.get("lon")),
        time=epoch(message.get("tst")),
        alt=number(message.get("alt")),
        speed=number(message.get("vel")) * KMH,
        course=number(message.get("cog")),
        accuracy=number(message.get("acc")),
        vertical_accuracy=number(message.get("vac")),
        battery=number(message.get("batt")) / 100.0,
        device=name or device or first_word(message, "tid"),
    )


def read_traccar(message: Fields) -> list[Fix]:
    """Of one location or a list of them. Raises Unreadable."""
    device = first_word(message, "device_id", "deviceId", "id")

    def fix(location: object) -> list[Fix]:
        if not isinstance(location, dict) or not isinstance(location.get("coords"), dict):
            raise NothingInIt("no location")
        coords, battery = location["coords"], location.get("battery")
        return [
            placed_fix(
                number(coords.get("latitude")),
                number(coords.get("longitude")),
                time=epoch(location.get("timestamp")),
                alt=number(coords.get("altitude")),
                speed=number(coords.get("speed")),
                course=number(coords.get("heading")),
                accuracy=number(coords.get("accuracy")),
                battery=number(battery.get("level")) if isinstance(battery, dict) else NAN,
                device=device,
            )
        ]

    found = message["location"]
    return all_fixes(fix, found if isinstance(found, list) else [found])


def read_sensorlog(message: Fields) -> Fix:
    """All values are text. Raises Unreadable."""
    label = first_word(message, "label")
    named = label and number(label) != number(label)
    sequence = number(message.get("loggingSample"))
    return placed_fix(
        number(message.get("locationLatitude")),
        number(message.get("locationLongitude")),
        time=epoch(message.get("locationTimestamp_since1970")),
        alt=number(message.get("locationAltitude")),
        speed=number(message.get("locationSpeed")),
        course=number(message.get("locationCourse")),
        accuracy=number(message.get("locationHorizontalAccuracy")),
        vertical_accuracy=number(message.get("locationVerticalAccuracy")),
        battery=number(message.get("batteryLevel")),
        device=label if named else first_word(message, "deviceID", "identifierForVendor"),
        sequence=int(sequence) if 0.0 <= sequence < 2**53 else -1,
    )
