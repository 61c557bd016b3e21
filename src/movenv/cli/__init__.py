"""The command line, one command a file."""

import atexit
import os
import signal
import sys
from typing import NoReturn

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
        _leave(INTERRUPTED)
    except SystemExit as over:
        if isinstance(over.code, str):
            raise
        _leave(over.code or DONE)


def _leave(code: int) -> NoReturn:
    """As `sys.exit`, but threads of the bus that are still ending may outlive the interpreter:
    Zenoh's abort where they find it gone."""
    if "zenoh" not in sys.modules:
        sys.exit(code)
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # whoever read it is gone
        code = code or FAILED
    os._exit(code)
