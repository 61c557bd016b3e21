"""What every part's configuration shares: the class is the file format."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag
from pydantic.fields import FieldInfo


class Strict(BaseModel):
    """Unknown keys fail, text is not taken for a number, infinities are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=80)]
"""How things in a scenario are called."""


class GeoPoint(Strict):
    """A place on the globe."""

    lat: float = Field(ge=-90, le=90, description="latitude, degrees")
    lon: float = Field(ge=-180, le=180, description="longitude, degrees")
    alt: float | None = Field(None, description="altitude above mean sea level, m")


XY = Annotated[tuple[float, float], Field(strict=False)]
XYZ = Annotated[tuple[float, float, float], Field(strict=False)]


def _point_form(value: Any) -> str:
    if isinstance(value, dict | GeoPoint):
        return "geo"
    return "xyz" if isinstance(value, list | tuple) and len(value) >= 3 else "xy"


Point = Annotated[
    Annotated[XY, Tag("xy")] | Annotated[XYZ, Tag("xyz")] | Annotated[GeoPoint, Tag("geo")],
    Discriminator(_point_form),
]
"""A place: `[x, y]` or `[x, y, z]` in local metres, or `{lat, lon, alt}`."""


def exactly_one(model: Any, names: tuple[str, ...]) -> None:
    """Raise ValueError unless just one of these fields was given."""
    given = [name for name in names if getattr(model, name) is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none"
        raise ValueError(f"expected exactly one of {', '.join(names)}; found {found}")


def lies_beside(file: str, endings: tuple[str, ...]) -> None:
    """Raise ValueError unless this names such a file beside the scenario, or in a folder there.

    A scenario may come from anyone and be read on any system, so what leads elsewhere on one of
    them is refused on all.
    """
    path = PurePosixPath(file)
    if path.suffix not in endings:
        raise ValueError(f"'{file}' is none of {', '.join(endings)}")
    elsewhere = path.anchor or PureWindowsPath(file).anchor or "\\" in file
    if elsewhere or ".." in path.parts:
        raise ValueError(f"'{file}' does not lie beside the scenario")


class BehaviorConfig(Strict):
    """The settings that every behavior has."""

    priority: int = Field(1, ge=1, le=10_000, description="the highest active priority drives")

    def in_common(self) -> dict[str, Any]:
        """Settings in which all who carry this behavior, and have any of them, must agree."""
        return {}


class ModelConfig(Strict):
    """The settings that every model has."""

    type: str = Field("kinematic", description="name of the model")


class Mount(Strict):
    """Where a sensor is on its vehicle."""

    x: float = Field(0.0, ge=-1000, le=1000, description="forward of the vehicle's place, m")
    y: float = Field(0.0, ge=-1000, le=1000, description="to the left, m")
    z: float = Field(0.0, ge=-1000, le=1000, description="up, m")
    yaw_deg: float = Field(0.0, ge=-360, le=360, description="to the left, degrees")
    pitch_deg: float = Field(0.0, ge=-90, le=90, description="upward, degrees")
    roll_deg: float = Field(0.0, ge=-360, le=360, description="to the right, degrees")


class SensorConfig(Strict):
    """The settings that every sensor has."""

    type: str = Field(description="name of the sensor, or `./file.py:Class` beside the scenario")
    mount: Mount = Field(Mount(), description="where it is on its vehicle")
    rate: float = Field(10.0, gt=0, le=10_000, description="measurements a second")
    dropout: float = Field(0.0, ge=0, le=1, description="chance that a measurement is lost")
    publish: bool = Field(True, description="whether a live run puts it on the bus")


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

    to: Literal["area", "notice level", "route", "vehicle"]


AreaName = Annotated[str, Reference("area")]
"""The name of an area of the scenario."""

LevelName = Annotated[str, Reference("notice level")]
"""The name of a notice level of the scenario."""


RouteName = Annotated[str, Reference("route")]
"""The name of a route of the scenario."""

VehicleName = Annotated[str, Reference("vehicle")]
"""The name of a vehicle of the scenario. Whoever names one is told of it however far away it is."""


class Sight:
    """Marks a field that says how far a behavior looks among the others."""


SightRange = Annotated[float, Sight()]
"""A distance, m, that must lie within the scenario's awareness range."""


class Goal:
    """Marks a place that a vehicle shall reach: one inside an obstacle that stops it is refused."""


GoalPoint = Annotated[Point, Goal()]
"""A place that can be reached, as far as the scenario's terrain tells."""


def marks_of(field: FieldInfo) -> Iterator[Any]:
    """What a field of a config is marked with, also where it may be left out."""
    yield from field.metadata
    pending = [field.annotation]
    while pending:
        annotation = pending.pop()
        yield from getattr(annotation, "__metadata__", ())
        pending.extend(get_args(annotation))
