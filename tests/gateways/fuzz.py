"""Looks for bytes that a codec cannot stand, guided by which of its lines they reach.

    python tests/gateways/fuzz.py CODEC FOLDER [-max_total_time=60] [more options of libFuzzer]

Ends with an error if anything but Unreadable is raised or a fix is nonsense. FOLDER is made; it
keeps the bytes that reach new lines, and those that break the codec as `crash-…`.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

CODECS = {
    "phone_http": "movenv.gateways.phone_http.codec",
    "phone_http_request": "movenv.gateways.phone_http.codec",
    "phone_udp": "movenv.gateways.phone_udp.codec",
}
"""Each module has `decode`, and perhaps `ENCODERS`, which give the bytes to begin with."""


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
    with atheris.instrument_imports(
        include=[CODECS[name].rpartition(".")[0], "movenv.gateways.nmea_sentence"]
    ):
        codec = import_module(CODECS[name])
    pack = PACKED.get(name, bytes)
    from phones import assert_sound

    from movenv.gateways.fix import Unreadable

    def one(data: bytes) -> None:
        try:
            found = codec.decode(pack(data))
        except Unreadable:
            return
        for fix in found:
            assert_sound(fix)

    corpus = Path(folder)
    corpus.mkdir(parents=True, exist_ok=True)
    for i, packet in enumerate(seeds(codec)):
        (corpus / f"seed-{i}").write_bytes(packet)
    ours = ["-max_len=2000", "-verbosity=0", f"-artifact_prefix={corpus}/"]
    atheris.Setup([sys.argv[0], *ours, *options, folder], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
