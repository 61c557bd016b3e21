"""What every part's configuration shares: the class is the file format."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """Unknown keys fail, text is not taken for a number, infinities are refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


class BehaviorConfig(Strict):
    """The settings that every behavior has."""

    priority: int = Field(1, ge=1, le=10_000, description="the highest active priority drives")


class ModelConfig(Strict):
    """The settings that every model has."""

    type: str = Field("kinematic", description="name of the model")


def _ascending(span: tuple[float, float]) -> tuple[float, float]:
    if span[0] > span[1]:
        raise ValueError(f"the first number, {span[0]:g}, is above the second, {span[1]:g}")
    return span


Span = Annotated[tuple[float, float], Field(strict=False), AfterValidator(_ascending)]
"""A range `[low, high]`."""


def _not_negative(span: tuple[float, float]) -> tuple[float, float]:
    if span[0] < 0:
        raise ValueError(f"a time cannot be negative, found {span[0]:g}")
    return span


TimeSpan = Annotated[Span, AfterValidator(_not_negative)]
"""A range of times `[low, high]`, s."""


@dataclass(frozen=True)
class Reference:
    """Marks a text field that must name something else in the scenario."""

    to: Literal["area", "notice level"]


AreaName = Annotated[str, Reference("area")]
"""The name of an area of the scenario."""

LevelName = Annotated[str, Reference("notice level")]
"""The name of a notice level of the scenario."""


class Sight:
    """Marks a field that says how far a behavior looks among the others."""


SightRange = Annotated[float, Sight()]
"""A distance, m, that must lie within the scenario's awareness range."""
