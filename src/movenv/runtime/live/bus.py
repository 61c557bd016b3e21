"""The bus: one Zenoh session, opened by explicit addresses only.

Nothing is discovered and nothing listens but the Core. An address beyond this machine must be
encrypted, and then both sides show a certificate of the run's own authority.
"""

import ipaddress
import json
import re
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import zenoh

from movenv.runtime.errors import RunFailed, WrongInput

if TYPE_CHECKING:
    from movenv.runtime.keys import Credentials

DEFAULT_CORE = "tcp/127.0.0.1:7450"
ROOT = "movenv"
BEACON = f"{ROOT}/beacon"
RECORDS = f"{ROOT}/records"
RECORDS_AGAIN = f"{ROOT}/records_again"
JOIN = f"{ROOT}/join"
COMMAND = f"{ROOT}/command"
MARK = f"{ROOT}/mark"
ORDER = f"{ROOT}/order"
STATUS = f"{ROOT}/status"
RUN = f"{ROOT}/run"
AROUND = f"{ROOT}/around"
SECURE = ("tls", "quic")
LEASE, QUIC_LEASE = 2000, 15_000
"""Silence after which a link counts as broken and is made anew, ms. One over a bad network takes
longer to make than to wait for."""
ASK_AGAIN = 0.05
SIGNS_OF_LIFE = 15
"""How many are sent in that time over a bad network, where most may be lost."""
_ENDPOINT = re.compile(r"(?P<protocol>[a-z]+)/(?P<host>\[[^\]]+\]|[^:/\[\]]+):(?P<port>\d{1,5})")


def report_key(host: str) -> str:
    return f"{ROOT}/report/{host}"


def awareness_key(host: str) -> str:
    return f"{ROOT}/awareness/{host}"


def news_key(host: str) -> str:
    return f"{ROOT}/news/{host}"


def gateway_key(host: str) -> str:
    """Where a gateway answers its operator."""
    return f"{ROOT}/gateway/{host}"


def alive_key(host: str) -> str:
    return f"{ROOT}/alive/{host}"


def recorder_key(name: str) -> str:
    return f"{ROOT}/recorder/{name}"


def watcher_key(name: str) -> str:
    """Of somebody whom the Core should not leave alone at the end."""
    return f"{ROOT}/watcher/{name}"


def sensor_key(vid: int | str, name: str) -> str:
    """Of what a sensor of a vehicle measures; `*` stands for any."""
    return f"{ROOT}/sensor/{vid}/{name}"


def injection_key(vehicle: str) -> str:
    """Where the injection layer of a vehicle is switched."""
    return f"{ROOT}/injection/{vehicle}"


def scan_key(name: str) -> str:
    """Of scans between a vehicle's programs."""
    return f"{ROOT}/scan/{name}"


def scan_writer_key(name: str) -> str:
    """Of the injection layer that writes there."""
    return f"{ROOT}/scan_writer/{name}"


class BusError(RunFailed):
    """The bus cannot be used; the message is for the user."""


class BusRefused(WrongInput):
    """What was asked for is wrong: an address, or a lack of keys."""


def check_endpoint(endpoint: str, credentials: "Credentials | None") -> None:
    """Refuse what is no address, and what would travel in the open. Raises BusRefused."""
    match = _ENDPOINT.fullmatch(endpoint)
    if not match or not 0 < int(match["port"]) < 65536:
        raise BusRefused(
            f"'{endpoint}' is no address; one is {DEFAULT_CORE} or tls/192.168.1.5:7450"
        )
    protocol = match["protocol"]
    if protocol not in ("tcp", *SECURE):
        raise BusRefused(f"'{endpoint}': {protocol} is not spoken; use tcp, tls or quic")
    if protocol in SECURE and credentials is None:
        raise BusRefused(f"'{endpoint}' needs keys: --keys FOLDER; movenv keys makes them")
    if protocol == "tcp" and not _is_loopback(match["host"]):
        raise BusRefused(
            f"'{endpoint}' would leave this machine unencrypted: use tls/ or quic/ with --keys"
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _config(
    mode: str, endpoints: list[str], credentials: "Credentials | None", **settings: Any
) -> zenoh.Config:
    config = zenoh.Config()
    bad_network = any(endpoint.startswith("quic/") for endpoint in endpoints)
    common = {
        "mode": mode,
        "scouting/multicast/enabled": False,
        "scouting/gossip/enabled": False,
        "scouting/delay": 0,
        # Segments of a killed process would stay behind.
        "transport/shared_memory/enabled": False,
        "transport/link/tx/lease": QUIC_LEASE if bad_network else LEASE,
        "transport/link/tx/keep_alive": SIGNS_OF_LIFE if bad_network else 4,
        "transport/link/tx/queue/size": {
            "control": 2, "real_time": 16, "interactive_high": 16, "interactive_low": 4,
            "data_high": 16, "data": 16, "data_low": 4, "background": 4,
        },
        "transport/link/tx/queue/congestion_control/drop/wait_before_drop": 20_000,
    }  # fmt: skip
    if credentials is not None:
        common["transport/link/tls"] = credentials.tls()
    for key, value in (common | settings).items():
        config.insert_json5(key, json.dumps(value))
    return config


def _with_datagrams(endpoint: str) -> str:
    """Over QUIC, let what is fleeting travel as datagrams beside the streams."""
    return f"{endpoint}?mixed_rel=1" if endpoint.startswith("quic/") else endpoint


class Bus:
    """An open session. Handlers are called from threads of the bus."""

    def __init__(self, session: zenoh.Session) -> None:
        self._session = session
        self._kept: list[Any] = []
        self._senders: dict[tuple[str, bool, bool, bool], Callable[[bytes], None]] = {}

    @classmethod
    def listen(cls, endpoints: list[str], credentials: "Credentials | None") -> "Bus":
        """The Core's side. Raises BusError, also when the address is taken."""
        for endpoint in endpoints:
            check_endpoint(endpoint, credentials)
        listen = [_with_datagrams(endpoint) for endpoint in endpoints]
        config = _config("router", endpoints, credentials, **{"listen/endpoints": listen})
        try:
            return cls(zenoh.open(config))
        except zenoh.ZError as error:
            raise BusError(f"cannot listen on {', '.join(endpoints)}: {_reason(error)}") from None

    @classmethod
    def connect(
        cls, endpoint: str, credentials: "Credentials | None" = None, patience: float = 5.0
    ) -> "Bus":
        """The side of everyone else; a link that breaks is made anew. Raises BusError."""
        check_endpoint(endpoint, credentials)
        config = _config(
            "client",
            [endpoint],
            credentials,
            **{
                "listen/endpoints": [],
                "connect/endpoints": [_with_datagrams(endpoint)],
                "connect/timeout_ms": round(patience * 1000),
                "connect/retry": {
                    "period_init_ms": 100,
                    "period_max_ms": 500,
                    "period_increase_factor": 1.5,
                },
            },
        )
        try:
            return cls(zenoh.open(config))
        except zenoh.ZError:
            refused = ", or it refuses these keys" if credentials else ""
            raise BusError(f"no Core answers at {endpoint}{refused}") from None

    def hear(self, key: str, handler: Callable[[str, bytes], None]) -> Callable[[], None]:
        """Call with the last piece of the key and the data of everything sent to it.

        What is returned ends it; not to be called by the handler.
        """

        def on_sample(sample: zenoh.Sample) -> None:
            handler(str(sample.key_expr).rsplit("/", 1)[-1], sample.payload.to_bytes())

        subscriber = self._session.declare_subscriber(key, on_sample)
        self._kept.append(subscriber)

        def leave() -> None:
            self._kept.remove(subscriber)
            subscriber.undeclare()  # type: ignore[no-untyped-call]

        return leave

    def sender(
        self, key: str, *, urgent: bool, patient: bool = False, fleeting: bool = False
    ) -> Callable[[bytes], None]:
        """A way to send to a key. What is not `patient` is dropped where the link is full.

        What is `fleeting` is not sent again when a datagram is lost: the next is on its way.
        """
        way = key, urgent, patient, fleeting
        if way in self._senders:  # whoever comes and goes leaves no more than one behind
            return self._senders[way]
        control = zenoh.CongestionControl.BLOCK if patient else zenoh.CongestionControl.DROP
        reliability = zenoh.Reliability.BEST_EFFORT if fleeting else zenoh.Reliability.RELIABLE
        publisher = self._session.declare_publisher(
            key,
            congestion_control=control,
            priority=zenoh.Priority.REAL_TIME if urgent else zenoh.Priority.DATA,
            express=urgent,
            reliability=reliability,
        )
        self._kept.append(publisher)

        def send(data: bytes) -> None:
            publisher.put(data)

        self._senders[way] = send
        return send

    def sender_on_demand(self, key: str, noted: Callable[[bool], None]) -> Callable[[bytes], None]:
        """A way to send what may be dropped; `noted` is told whenever somebody begins to listen,
        or nobody does any more, in a thread of the bus."""
        publisher = self._session.declare_publisher(
            key, congestion_control=zenoh.CongestionControl.DROP, priority=zenoh.Priority.DATA_LOW
        )
        listener = publisher.declare_matching_listener(lambda status: noted(status.matching))
        self._kept += [publisher, listener]
        return lambda data: publisher.put(data)

    def answer(self, key: str, handler: Callable[[bytes], bytes]) -> None:
        """Answer questions; the handler is called in a thread of the bus."""

        def on_query(query: zenoh.Query) -> None:
            with query:
                asked = query.payload.to_bytes() if query.payload else b""
                query.reply(key, handler(asked))

        self._kept.append(self._session.declare_queryable(key, on_query))

    def ask(self, key: str, data: bytes, timeout: float = 5.0) -> bytes:
        """One answer. Raises BusError when none comes.

        A Core that is starting can be reached before it listens to questions: then nobody answers,
        at once, and it is asked again.
        """
        until = time.monotonic() + timeout
        while (left := until - time.monotonic()) > 0:
            for reply in self._session.get(
                key, payload=data, timeout=left, congestion_control=zenoh.CongestionControl.BLOCK
            ):
                if reply.ok is not None:
                    answer: bytes = reply.ok.payload.to_bytes()
                    return answer
            time.sleep(ASK_AGAIN)
        raise BusError("the Core does not answer")

    def be_alive(self, key: str) -> Callable[[], None]:
        """Let others see for how long this session lasts; what is returned ends it before."""
        token = self._session.liveliness().declare_token(key)
        self._kept.append(token)

        def withdraw() -> None:
            token.undeclare()  # type: ignore[no-untyped-call]

        return withdraw

    def watch_alive(self, key: str, handler: Callable[[str, bool], None]) -> None:
        """Call with the last piece of a key whenever its session comes or goes."""

        def on_change(sample: zenoh.Sample) -> None:
            handler(str(sample.key_expr).rsplit("/", 1)[-1], sample.kind == zenoh.SampleKind.PUT)

        self._kept.append(
            self._session.liveliness().declare_subscriber(key, on_change, history=True)
        )

    def __enter__(self) -> "Bus":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the session: one that is left open keeps its process from ending."""
        self._kept.clear()
        self._senders.clear()
        try:
            self._session.close()  # type: ignore[no-untyped-call]
        except zenoh.ZError as error:  # over a bad link even a farewell may not get through
            print(f"the bus was left without a farewell: {_reason(error)}", file=sys.stderr)


def _reason(error: zenoh.ZError) -> str:
    text = str(error)
    return "the address is in use" if "in use" in text else text.split(" at /")[0]
