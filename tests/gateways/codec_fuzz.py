"""Looks for bytes that a codec cannot stand, guided by which of its lines they reach.

    python tests/gateways/codec_fuzz.py CODEC FOLDER [-max_total_time=60] [others of libFuzzer]

Ends with an error if anything but Unreadable is raised or a fix is nonsense. FOLDER is made; it
keeps the bytes that reach new lines, and those that break the codec as `crash-…`.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

CODECS = {
    "datagram": ("movenv.gateways.datagram.codec", "decode_datagram"),
    "gpsd": ("movenv.gateways.gpsd.codec", "decode_gpsd"),
    "gpx": ("movenv.gateways.playback.codec", "read_gpx"),
    "jaus": ("movenv.gateways.jaus.codec", "JausDecoder"),
    "jaus_fixes": ("movenv.gateways.jaus.fixes", "FixDecoder"),
    "join": ("movenv.gateways.join.codec", "decode"),
    "nmea": ("movenv.gateways.nmea.codec", "NmeaDecoder"),
    "phone_http": ("movenv.gateways.phone_http.codec", "decode"),
    "phone_http_request": ("movenv.gateways.phone_http.codec", "decode"),
    "phone_udp": ("movenv.gateways.phone_udp.codec", "decode"),
    "playback": ("movenv.gateways.playback.codec", "decode_point"),
}
"""Module and function, or class with `decode`. `ENCODERS` of a module give bytes to begin with."""
MORE_SEEDS = {
    "gpsd": [
        b'{"class":"TPV","device":"/dev/pts/1","mode":3,"time":"2026-11-15T12:00:00.000Z",'
        b'"lat":29.19,"lon":-81.04,"altMSL":12.0,"speed":1.4,"track":84.0,"epx":3.0,"epy":4.0}'
    ],
    "gpx": [
        b'<gpx version="1.1"><trk><trkseg><trkpt lat="29.19" lon="-81.04"><ele>3</ele>'
        b"<time>2026-11-15T12:00:00Z</time></trkpt></trkseg></trk></gpx>"
    ],
    "jaus": [
        bytes.fromhex("02001100190a017e0014017e000d00c80100"),
        bytes.fromhex("02001500010a017e0014017e0005044100ffffff0100"),
        bytes.fromhex("02001c00010a017e0014017e00f00101005802040000000224ff010100"),
        b"JAUS01.0" + bytes.fromhex("06020244010a017e0114017e0a000100030032c183293c4c5dc6"),
        b"JAUS01.0" + bytes.fromhex("46020800010a017e0114017e0800010002445802ff010000"),
    ],
    "join": [b'{"type":"fixes","fixes":[{"seq":1,"time":1774269319.25,"lat":29.19,"lon":-81.04}]}'],
    "playback": [b'{"lat":29.19,"lon":-81.04,"time":1774269319.25,"alt":3.0}'],
    "nmea": [b"$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W\r\n"],
}


def request(data: bytes) -> bytes:
    """Of a line of query, a line of authorization and a body.

    In a packed request hardly any change of a byte gets as far as what stands in it.
    """
    from movenv.gateways.phone_http.post import Post

    query, authorization, body = [*data.split(b"\n", 2), b"", b""][:3]
    return Post(
        query=query.decode(errors="replace"),
        body=body,
        authorization=authorization.decode(errors="replace"),
    ).as_bytes()


PACKED: dict[str, Callable[[bytes], bytes]] = {"phone_http_request": request}
"""How bytes become a packet, where they are not one."""


def seeds(codec: ModuleType) -> list[bytes]:
    """What real senders send."""
    from movenv.gateways.fix import sound_fix

    full = sound_fix(
        48.1173,
        -11.5167,
        time=1_774_269_319.25,
        alt=545.4,
        speed=11.5,
        course=84.4,
        accuracy=3.0,
        vertical_accuracy=4.0,
        battery=0.85,
        device="a4:50:46:12:9f:01",
        token="secret",
        sequence=7,
    )
    packets = [
        encode(fix)
        for encode in getattr(codec, "ENCODERS", {}).values()
        for fix in (full, sound_fix(-48.1, 11.5, device="medic"))
    ]
    found = []
    for packet in packets:
        if isinstance(packet, bytes):
            found.append(packet)
        else:
            found.append(packet.as_bytes())
            found.append(f"{packet.query}\n{packet.authorization}\n".encode() + packet.body)
    return found


def assert_tells_fixes(found: Any) -> None:
    from phones import assert_sound

    for fix in found:
        assert_sound(fix)


def assert_tells_places(found: Any) -> None:
    for lat, lon in zip(found.lat, found.lon, strict=True):
        assert -90 <= lat <= 90
        assert -180 <= lon <= 180


def assert_says_again(found: Any) -> None:
    """What was understood can be said, and is then understood the same."""
    from movenv.gateways.fix import Unreadable
    from movenv.gateways.jaus.codec import JausDecoder, encode

    for heard in found:
        if not isinstance(heard.said, Unreadable):
            (data,) = encode(heard.said, heard.packet, heard.dialect)
            (again,) = JausDecoder().decode(data)
            assert repr(again.said) == repr(heard.said)


SOUND: dict[str, Callable[[Any], None]] = {"gpx": assert_tells_places, "jaus": assert_says_again}
"""What must hold of what is found, where that is no list of fixes."""


def main(arguments: list[str]) -> None:
    import atheris

    name, folder, *options = arguments
    module, function = CODECS[name]
    with atheris.instrument_imports(
        include=[module.rpartition(".")[0], "movenv.gateways.nmea_sentence"]
    ):
        codec = import_module(module)
    pack = PACKED.get(name, bytes)
    sound = SOUND.get(name, assert_tells_fixes)
    from movenv.gateways.fix import Unreadable

    def one(data: bytes) -> None:
        decode = getattr(codec, function)
        decode = decode().decode if isinstance(decode, type) else decode
        try:
            found = decode(pack(data))
        except Unreadable:
            return
        sound(found)

    corpus = Path(folder)
    corpus.mkdir(parents=True, exist_ok=True)
    for i, packet in enumerate([*seeds(codec), *MORE_SEEDS.get(name, [])]):
        (corpus / f"seed-{i}").write_bytes(packet)
    ours = ["-max_len=2000", "-verbosity=0", f"-artifact_prefix={corpus}/"]
    atheris.Setup([sys.argv[0], *ours, *options, folder], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
