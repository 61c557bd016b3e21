"""The scenario format: each class is a piece of the file, and the reference is made of them."""

import math
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from movenv.parts.config import Name, Point, Strict, exactly_one
from movenv.scenario.map_schema import Map
from movenv.scenario.mission_schema import Mission
from movenv.scenario.order_schema import Order
from movenv.scenario.route_schema import Route
from movenv.scenario.terrain_schema import Terrain
from movenv.world.kinds import AERIAL_SUBKINDS, KINDS, Kind

STEP_TOLERANCE = 1e-9
MAX_STEPS = 10_000
MAX_TICKS = 10**9
MAX_VID = 2**32 - 1


class Origin(Strict):
    """Where local X, Y, Z are zero. Its UTM zone is the run's."""

    lat: float = Field(ge=-80, le=84, description="latitude, degrees")
    lon: float = Field(ge=-180, le=180, description="longitude, degrees")
    alt: float = Field(0.0, ge=-1000, le=20_000, description="altitude above mean sea level, m")


class Sector(Strict):
    """A part of the world with a step of its own."""

    area: str = Field(description="where")
    step: float = Field(gt=0, le=1, description="no longer than this there, s")


class Adaptive(Strict):
    """Steps that are halved for a vehicle as often as its speed or its sector asks for."""

    travel: float = Field(0.05, gt=0, le=1000, description="farthest that it may get in a step, m")
    finest: float = Field(0.001, gt=0, le=1, description="no step is shorter, s")
    sectors: list[Sector] = Field(
        default_factory=list,
        max_length=1000,
        description="where steps are finer whatever the speed",
    )


class Time(Strict):
    """How time is cut, and how long the run is."""

    step: float = Field(0.01, gt=0, le=1, description="integration step h, s")
    tick: float = Field(0.1, gt=0, le=10, description="report interval, s; a multiple of the step")
    duration: float = Field(60.0, gt=0, le=1e7, description="length of the run, s; whole ticks")
    adaptive: Adaptive | None = Field(
        None, description="then `step` is the coarsest; default: everyone has the same step"
    )

    @property
    def steps(self) -> int:
        return round(self.tick / self.step)

    @property
    def ticks(self) -> int:
        return math.ceil(self.duration / self.tick - STEP_TOLERANCE)

    @model_validator(mode="after")
    def _step_divides_tick(self) -> "Time":
        ratio = self.tick / self.step
        if round(ratio) < 1 or abs(ratio - round(ratio)) > STEP_TOLERANCE * ratio:
            raise ValueError(
                f"step {self.step:g} does not divide tick {self.tick:g}; "
                f"{self.tick / max(1, round(ratio)):g} would"
            )
        if ratio > MAX_STEPS:
            raise ValueError(f"{ratio:g} steps in a tick; {MAX_STEPS} are the most")
        if self.ticks > MAX_TICKS:
            raise ValueError(f"{self.ticks:g} ticks; {MAX_TICKS:g} are the most")
        return self


class World(Strict):
    """How far from the origin vehicles may start."""

    radius: float = Field(
        100_000.0, gt=0, le=100_000, description="m; frames are exact to a millimetre up to 100 km"
    )


class Area(Strict):
    """A region: one of square, rectangle, circle or polygon, and optionally heights."""

    square: float | None = Field(None, gt=0, le=2e5, description="side, m")
    rectangle: Annotated[tuple[float, float], Field(strict=False)] | None = Field(
        None, description="width (east) and height (north), m"
    )
    circle: float | None = Field(None, gt=0, le=1e5, description="radius, m")
    polygon: list[Point] | None = Field(None, min_length=3, description="corners in order")
    center: Point = Field((0.0, 0.0), description="middle of a square, rectangle or circle")
    floor: float | None = Field(None, description="lowest z, m")
    ceiling: float | None = Field(None, description="highest z, m")

    @model_validator(mode="after")
    def _one_shape(self) -> "Area":
        exactly_one(self, ("square", "rectangle", "circle", "polygon"))
        if self.rectangle and min(self.rectangle) <= 0:
            raise ValueError("both sides of a rectangle must be above 0")
        if self.polygon and "center" in self.model_fields_set:
            raise ValueError("a polygon has no center: its corners say where it is")
        if self.floor is not None and self.ceiling is not None and self.floor >= self.ceiling:
            raise ValueError(f"floor {self.floor:g} is not below ceiling {self.ceiling:g}")
        return self


class Line(Strict):
    """Evenly from one end to the other."""

    from_: Point = Field(alias="from", description="place of the first vehicle")
    to: Point = Field(description="place of the last vehicle")


class Grid(Strict):
    """Rows of vehicles around a center, first row in the south-west."""

    center: Point = Field((0.0, 0.0), description="middle of the grid")
    spacing: float = Field(gt=0, le=1e5, description="distance between neighbours, m")
    columns: int | None = Field(None, ge=1, description="vehicles in a row; default: a square grid")


class Start(Strict):
    """Where vehicles begin: one of within, at, points, line or grid."""

    within: str | None = Field(None, description="an area: random places in it")
    at: Point | None = Field(None, description="one place, for one vehicle")
    points: list[Point] | None = Field(None, min_length=1, description="one place a vehicle")
    line: Line | None = None
    grid: Grid | None = None
    z: float | None = Field(
        None, description="height of places without one, m; default by kind and area"
    )
    heading_deg: float | None = Field(
        None,
        ge=0,
        lt=360,
        description="degrees from true north; default: random within an area, else east",
    )
    speed: float | None = Field(
        None, ge=0, description="m/s; default: cruising speed, the lowest without behaviors"
    )

    @model_validator(mode="after")
    def _one_pattern(self) -> "Start":
        exactly_one(self, ("within", "at", "points", "line", "grid"))
        return self


KIND_PATTERN = (
    f"^(({'|'.join(k for k in KINDS if k != 'aerial')})(/[a-z0-9_-]+)?"
    f"|aerial/({'|'.join(AERIAL_SUBKINDS)}))$"
)


def _check_kind(text: str) -> str:
    Kind.parse(text)
    return text


class Vehicles(Strict):
    """One vehicle, or `count` of them alike."""

    name: Name = Field(description="several get -1, -2, ... behind it")
    count: int = Field(1, ge=1, le=1_000_000, description="how many")
    vid: int | None = Field(
        None, ge=1, le=MAX_VID, description="number of the first; default: the next free"
    )
    kind: Annotated[str, AfterValidator(_check_kind)] = Field(
        json_schema_extra={"pattern": KIND_PATTERN},
        description="pedestrian, ground, aerial/fixedwing, aerial/rotorcraft, surface, underwater",
    )
    model: dict[str, Any] = Field(
        default_factory=dict, description="mobility model: `type` and its settings"
    )
    unit: Name | None = Field(
        None, description="the unit they belong to; its first vehicle leads it"
    )
    characteristic_length: float | None = Field(
        None, gt=0, le=1000, description="m; scales the notice levels; default: the model's length"
    )
    start: Start = Field(
        Start(at=(0.0, 0.0)), description="default, for a real vehicle only: the origin"
    )
    behaviors: dict[str, dict[str, Any] | None] = Field(
        default_factory=dict,
        description="by name, or `./file.py:Class` beside the scenario; of equals the first wins",
    )
    sensors: dict[Name, dict[str, Any]] = Field(
        default_factory=dict,
        max_length=100,
        description="by a name of your choice: `type` and its settings",
    )
    footprint: Annotated[tuple[float, float], Field(strict=False)] | None = Field(
        None,
        description="length and width of the box that sensors of others meet, m; default by "
        "kind and the model's length",
    )
    body_height: float | None = Field(
        None, gt=0, le=1000, description="of that box, m; default by kind and width"
    )
    mission: Mission | None = Field(
        None, description="steps to take one after the other, on top of the behaviors"
    )
    payload: dict[str, Any] = Field(
        default_factory=dict, description="what each carries: keys of your own, for behaviors"
    )
    live: dict[str, Any] | None = Field(
        None,
        description="makes it real in a live run: `type`, the gateway it is heard through, and its "
        "settings; model and start then only serve rehearsals and fast runs, behaviors report what "
        "they find but do not drive, and a mission is followed as far as the vehicle takes it",
    )
    driver: Literal["person", "autonomy"] = Field(
        "person", description="who drives a real vehicle; for the fidelity rating"
    )

    @model_validator(mode="after")
    def _starts_somewhere(self) -> "Vehicles":
        if self.live is None and "start" not in self.model_fields_set:
            raise ValueError("a virtual vehicle needs a start")
        sides = self.footprint or (1.0, 1.0)
        if not 0 < min(sides) <= max(sides) <= 1000:
            raise ValueError("both sides of a footprint must be above 0 and at most 1000 m")
        return self

    @property
    def parsed_kind(self) -> Kind:
        return Kind.parse(self.kind)

    @property
    def names(self) -> list[str]:
        """How each of them is called."""
        if self.count == 1:
            return [self.name]
        return [f"{self.name}-{k}" for k in range(1, self.count + 1)]


def _descending(levels: dict[str, float]) -> dict[str, float]:
    values = list(levels.values())
    if sorted(set(values), reverse=True) != values:
        raise ValueError("levels go from the outermost inwards: each multiple below the one before")
    return levels


class Notices(Strict):
    """When two vehicles are told of each other."""

    levels: Annotated[
        dict[Name, Annotated[float, Field(gt=0, le=10_000)]], AfterValidator(_descending)
    ] = Field(
        default_factory=lambda: {"advisory": 20.0, "caution": 10.0, "warning": 5.0},
        min_length=1,
        max_length=16,
        description="multiples of the larger characteristic length, outermost first",
    )
    search: Literal["auto", "exact", "fast"] = Field(
        "auto", description="exact looks at every pair; auto does so for up to 64 vehicles"
    )


class Awareness(Strict):
    """How far vehicles know of each other in a live run."""

    range: float = Field(
        500.0,
        gt=0,
        le=1e6,
        description="m; a host is told of the vehicles within it of its own, on the ground",
    )


class LinkLoss(Strict):
    """What the vehicles of a host do in a live run while it does not hear the Core."""

    then: Literal["go_on", "hold"] = Field(
        "go_on", description="live on with what was last heard, or stand still"
    )
    after: float = Field(1.0, gt=0, le=3600, description="silence that counts as loss, s")


class Radio(Strict):
    """How messages travel from vehicle to vehicle."""

    range: float = Field(
        300.0, gt=0, le=1e6, description="who is this near when a message is sent hears it, m"
    )
    delay: float = Field(0.0, ge=0, le=3600, description="how long every message takes, s")
    jitter: float = Field(0.0, ge=0, le=3600, description="up to this much longer, at random, s")
    loss: float = Field(0.0, ge=0, le=1, description="chance that one hearer misses a message")


class Fidelity(Strict):
    """The test fidelity, each 0 (absent), 1 (virtual), 2 (mixed) or 3 (real), where it shall be
    another than computed."""

    vehicle: int | None = Field(None, ge=0, le=3, description="who is not on foot")
    sensors: int | None = Field(None, ge=0, le=3, description="who perceives others")
    algorithms: int | None = Field(None, ge=0, le=3, description="who decides by itself")
    environment: int | None = Field(None, ge=0, le=3, description="where all of them move")
    pedestrians: int | None = Field(None, ge=0, le=3, description="who is on foot")

    @property
    def claimed(self) -> dict[str, int]:
        """Those that are given, by name."""
        values: dict[str, int] = self.model_dump(exclude_none=True)
        return values


class Scenario(Strict):
    """A scenario file."""

    name: Name = Field(description="name of the scenario")
    description: str = Field("", description="one line for people")
    origin: Origin
    seed: int = Field(0, ge=0, lt=2**64, description="of all random numbers")
    time: Time = Time()
    world: World = World()
    areas: dict[Name, Area] = Field(default_factory=dict, description="by name")
    routes: dict[Name, Route] = Field(default_factory=dict, description="by name")
    terrain: Terrain = Terrain()
    vehicles: list[Vehicles] = Field(min_length=1, description="who takes part")
    orders: list[Order] = Field(
        default_factory=list, max_length=10_000, description="given during the run, by a script"
    )
    notices: Notices = Notices()
    awareness: Awareness = Awareness()
    link_loss: LinkLoss = LinkLoss()
    radio: Radio = Radio()
    map: Map = Map()
    fidelity: Fidelity = Field(
        Fidelity(), description="in place of what movenv computes: only those that are given"
    )

    @cached_property
    def vehicle_names(self) -> set[str]:
        """Of everyone who takes part."""
        return {name for group in self.vehicles for name in group.names}
