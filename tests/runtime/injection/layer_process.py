"""An injection layer on the bus as a process of its own: python layer_process.py ADDRESS.

It knows who is around without asking, so that a test can tell its scans from raw ones.
"""

import signal
import sys
import threading
from types import FrameType

from movenv.runtime.injection.process import InjectionProcess, Settings
from movenv.runtime.live.bus import Bus


def main(address: str) -> None:
    bus = Bus.connect(address)
    settings = Settings("me", "bus:test", "bus:test/altered")
    process = InjectionProcess(settings, lambda: bus)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        threading.Thread(target=process.stop, daemon=True).start()

    signal.signal(signal.SIGTERM, stop)
    print("up", flush=True)
    process.run()
    bus.close()


if __name__ == "__main__":
    main(sys.argv[1])
