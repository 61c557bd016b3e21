"""Whole processes: memory for each further vehicle, and time from shell to exit."""

import subprocess
import sys
import tempfile
from importlib.util import find_spec

from movenv.bench.measure import Row, best_time

# The system tells the peak of the largest child only, so each is run by a process of its own. It
# counts kibibytes on Linux, bytes on macOS, and not at all on Windows.
PEAK = (
    "import resource, subprocess, sys;"
    "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)
MOVENV = [sys.executable, "-m", "movenv"]


def _peak_kib(command: list[str], folder: str) -> int:
    out = subprocess.run(
        [sys.executable, "-c", PEAK, *command],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return int(out.stdout) // (1024 if sys.platform == "darwin" else 1)


def memory(quick: bool) -> Row:
    few, many = (2_000, 12_000) if quick else (10_000, 100_000)
    with tempfile.TemporaryDirectory() as folder:
        peaks = []
        for count in (few, many):
            run = ["run", "swarm-10k", "--fast", "--duration", "3", "--record", f"{count}.mcap"]
            changes = [
                "--set",
                f"vehicles.0.count={count}",
                "--set",
                f"areas.sky.square={50 * count**0.5}",
            ]
            peaks.append(_peak_kib([*MOVENV, *run, *changes], folder))
        process = _peak_kib([sys.executable, "-c", "import numpy"], folder)
    return Row(
        what="memory for each further vehicle",
        value=(peaks[1] - peaks[0]) / (many - few),
        unit="KiB",
        target=2000 / 1024,
        better="lower",
        baseline="a Python process a vehicle, with NumPy imported",
        baseline_value=float(process),
    )


def startup(quick: bool) -> Row:
    run = [*MOVENV, "run", "hello", "--fast", "--duration", "10"]
    bare = [sys.executable, "-c", "import numpy, numba"]
    with tempfile.TemporaryDirectory() as folder:

        def once(command: list[str]) -> None:
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)

        once(run)
        repeats = 1 if quick else 5
        ours = best_time(lambda: once(run), repeats)
        baseline = best_time(lambda: once(bare), repeats)
    return Row(
        what="movenv run hello --fast --duration 10, second time",
        value=ours,
        unit="s",
        target=2.0,
        better="lower",
        baseline='python -c "import numpy, numba"',
        baseline_value=baseline,
    )


def measure(quick: bool) -> list[Row]:
    rows = [startup(quick)]
    if find_spec("resource"):
        rows.insert(0, memory(quick))
    return rows
