"""The command line, one command a file."""

import sys

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130


def main() -> None:
    """The `movenv` command. Little is imported before Ctrl-C can be caught."""
    try:
        from movenv.cli.main import run

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
