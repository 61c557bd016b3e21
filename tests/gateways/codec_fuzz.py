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

CODECS = {
    "datagram": ("movenv.gateways.datagram.codec", "decode_datagram"),
    "gpsd": ("movenv.gateways.gpsd.codec", "decode_gpsd"),
    "gpx": ("movenv.gateways.playback.codec", "read_gpx"),
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


def main(arguments: list[str]) -> None:
    import atheris

    name, folder, *options = arguments
    module, function = CODECS[name]
    with atheris.instrument_imports(
        include=[module.rpartition(".")[0], "movenv.gateways.nmea_sentence"]
    ):
        codec = import_module(module)
    pack = PACKED.get(name, bytes)
    from phones import assert_sound

    from movenv.gateways.fix import Unreadable
    from movenv.gateways.part import Track

    def one(data: bytes) -> None:
        decode = getattr(codec, function)
        decode = decode().decode if isinstance(decode, type) else decode
        try:
            found = decode(pack(data))
        except Unreadable:
            return
        if isinstance(found, Track):
            for lat, lon in zip(found.lat, found.lon, strict=True):
                assert -90 <= lat <= 90
                assert -180 <= lon <= 180
            return
        for fix in found:
            assert_sound(fix)

    corpus = Path(folder)
    corpus.mkdir(parents=True, exist_ok=True)
    for i, packet in enumerate([*seeds(codec), *MORE_SEEDS.get(name, [])]):
        (corpus / f"seed-{i}").write_bytes(packet)
    ours = ["-max_len=2000", "-verbosity=0", f"-artifact_prefix={corpus}/"]
    atheris.Setup([sys.argv[0], *ours, *options, folder], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
