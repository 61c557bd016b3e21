"""The command line, one command a file."""

import os
import signal
import sys

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130


def main() -> None:
    """The `movenv` command."""
    # While modules are imported an exception can come out as another one; and until a command
    # has something to lose, there is nothing to tidy up.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        from movenv.cli.main import run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
