"""Requests of phone apps, told apart by what stands in them."""

from collections.abc import Callable
from typing import Any

import msgspec

from movenv.gateways.fix import Fix, Unreadable
from movenv.gateways.phone_http.json_apps import (
    read_owntracks,
    read_sensor_logger,
    read_sensorlog,
    read_traccar,
)
from movenv.gateways.phone_http.post import Post
from movenv.gateways.phone_http.query_apps import read_query
from movenv.gateways.phone_http.rehearsal import (
    encode_gpslogger,
    encode_osmand,
    encode_owntracks,
    encode_sensor_logger,
    encode_sensorlog,
    encode_traccar,
)
from movenv.gateways.phone_http.values import all_fixes

ENCODERS: dict[str, Callable[[Fix], Post]] = {
    "gpslogger": encode_gpslogger,
    "osmand": encode_osmand,
    "owntracks": encode_owntracks,
    "sensor_logger": encode_sensor_logger,
    "sensorlog_json": encode_sensorlog,
    "traccar": encode_traccar,
}


def decode(data: bytes) -> list[Fix]:
    """The fixes of a `Post` as bytes. Raises Unreadable if there is none.

    "no fix" and "no location" say that it was understood: the app need not send it again.
    """
    return read(Post.from_bytes(data))


def read(post: Post) -> list[Fix]:
    """The fixes of a request. Raises Unreadable if there is none."""
    parameters = post.parameters()
    user, token = post.credentials(parameters)
    if not post.is_json():
        if post.body.strip() and not parameters:
            raise Unreadable("garbled")
        fixes = [read_query(parameters)]
    else:
        try:
            document = msgspec.json.decode(post.body)
        except (msgspec.MsgspecError, RecursionError, ValueError) as error:
            raise Unreadable("garbled") from error
        items = document if isinstance(document, list) else [document]
        fixes = all_fixes(lambda item: _of_object(item, post), items)
    user = user or post.user
    return [_shown(fix, user, token) for fix in fixes]


def _shown(fix: Fix, user: str, token: str) -> Fix:
    return msgspec.structs.replace(fix, device=fix.device or user[:100], token=token[:200])


def _of_object(item: Any, post: Post) -> list[Fix]:
    if not isinstance(item, dict):
        raise Unreadable("garbled")
    if "_type" in item:
        return [read_owntracks(item, post.device)]
    if isinstance(item.get("payload"), list):
        return read_sensor_logger(item)
    if "location" in item:
        return read_traccar(item)
    if "locationLatitude" in item or "locationTimestamp_since1970" in item:
        return [read_sensorlog(item)]
    raise Unreadable("unknown format")
