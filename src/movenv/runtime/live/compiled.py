"""Whether the kernels that a scenario needs were compiled on this machine before."""

import hashlib
from pathlib import Path
from typing import Any

import numba
from pydantic import BaseModel

from movenv.scenario.build import Stage
from movenv.world.kernel import COMPILED_BEFORE, FOLDER


def is_compiled(stage: Stage) -> bool:
    """By a note beside the kernels; one for each kind of scenario, whatever its numbers are."""
    return COMPILED_BEFORE and _note(stage).exists()


def note_compiled(stage: Stage) -> None:
    if FOLDER is not None:
        note = _note(stage)
        note.parent.mkdir(exist_ok=True)
        note.touch()


def _note(stage: Stage) -> Path:
    parts = set[Any]()
    for group in stage.loaded.groups:
        parts.add(group.model.__qualname__)
        parts |= {(chosen.name, _words(chosen.config)) for chosen in group.carried}
        parts |= {(chosen.part.__qualname__, _words(chosen.config)) for chosen in group.sensors}
    terrain = stage.scenario.terrain
    parts.add(tuple(sorted(terrain.model_fields_set)) if terrain is not None else ())
    digest = hashlib.sha256(repr(sorted(map(repr, parts))).encode()).hexdigest()[:16]
    return Path(numba.config.CACHE_DIR) / f"compiled-{digest}"  # type: ignore[attr-defined]


def _words(config: BaseModel) -> tuple[str, ...]:
    """Choices among ways to do something, which have kernels of their own."""
    return tuple(f"{name}={value}" for name, value in config if isinstance(value, str | bool))
