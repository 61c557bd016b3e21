"""Garbage in, a ScenarioError out: never anything else."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from movenv.scenario.build import build
from movenv.scenario.document import parse_document
from movenv.scenario.errors import ScenarioError
from movenv.scenario.load import load_document, shipped_scenarios

TEXTS = {
    name: path.read_text()
    for name, path in shipped_scenarios().items()
    if name not in ("swarm-10k", "simnet-1000")
}
FOLDER = shipped_scenarios()["three-uavs"].parent
"""So that the files which they name are there."""
QUIET = settings(deadline=None, suppress_health_check=list(HealthCheck))


def assert_survives(text: str, *changes: str) -> None:
    """Loads and builds, or is refused in words at a place."""
    try:
        build(load_document(parse_document(text, "fuzz.yaml", FOLDER), list(changes), {}))
    except ScenarioError as refusal:
        assert all(line for line in refusal.lines())


@settings(QUIET, max_examples=200)
@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    assert_survives(text)


@settings(QUIET, max_examples=200)
@given(st.text(alphabet="{}[]:,-&*!|>'\"%@`#?~ \n\tab01.", max_size=120))
def test_yaml_punctuation(text: str) -> None:
    assert_survives(text)


VALUES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=8),
    st.lists(st.floats(), max_size=4),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)


def paths(data: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [here] if here else []
    items = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in items:
        found += paths(value, (*here, key))
    return found


@settings(QUIET, max_examples=250)
@given(name=st.sampled_from(sorted(TEXTS)), choice=st.integers(0, 10_000), value=VALUES)
def test_any_value_in_any_place(name: str, choice: int, value: Any) -> None:
    from io import StringIO

    data = YAML(typ="safe", pure=True).load(TEXTS[name])
    every = paths(data)
    *outer, last = every[choice % len(every)]
    target = data
    for key in outer:
        target = target[key]
    target[last] = value
    # Large fleets are legal and slow to place; they are not what is tested here.
    if isinstance(value, int) and last == "count" and value > 1000:
        return
    out = StringIO()
    try:
        YAML(typ="safe", pure=True).dump(data, out)
    except Exception:
        return
    assert_survives(out.getvalue())


@settings(QUIET, max_examples=200)
@given(
    name=st.sampled_from(sorted(TEXTS)),
    at=st.integers(0, 5000),
    junk=st.text(max_size=5),
    cut=st.integers(0, 20),
)
def test_torn_and_scribbled_files(name: str, at: int, junk: str, cut: int) -> None:
    text = TEXTS[name]
    at %= len(text)
    assert_survives(text[:at] + junk + text[at + cut :])


@settings(QUIET, max_examples=200)
@given(path=st.text(alphabet="vehiclstmuprdon.0123=[]{}-", max_size=30), value=st.text(max_size=10))
def test_any_assignment(path: str, value: str) -> None:
    assert_survives(TEXTS["hello"], f"{path}={value}")


def test_a_bomb_of_aliases_is_refused() -> None:
    bomb = "a0: &a0 [x, x]\n" + "\n".join(
        f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 40)
    )
    with pytest.raises(ScenarioError, match="beyond reason"):
        parse_document(bomb, "bomb.yaml", Path())


def test_binary_files_are_refused(tmp_path: Path) -> None:
    from movenv.scenario.document import read_document

    file = tmp_path / "x.yaml"
    file.write_bytes(b"name: x\n\xff\xfe\x00")
    with pytest.raises(ScenarioError, match=r":2:1: is not UTF-8"):
        read_document(file)
