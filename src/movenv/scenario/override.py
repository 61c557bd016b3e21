"""`--set path=value`: changing a scenario from the command line."""

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from movenv.parts.registry import suggestion
from movenv.scenario.document import Document, Path_
from movenv.scenario.errors import Problem, ScenarioError


def override(document: Document, assignment: str) -> None:
    """Set one value. A list item is named by its position or by its `name`.

    `time.duration=30`, `vehicles.uav.count=10`, `vehicles.0.behaviors.avoid=null` (null for a
    behavior removes it).
    """
    keys, equals, text = assignment.partition("=")
    if not equals or not keys:
        raise _refuse(assignment, "expected path=value, as in time.duration=30")
    try:
        value = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError) as error:
        raise _refuse(assignment, f"cannot read the value: {str(error).splitlines()[0]}") from None
    *outer, last = keys.split(".")
    target: Any = document.data
    path: Path_ = ()
    for key in outer:
        target, step = _inside(target, key, assignment)
        path = (*path, step)
    if isinstance(target, list):
        position = _position(target, last, assignment)
        target[position] = value
        path = (*path, position)
    elif not isinstance(target, dict):
        raise _refuse(assignment, f"'{'.'.join(outer)}' has nothing inside it")
    elif value is None and outer and outer[-1] == "behaviors":
        if last not in target:
            raise _refuse(
                assignment, f"there is no '{last}' to remove.{suggestion(last, list(target))}"
            )
        del target[last]
    else:
        target[last] = value
        path = (*path, last)
    document.changed[path] = f"--set {assignment}"


def _inside(target: Any, key: str, assignment: str) -> tuple[Any, str | int]:
    if isinstance(target, list):
        position = _position(target, key, assignment)
        return target[position], position
    if isinstance(target, dict):
        if target.get(key) is None:
            target[key] = {}
        return target[key], key
    raise _refuse(assignment, f"there is nothing inside which '{key}' could stand")


def _position(items: list[Any], key: str, assignment: str) -> int:
    if key.isdecimal() and int(key) < len(items):
        return int(key)
    names = [item.get("name") for item in items if isinstance(item, dict)]
    if key in names:
        return names.index(key)
    known = [str(name) for name in names if name]
    raise _refuse(assignment, f"nothing is called '{key}'.{suggestion(key, known)}")


def _refuse(assignment: str, message: str) -> ScenarioError:
    return ScenarioError(f"--set {assignment}", [Problem(0, 0, message)])
