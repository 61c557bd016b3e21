"""What processes that run have used, from the system's tables (Linux)."""

import os
from pathlib import Path


def processor_seconds(pid: int) -> float:
    """User and system time so far, s."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pid_of(*words: str) -> int:
    """The process whose command line has all of these words."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if all(word.encode() in line for word in words):
                return int(entry.name)
    raise LookupError(f"no process {' '.join(words)}")
