"""How the compiled kernels are compiled: one set of options, one cache that cannot go stale.

Numba's own cache notices a change in the file of a kernel but not in the files of the functions
it inlines. Ours is keyed by every source file of the package, so an edited or upgraded package
never runs yesterday's machine code.
"""

import hashlib
import os
import shutil
from pathlib import Path

import numba
from numba import njit

PACKAGE = Path(__file__).resolve().parents[1]


def _source_digest() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    """Beside the package where that can be written, else the user's; None where neither can."""
    for place in (PACKAGE / "__pycache__", Path(os.environ.get("XDG_CACHE_HOME", "~/.cache"))):
        try:
            folder = place if place.name == "__pycache__" else place.expanduser() / "movenv"
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, RuntimeError):  # the latter: there is no home
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None


def _use_own_cache() -> bool:
    """Point Numba to a cache of ours; returns whether it holds kernels already."""
    if FOLDER is None:
        return False
    own = FOLDER / f"kernels-{_source_digest()}"
    numba.config.CACHE_DIR = str(own)  # type: ignore[attr-defined]
    if own.exists():
        return True
    for stale in FOLDER.glob("kernels-*"):
        shutil.rmtree(stale, ignore_errors=True)
    return False


FOLDER = _cache_folder()
COMPILED_BEFORE = _use_own_cache()
"""False when this is the first use of this very source."""

# A division by zero gives inf or nan as in NumPy: a Python exception in the middle of a loop
# would keep the loop from being vectorised.
kernel = njit(cache=FOLDER is not None, error_model="numpy", nogil=True)
"""Decorator of a compiled function that Python calls."""

inline = njit(error_model="numpy", forceinline=True)
"""Decorator of a compiled function that kernels call: always inlined, so that loops vectorise."""
