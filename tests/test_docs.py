"""What the documentation promises, this runs."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.forked import forked

from movenv.scenario.load import shipped_scenarios

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"\A# file: (\S+)\n")


def blocks(page: Path, *languages: str) -> list[tuple[str, str]]:
    return [(kind, text) for kind, text in BLOCK.findall(page.read_text()) if kind in languages]


def commands(page: Path) -> list[str]:
    lines = "".join(text for _, text in blocks(page, "console")).splitlines()
    return [line[2:] for line in lines if line.startswith(("$ movenv", "$ pytest"))]


def typed(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a line that is typed into a terminal says."""
    if words.startswith("movenv ") and not set(words) & set("|&;<>$*`"):
        return forked(shlex.split(words)[1:], folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        words, shell=True, cwd=folder, env=os.environ | {"PATH": path},
        capture_output=True, text=True,
    )  # fmt: skip


FIRST_READ = [ROOT / "README.md", *(ROOT / "docs" / "tutorial").glob("*.md")]
RUNNABLE = [page for page in PAGES if commands(page) or "# run: yes" in page.read_text()]


@pytest.mark.parametrize(
    "page",
    [
        page if page in FIRST_READ else pytest.param(page, marks=pytest.mark.long)
        for page in RUNNABLE
    ],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_every_command_and_program_on_the_page_runs(page: Path, tmp_path: Path) -> None:
    for kind, text in blocks(page, "console", "yaml", "python"):
        if kind == "console":
            for line in text.splitlines():
                if line.startswith(("$ movenv", "$ pytest")):
                    words = line[2:].split("#")[0]
                    done = typed(words, tmp_path)
                    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        elif match := FILE.match(text):
            (tmp_path / match[1]).write_text(text)
            if kind == "python":
                compile(text, match[1], "exec")
        elif text.startswith("# run: yes"):
            done = subprocess.run(
                [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_reference_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def readme_scenario() -> str:
    (text,) = [text for _, text in blocks(ROOT / "README.md", "yaml")]
    return text


def test_the_scenario_in_the_readme_is_the_shipped_one() -> None:
    shown = YAML(typ="safe", pure=True).load(readme_scenario())
    shipped = YAML(typ="safe", pure=True).load(shipped_scenarios()["three-uavs"].read_text())
    assert shown == {key: shipped[key] for key in shown}


def test_the_error_in_the_readme_is_what_one_gets(tmp_path: Path) -> None:
    (tmp_path / "three-uavs.yaml").write_text(readme_scenario().replace("avoid:", "avoids:"))
    done = subprocess.run(
        [sys.executable, "-m", "movenv", "check", "three-uavs.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert f"`{done.stderr.strip()}`" in (ROOT / "README.md").read_text()


def test_the_second_behavior_of_the_tutorial_runs(tmp_path: Path) -> None:
    page = ROOT / "docs" / "tutorial" / "your-own-behavior.md"
    for _, text in blocks(page, "python", "yaml"):
        (tmp_path / FILE.match(text)[1]).write_text(text)
    contest = (tmp_path / "contest.yaml").read_text()
    (tmp_path / "columns.yaml").write_text(
        contest.replace("./brake_early.py:BrakeEarly", "./brake_columns.py:SlowDown")
    )
    done = subprocess.run(
        [sys.executable, "-m", "movenv", "run", "columns.yaml", "--fast", "--no-record"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "slow_down" in done.stdout, done.stderr
