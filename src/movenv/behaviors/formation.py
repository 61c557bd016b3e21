"""Keep a station in a formation behind, beside or before a leader."""

from typing import Annotated, ClassVar

import numpy as np
from pydantic import model_validator

from movenv.behaviors.detour import detour
from movenv.behaviors.guidance import numbers
from movenv.behaviors.shapes import Shape, Side
from movenv.behaviors.stations import Keeping, Stations
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    Setup,
    VehicleName,
    VehicleStates,
)
from movenv.world.columns import U4, Mask, Rows

Station = Annotated[tuple[float, float], Field(strict=False)]


class FormationConfig(BehaviorConfig):
    """Keep a station in the formation of one's unit; the leader goes where it likes.

    While the leader is not heard, the first of the unit that is leads. Where obstacles leave no
    room for a station, it moves to behind the leader until there is room again.
    """

    leader: VehicleName | None = Field(
        None, description="whom to follow, real or virtual; default: the first of the unit"
    )
    shape: Shape | None = Field(
        None, description="how the unit stands; default, without stations: wedge"
    )
    side: Side = Field("right", description="where an echelon trails")
    stations: list[Station] | None = Field(
        None,
        min_length=1,
        max_length=10_000,
        description="in place of a shape: [ahead, left] of the leader, m, one a follower",
    )
    spacing: float | None = Field(
        None, gt=0, le=1e5, description="between neighbours, m; default: four of the longest"
    )
    p_s: float = Field(
        1.5, ge=0, le=600, description="how far ahead stations are projected, p_s, s of the way"
    )
    p_o: float | None = Field(
        None, gt=0, le=1e5, description="and in any case, p_o, m; default: two lengths"
    )
    e_max: float | None = Field(
        None,
        ge=0,
        le=1e5,
        description="who is ahead of the projected station by less waits for it, e_max, m; "
        "default: two spacings",
    )
    straggler: float | None = Field(
        None,
        gt=0,
        le=1e6,
        description="who is farther from its station rejoins as fast as it may, m; "
        "default: eight spacings",
    )
    speed: float | None = Field(
        None, gt=0, le=1000, description="limit, m/s; default: what the vehicle can do"
    )
    visibility: float = Field(
        200.0, gt=0, le=1e6, description="obstacles are known once they come so near, m"
    )
    clearance: float | None = Field(
        None,
        ge=0,
        le=1e4,
        description="how far to stay away from obstacles, m; default: as `move_to` does",
    )

    @model_validator(mode="after")
    def _one_form(self) -> "FormationConfig":
        if self.shape is not None and self.stations is not None:
            raise ValueError("give a shape or stations, not both")
        if self.stations is not None:
            if len(set(self.stations)) < len(self.stations):
                raise ValueError("two stations are at one place")
            if (0.0, 0.0) in self.stations:
                raise ValueError("a station lies where the leader is")
        return self


class Formation(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = FormationConfig

    def __init__(self, setup: Setup) -> None:
        round_ = detour(setup, setup.config.visibility, numbers(setup, "clearance"))
        self._stations = Stations(setup, round_)
        configs, group = setup.config.each()
        row = np.searchsorted(setup.roster.vids, setup.vids)
        unit = np.array(setup.roster.unit or [-1] * len(setup.roster), int)[row]
        if (unit < 0).any():
            name = setup.roster.names[row[np.argmax(unit < 0)]]
            raise ValueError(f"'{name}' belongs to no unit: give its entry a unit")
        self._forms = []
        for config, number in sorted(set(zip(group.tolist(), unit.tolist(), strict=True))):
            rows = np.flatnonzero((group == config) & (unit == number))
            members = setup.roster.vids[setup.roster.members(setup.roster.units[number])]
            self._forms.append((rows, _Form(configs[config], members, setup)))
        for rows, form in self._forms:
            form.take(self._stations, rows)

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        for rows, form in self._forms:
            mine = rows[begins[rows]]
            if len(mine):
                form.take(self._stations, mine)

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal:
        return self._stations.keep(own, others, moment)


class _Form:
    """How one unit stands by one config."""

    def __init__(self, config: BehaviorConfig, members: U4, setup: Setup) -> None:
        assert isinstance(config, FormationConfig)
        self._leader = int(members[0]) if config.leader is None else setup.vid_of(config.leader)
        self._members = np.union1d(members, np.array([self._leader], np.uint32))
        if len(self._members) < 2:
            name = setup.roster.names[int(np.searchsorted(setup.roster.vids, self._leader))]
            raise ValueError(f"'{name}' is alone in its unit: nobody to keep a formation with")
        self._shape = config.shape or "wedge"
        self._spacing = np.nan if config.spacing is None else config.spacing
        given = {n: getattr(config, n) for n in ("p_o", "e_max", "straggler", "speed")}
        numbers = {name: np.nan if value is None else value for name, value in given.items()}
        points = tuple(config.stations or ())
        self._how = Keeping(p_s=config.p_s, side=config.side, points=points, **numbers)

    def take(self, stations: Stations, rows: Rows) -> None:
        stations.form(rows, self._leader, self._members, self._shape, self._spacing, self._how)
