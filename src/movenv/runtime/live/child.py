"""One process that a launcher has started."""

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

RESTARTS = 5
"""How often a process that was killed may be started within a while."""


@dataclass
class Child:
    """One process of the run."""

    name: str
    again: Callable[[], list[str]]
    """How to start it once more."""
    process: "subprocess.Popen[str]"
    outsider: bool = False
    companion: bool = False
    starts: deque[float] = field(default_factory=lambda: deque(maxlen=RESTARTS))
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=20))
    failed: bool = False
    sent_home: bool = False

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None


def spawn(arguments: list[str]) -> "subprocess.Popen[str]":
    """Start `movenv ARGUMENTS`."""
    return subprocess.Popen(
        [sys.executable, "-m", "movenv", *arguments],
        stdin=subprocess.PIPE,  # its end tells them that we are gone
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,  # a Ctrl-C is ours to pass on
        env=os.environ | {"MOVENV_ATTACHED": "1", "PYTHONUNBUFFERED": "1"},
    )
