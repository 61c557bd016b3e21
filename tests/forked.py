"""The command `movenv` in a process of its own that need not load everybody else's packages.

Half of what a short command takes is the loading of NumPy, Numba, SciPy and the like. Here one
process loads them once, and every command is a fork of it that loads the whole of movenv itself.
"""

import atexit
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing import get_context
from pathlib import Path

_forking = get_context("forkserver")
_forking.set_forkserver_preload(["tests.loaded"])


def _be_movenv(
    words: list[str], folder: str, environment: dict[str, str], out: str, err: str, nice: int
) -> None:
    """As `python -m movenv` would begin, with an exit code for its end."""
    for path, stream in ((out, 1), (err, 2)):
        os.dup2(os.open(path, os.O_WRONLY), stream)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    os.nice(max(nice - os.nice(0), 0))
    sys.argv = ["movenv", *words]
    try:
        runpy.run_module("movenv", run_name="__main__", alter_sys=True)
    finally:
        atexit._run_exitfuncs()  # multiprocessing leaves these out


def forked(
    words: list[str], folder: Path | str = ".", timeout: float = 120.0,
    environment: Mapping[str, str] = os.environ,
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """What a `movenv` with these words said."""
    with tempfile.TemporaryDirectory() as said:
        streams = [Path(said, name) for name in ("out", "err")]
        for path in streams:
            path.touch()
        told = (list(words), os.fspath(Path(folder).resolve()), dict(environment))
        process = _forking.Process(
            target=_be_movenv, args=(*told, *map(str, streams), os.nice(0)), daemon=False
        )
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(["movenv", *words], timeout)
        code = process.exitcode
        process.close()
        return subprocess.CompletedProcess(words, code, *(path.read_text() for path in streams))
