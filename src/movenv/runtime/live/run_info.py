"""What the Core tells everybody of its run."""

import msgspec

from movenv.recording.layouts import RunRecord
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus, BusError
from movenv.runtime.live.wire import Garbled, RunInfo


def run_info(bus: Bus) -> tuple[RunInfo, RunRecord]:
    """What does not change during a run, from the Core. Raises BusError."""
    try:
        info = wire.decode(RunInfo, bus.ask(keys.RUN, b"", timeout=10))
        return info, msgspec.json.decode(info.record, type=RunRecord)
    except (Garbled, msgspec.MsgspecError) as error:
        raise BusError(f"what answers is no Core of this version: {error}") from None
