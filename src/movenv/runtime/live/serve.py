"""Starting a Core: the address first, so that a second Core is refused before it does harm."""

import os
import re
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from movenv import __version__
from movenv.runtime.live.bus import STATUS, Bus, BusError, BusRefused
from movenv.runtime.live.core import LiveCore, Resumed
from movenv.runtime.live.core_process import CoreProcess
from movenv.runtime.live.warm_up import warm_up
from movenv.runtime.recorded import run_record
from movenv.scenario.build import Stage
from movenv.world.neighbors import within

if TYPE_CHECKING:
    from movenv.runtime.keys import Credentials

_TURNED_AWAY = re.compile(
    r"WARN .*zenoh_link_.*(peer sent no certificates|invalid peer certificate: \w+"
    r"|received fatal alert: \w+|received corrupt message of type \w+)"
)
"""How Zenoh puts it that a peer has no certificate of ours; anything else is a broken link."""


def serve_core(
    stage: Stage,
    changes: list[str],
    endpoints: list[str],
    credentials: "Credentials | None",
    *,
    auto: bool,
    recorders: int,
    speed: float,
    run_id: str | None,
    resumed: Resumed | None,
    rehearsed: list[str],
    on_end: Callable[[Callable[[str], None]], None],
) -> None:
    """Run a Core until its run has ended. Raises BusError.

    `rehearsed` names the real vehicles whose phones are played.
    """
    lines = _catch_bus_log() if credentials else None
    try:
        bus = Bus.listen(endpoints, credentials)
    except BusError as error:
        raise BusRefused(f"{error}{_who_is_there(endpoints[0], credentials)}") from None
    with bus:
        live = LiveCore(
            stage, speed, auto, recorders, time.monotonic_ns(), run_id=run_id, resumed=resumed
        )
        record = run_record(stage, time.time(), changes, live.run_id, rehearsed)
        process = CoreProcess(live, bus, record, stage.document.source)
        if lines is not None:
            watch = threading.Thread(
                target=_watch_refusals, args=(lines, process.refusal), name="refusals", daemon=True
            )
            watch.start()
        on_end(process.stop)
        warm_up(stage)  # while the others are still starting
        within(np.empty((0, 3)), np.empty(0), np.empty((0, 3)))  # the radio needs it at any time
        print(
            f"Core {__version__} of '{stage.scenario.name}' at {', '.join(endpoints)}", flush=True
        )
        process.run()


def _who_is_there(endpoint: str, credentials: "Credentials | None") -> str:
    """Words on the Core that has the address, if it is one."""
    here = endpoint.replace("0.0.0.0", "127.0.0.1")
    try:
        bus = Bus.connect(here, credentials, patience=1)
        status = msgspec.json.decode(bus.ask(STATUS, b"", timeout=2))
        bus.close()
        told = f"'{status['scenario']}' in {status['state']}"
    except (BusError, msgspec.MsgspecError, KeyError, TypeError):
        return ""
    there = f"; the run {told} is there"
    return f"{there}. End it with movenv state stop --core {here}, or choose another --listen"


def _catch_bus_log() -> int:
    """Turn what the bus logs on standard output into a pipe; returns where to read it.

    Zenoh tells of a refused peer nowhere else. Our own words go where they went.
    """
    import zenoh

    os.environ["NO_COLOR"] = "1"
    ours = os.dup(1)
    read, write = os.pipe()
    os.dup2(write, 1)
    os.close(write)
    sys.stdout = os.fdopen(ours, "w", buffering=1)
    zenoh.init_log_from_env_or("warn")
    return read


def _watch_refusals(lines: int, refusal: Callable[[str], None]) -> None:
    with os.fdopen(lines, errors="replace") as log:
        for line in log:
            match = _TURNED_AWAY.search(line)
            if match:
                refusal(match[1])
