"""Routes as a scenario says them."""

from typing import Annotated

from pydantic import Field, model_validator

from movenv.parts.config import Point, Strict, exactly_one, lies_beside

FILES = (".gpx", ".kml", ".geojson", ".json", ".waypoints", ".plan")


class Slow(Strict):
    """A stretch of a route to be taken slowly, such as a speed bump."""

    at: float = Field(ge=0, le=1e7, description="where it begins, m along the route")
    over: float = Field(5.0, gt=0, le=1e6, description="how long it is, m")
    speed: float = Field(gt=0, le=1000, description="m/s")


class Stop(Strict):
    """Where to stop on a route."""

    at: float = Field(ge=0, le=1e7, description="m along the route")
    wait: float = Field(2.0, ge=0, le=86_400, description="s")


class Route(Strict):
    """A way: its points, or a file that has them."""

    points: list[Point] | None = Field(None, min_length=2, description="corners in order")
    file: str | None = Field(
        None,
        description="beside the scenario: .gpx, .kml, .geojson, or a mission planner's "
        ".waypoints or .plan",
    )
    closed: bool = Field(False, description="the last point leads back to the first")
    speed: float | None = Field(
        None, gt=0, le=1000, description="m/s; default: the file's, or the cruising speed of each"
    )
    speeds: list[Annotated[float, Field(gt=0, le=1000)]] | None = Field(
        None, description="m/s on the way from each point to the next"
    )
    slow: list[Slow] = Field(default_factory=list, description="slow stretches")
    stops: list[Stop] = Field(default_factory=list, description="where to stop")

    @model_validator(mode="after")
    def _one_source(self) -> "Route":
        exactly_one(self, ("points", "file"))
        if self.speed is not None and self.speeds is not None:
            raise ValueError("expected speed or speeds; found both")
        if self.file is not None:
            lies_beside(self.file, FILES)
        return self
