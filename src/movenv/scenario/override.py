"""`--set path=value`: changing a scenario from the command line."""

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from movenv.parts.registry import suggestion
from movenv.scenario.document import Document, Path_
from movenv.scenario.errors import Problem, ScenarioError


def override(document: Document, assignment: str, said: str = "") -> None:
    """Set one value. A list item is named by its position or by its `name`.

    `time.duration=30`, `vehicles.uav.count=10`, `vehicles.0.behaviors.avoid=null` (null for a
    behavior removes it). `said` is how the user put it, for error messages.
    """
    said = said or f"--set {assignment}"
    keys, equals, text = assignment.partition("=")
    if not equals or not keys:
        raise _refuse(said, "expected path=value, as in time.duration=30")
    try:
        value = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, RecursionError) as error:
        raise _refuse(said, f"cannot read the value: {str(error).splitlines()[0]}") from None
    *outer, last = keys.split(".")
    target: Any = document.data
    path: Path_ = ()
    for key in outer:
        if isinstance(target, list):
            step: str | int = _position(target, key, said)
        elif isinstance(target, dict):
            step = key
            if target.get(key) is None:
                target[key] = {}
                document.changed[(*path, key)] = said
        else:
            raise _refuse(said, f"there is nothing inside which '{key}' could stand")
        target = target[step]
        path = (*path, step)
    _assign(document, target, path, last, value, said)


def _assign(document: Document, target: Any, path: Path_, last: str, value: Any, said: str) -> None:
    if isinstance(target, list):
        position = _position(target, last, said)
        target[position] = value
        path = (*path, position)
    elif not isinstance(target, dict):
        raise _refuse(said, f"there is nothing inside which '{last}' could stand")
    elif value is None and path and path[-1] == "behaviors":
        if last not in target:
            hint = suggestion(last, list(target))
            raise _refuse(said, f"there is no '{last}' to remove.{hint}")
        del target[last]
        return
    else:
        target[last] = value
        path = (*path, last)
    document.changed[path] = said


def _position(items: list[Any], key: str, said: str) -> int:
    if key.isdecimal() and len(key) < 10 and int(key) < len(items):
        return int(key)
    names = [item.get("name") for item in items if isinstance(item, dict)]
    if key in names:
        return names.index(key)
    known = [str(name) for name in names if name]
    raise _refuse(said, f"nothing is called '{key}'.{suggestion(key, known)}")


def _refuse(said: str, message: str) -> ScenarioError:
    return ScenarioError(said, [Problem(0, 0, message)])
