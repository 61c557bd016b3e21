"""The ground as a scenario says it."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from movenv.parts.config import XY, AreaName, Name, Point, Span, Strict, exactly_one, lies_beside

FILES = (".geojson", ".json")
MAPS = (".yaml", ".yml")
IMAGES = (".png", ".pgm")
ELEVATIONS = (".tif", ".tiff")
KINDS = (
    "river", "lake", "canopy", "tree_line", "building", "island", "tree", "tower",
    "road", "bridge", "ford", "soil",
)  # fmt: skip
ONLY_LINES = ("road",)
"""Kinds that are a line with a width and nothing else."""
WITH_OVER = ("bridge", "ford")
WITH_SOIL = ("soil", "road", "bridge", "ford")

MOST_FEATURES = 10_000
"""In a scenario; a file has room for more."""
MOST_CORNERS, MOST_HOLES, MOST_HILLS = 10_000, 1_000, 1_000
MOST_KINDS = 100
MOST_SCATTERS, MOST_SCATTERED = 100, 200_000

FeatureKind = Literal[
    "river", "lake", "canopy", "tree_line", "building", "island", "tree", "tower",
    "road", "bridge", "ford", "soil",
]  # fmt: skip


Ring = Annotated[list[Point], Field(min_length=3, max_length=MOST_CORNERS)]


class Traits(Strict):
    """What a feature is, apart from its shape."""

    kind: FeatureKind = Field(description="what it is")
    width: float | None = Field(
        None, gt=0, le=10_000, description="of a line, m; roads and bridges: 6, tree lines: 4"
    )
    radius: float | None = Field(None, gt=0, le=1e5, description="around `at`, m")
    height: float | None = Field(
        None,
        gt=0,
        le=10_000,
        description="above the ground, m: what flies higher is not stopped; buildings 10, trees, "
        "tree lines 15, towers 50",
    )
    over: list[str] | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="what a bridge or ford crosses; default: the water it meets",
    )
    soil: str | None = Field(
        None, description="of `soils`, for soil; of a road, bridge or ford where it is not hard"
    )

    @model_validator(mode="after")
    def _goes_with_the_kind(self) -> "Traits":
        if self.over is not None and self.kind not in WITH_OVER:
            raise ValueError(f"a {self.kind} has no `over`; bridges and fords have")
        if self.soil is not None and self.kind not in WITH_SOIL:
            raise ValueError(f"a {self.kind} has no `soil`; {', '.join(WITH_SOIL)} have")
        if self.soil is None and self.kind == "soil":
            raise ValueError("says no `soil`: which one it is")
        return self


class Feature(Traits):
    """Something that stands or lies on the ground: a polygon, a line with a width, or a circle
    or rectangle around a place."""

    name: Name | None = Field(None, description="default: its kind and a number, as in river-1")
    polygon: Ring | None = Field(None, description="corners in order")
    holes: list[Ring] = Field(
        default_factory=list,
        max_length=MOST_HOLES,
        description="corners of parts of the polygon that are free",
    )
    line: list[Point] | None = Field(
        None, min_length=2, max_length=MOST_CORNERS, description="its middle line"
    )
    at: Point | None = Field(None, description="middle of a circle or rectangle")
    rectangle: XY | None = Field(None, description="width (east) and height (north), m")

    @model_validator(mode="after")
    def _one_shape(self) -> "Feature":
        exactly_one(self, ("polygon", "line", "at"))
        if self.holes and self.polygon is None:
            raise ValueError("holes are those of a polygon, and there is none")
        if self.kind in ONLY_LINES and self.line is None:
            raise ValueError(f"a {self.kind} is a line with a width")
        if self.width is not None and self.line is None:
            raise ValueError("width is that of a line, and there is none")
        if self.at is not None:
            exactly_one(self, ("radius", "rectangle"))
        elif self.radius is not None or self.rectangle is not None:
            raise ValueError("radius and rectangle need `at`, the place in their middle")
        if self.rectangle is not None and min(self.rectangle) <= 0:
            raise ValueError("both sides of a rectangle must be above 0")
        return self


class Soil(Strict):
    """What the ground is like, measured against dry asphalt."""

    mobility: float = Field(gt=0, le=1, description="share of speed and acceleration that is kept")
    grip: float = Field(1.0, gt=0, le=1, description="share of the braking that is kept")


class Hill(Strict):
    """A round hill with smooth slopes; below 0 high, a hollow."""

    at: Point = Field(description="its top")
    height: float = Field(ge=-5000, le=5000, description="of its top above the plain, m")
    radius: float = Field(gt=0, le=1e5, description="of its foot, m")


class Materials(Strict):
    """What the ground is made of: a second image as large as that of the heights."""

    file: str = Field(description="the image, .png or .pgm beside the scenario")
    kinds: dict[Annotated[int, Field(strict=False, ge=0, le=65_535)], str] = Field(
        min_length=1,
        max_length=MOST_KINDS,
        description="grey value: soil, of `soils`; other values are of the terrain's `soil`",
    )

    @model_validator(mode="after")
    def _is_an_image(self) -> "Materials":
        lies_beside(self.file, IMAGES)
        return self


class Relief(Strict):
    """How high the ground is: a grey image or an elevation model. What rises out of it by more
    than 1 m is a building, or if thin a tower."""

    file: str = Field(
        description="the image, .png or .pgm beside the scenario, or a GeoTIFF, .tif, in UTM or "
        "in WGS 84 latitude and longitude"
    )
    cell: float | None = Field(
        None, gt=0, le=10_000, description="side of a pixel, m; of a GeoTIFF default: its own"
    )
    center: Point | None = Field(
        None, description="where the middle of the image lies; default: the origin"
    )
    black: float | None = Field(
        None, ge=-20_000, le=20_000, description="height of the darkest value, m; default: 0"
    )
    white: float | None = Field(
        None, ge=-20_000, le=20_000, description="height of the brightest value there may be, m"
    )
    materials: Materials | None = Field(None, description="what it is made of")
    bed: bool = Field(
        False, description="whether it goes on below water, which is at z 0: then it stops hulls"
    )

    @model_validator(mode="after")
    def _can_be(self) -> "Relief":
        lies_beside(self.file, (*IMAGES, *ELEVATIONS))
        if self.is_image:
            if self.cell is None or self.white is None:
                raise ValueError("an image needs `cell`, m a pixel, and `white`, its height")
            if self.white <= (self.black or 0.0):
                black = self.black or 0.0
                raise ValueError(f"white, {self.white:g} m, is not above black, {black:g} m")
            return self
        for name in ("center", "black", "white"):
            if getattr(self, name) is not None:
                raise ValueError(f"{name} is for images: an elevation model says it itself")
        return self

    @property
    def is_image(self) -> bool:
        return self.file.endswith(IMAGES)


class Scatter(Strict):
    """Round obstacles in random places of an area, the same ones for the same seed."""

    kind: Literal["tree", "tower", "building", "island", "lake", "canopy"] = Field(
        "tree", description="what they are"
    )
    name: Name | None = Field(None, description="-1, -2, ... come behind it; default: the kind")
    count: int = Field(ge=1, le=100_000, description="how many")
    within: AreaName = Field(description="the area")
    radius: Span = Field((0.5, 1.5), description="least and greatest, m")
    height: float | None = Field(None, gt=0, le=10_000, description="as that of a feature, m")
    apart: float = Field(
        0.0, ge=0, le=10_000, description="least gap between them and to other features, m"
    )
    clear_of: list[str] = Field(default_factory=list, description="areas to leave free")

    @model_validator(mode="after")
    def _has_size(self) -> "Scatter":
        if not 0 < self.radius[0] <= self.radius[1] <= 1e5:
            raise ValueError(f"a radius of {self.radius[0]:g} m is not above 0")
        return self


class Terrain(Strict):
    """What stands and lies on the ground."""

    features: list[Feature] = Field(
        default_factory=list, max_length=MOST_FEATURES, description="one by one"
    )
    file: str | None = Field(
        None, description="more of them: .geojson beside the scenario, such as a map extract"
    )
    map: str | None = Field(
        None,
        description="of occupied cells: .yaml of a ROS map, with its image beside it; what scans "
        "see and `navigate` knows",
    )
    map_at: Point | None = Field(
        None, description="where the map has its own (0, 0); default: the scenario's"
    )
    scatter: list[Scatter] = Field(
        default_factory=list, max_length=MOST_SCATTERS, description="more of them, at random"
    )
    soils: dict[Name, Soil] = Field(
        default_factory=dict,
        description="by name, beside hard, gravel, grass, scrub, sand, mud, snow, ice, shallows",
    )
    soil: str = Field("hard", description="where no feature says otherwise")
    hills: list[Hill] = Field(
        default_factory=list, max_length=MOST_HILLS, description="their heights add up"
    )
    relief: Relief | None = Field(None, description="how high the ground is; default: a plain")

    @model_validator(mode="after")
    def _can_be(self) -> "Terrain":
        count = sum(scatter.count for scatter in self.scatter)
        if count > MOST_SCATTERED:
            said = f"{count:,} scattered obstacles; {MOST_SCATTERED:,} are the most in all"
            raise ValueError(said)
        if self.file is not None:
            lies_beside(self.file, FILES)
        if self.map is not None:
            lies_beside(self.map, MAPS)
        elif self.map_at is not None:
            raise ValueError("map_at needs `map`")
        return self

    @property
    def empty(self) -> bool:
        """Whether it says nothing of what stands or lies on the ground."""
        return not (self.features or self.file or self.scatter)
