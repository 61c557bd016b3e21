"""Settings in which all who carry a behavior must agree."""

from collections.abc import Iterator
from typing import Any

from movenv.scenario.document import Path_
from movenv.scenario.goals import carried_by
from movenv.scenario.load import Group


def disagreements(groups: list[Group]) -> Iterator[tuple[Path_, str]]:
    """Who differs from the first that carries the same behavior, with the place in the scenario."""
    first: dict[str, tuple[str, dict[str, Any]]] = {}
    for i, group in enumerate(groups):
        for path, chosen in carried_by(i, group):
            said = chosen.config.in_common()
            if not said:
                continue
            other, theirs = first.setdefault(chosen.name, (group.spec.name, said))
            for name, value in said.items():
                if value != theirs[name]:
                    yield (
                        path,
                        (
                            f"{name} of '{chosen.name}' is {value} for '{group.spec.name}' and "
                            f"{theirs[name]} for '{other}': those who may meet need the same"
                        ),
                    )
