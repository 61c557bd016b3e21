"""Keep clear of other vehicles: by one of several methods, which each vehicle may choose."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Protocol

import numpy as np
from pydantic import model_validator

from movenv.behaviors.arc_line import ArcLine
from movenv.behaviors.constant_velocity import ConstantVelocity
from movenv.behaviors.reciprocal import Reciprocal
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    ConfigColumns,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    Remark,
    Setup,
    VehicleStates,
    Wish,
    steer_by,
    wrapped,
)
from movenv.parts.config import Reference, Sight
from movenv.world.columns import Mask, Rows, VidIndex

HEAD_ON = 0.2
"""Within this angle of dead ahead both vehicles turn right, as at sea and in the air, rad."""
SAME_HEIGHT = 0.5
"""Within this share of a length two vehicles count as level, and the lower vid climbs."""
STANDING = 0.05
"""Below this speed a vehicle stands, m/s."""
NEVER = 255
"""A notice level that no notice has."""


class Method(Protocol):
    """A way to avoid that bends what others wish; its setup has only those who chose it."""

    def __init__(self, setup: Setup) -> None: ...

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None: ...

    def refine(
        self, own: Own, wish: Wish, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal: ...


PATIENCE = 30.0
"""Whoever is kept standing for so long tells of it, s."""
METHODS: Mapping[str, type[Method]] = {
    "constant_velocity": ConstantVelocity,
    "arc_line": ArcLine,
    "reciprocal": Reciprocal,
}
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "turn_away": ("level",),
    "constant_velocity": ("p_max", "d_min", "gain", "t_min"),
    "arc_line": ("p_max", "d_min", "t_max", "dt_min", "a1", "a2"),
    "reciprocal": ("radius", "margin", "horizon", "height", "yields"),
}
"""What each method can be told; every method has a priority."""


class AvoidConfig(BehaviorConfig):
    """Keep clear of other vehicles."""

    priority: int = Field(10, ge=1, le=10_000, description="the highest active priority drives")
    method: Literal["turn_away", "constant_velocity", "arc_line", "reciprocal"] = Field(
        "turn_away",
        description="turn_away: from notified vehicles, blind to walls and water; "
        "constant_velocity: pass at a distance from whoever holds its velocity; arc_line: for "
        "aircraft in turns, by speed alone; reciprocal: in crowds and between walls, together "
        "with others that do the same",
    )
    level: Annotated[str | None, Reference("notice level")] = Field(
        "caution", description="turn_away: the notice level from which to act"
    )
    p_max: Annotated[float | None, Sight()] = Field(
        None,
        gt=0,
        le=1e6,
        description="how far to look, p_max, m; default: 10 s (arc_line: t_max) at the greatest "
        "speed, but 100 to 500 m and no farther than awareness.range",
    )
    d_min: float | None = Field(
        None,
        gt=0,
        le=1e5,
        description="the distance to keep, d_min, m, middle to middle; default: both lengths",
    )
    gain: float = Field(
        2.0, gt=0, le=100, description="constant_velocity: how hard to avoid, G; 1 just suffices"
    )
    t_min: float = Field(
        1.0, gt=0, le=1000, description="constant_velocity: no threat counts as sooner, t_min, s"
    )
    t_max: float = Field(
        20.0, gt=0, le=1e4, description="arc_line: how far ahead in time to look, t_max, s"
    )
    dt_min: float = Field(
        3.0, gt=0, le=1e4, description="arc_line: the time to leave between two, Δt_min, s"
    )
    a1: float = Field(1.0, gt=0, le=100, description="arc_line: how hard to avoid, A1")
    a2: float = Field(
        2.0, gt=0, le=1000, description="arc_line: no crossing counts as sooner, A2, s"
    )
    radius: float = Field(
        0.5, gt=0, le=100, description="reciprocal: of the disc round a vehicle, in lengths of it"
    )
    margin: float = Field(0.1, gt=0, le=100, description="reciprocal: kept free round each disc, m")
    horizon: float = Field(
        4.0, gt=0, le=600, description="reciprocal: how far ahead to look for others, s"
    )
    height: float = Field(
        10.0, gt=0, le=1e5, description="reciprocal: who is farther above or below counts not, m"
    )
    yields: bool = Field(
        True,
        description="reciprocal: whether virtual vehicles keep clear in the same way, so that each "
        "does half; real ones never count as doing so",
    )

    @model_validator(mode="before")
    @classmethod
    def _without_level(cls, settings: Any) -> Any:
        """Only turn_away needs the scenario to have the notice level that is the default."""
        if isinstance(settings, dict) and settings.get("method", "turn_away") != "turn_away":
            return {"level": None} | settings
        return settings

    @model_validator(mode="after")
    def _of_the_method(self) -> "AvoidConfig":
        known = {"priority", "method", *SETTINGS[self.method]}
        given = [name for name in type(self).model_fields if name in self.model_fields_set]
        strange = [name for name in given if name not in known and getattr(self, name) is not None]
        if self.method == "turn_away" and self.level is None:
            raise ValueError("method 'turn_away' needs a level")
        if strange:
            used = ", ".join(SETTINGS[self.method])
            raise ValueError(
                f"{' and '.join(strange)} is nothing to method '{self.method}', which takes {used}"
            )
        return self

    def in_common(self) -> dict[str, Any]:
        """Both sides of a pair that avoids reciprocally reckon with the same."""
        told = SETTINGS["reciprocal"] if self.method == "reciprocal" else ()
        return {name: getattr(self, name) for name in told}


class Avoid(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = AvoidConfig

    def __init__(self, setup: Setup) -> None:
        method = setup.config.method
        self._index = VidIndex(setup.vids)
        self._turns = method == "turn_away"
        level = np.array([setup.levels.get(name, NEVER) for name in setup.config.level], np.uint8)
        self._level = np.where(self._turns, level, np.uint8(NEVER))
        self._methods: list[tuple[Rows, Method]] = []
        for name, made in METHODS.items():
            rows = np.flatnonzero(method == name)
            if len(rows):
                self._methods.append((rows, made(_some(setup, rows))))
        self._stood = np.zeros(len(setup.vids))

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._stood[begins] = 0.0
        for rows, method in self._methods:
            method.begin(own.some(rows), begins[rows], moment)

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal | None:
        if not self._turns.any():
            return None
        row = self._index.rows(notices.vid)
        acted = np.flatnonzero((row >= 0) & (notices.level >= self._level[row]))
        row = row[acted]
        east, north, up = (
            own.x[row] - notices.x[acted],
            own.y[row] - notices.y[acted],
            own.z[row] - notices.z[acted],
        )
        # The same limit on both sides, or both might take the other for the lower one.
        level = np.abs(up) < SAME_HEIGHT * np.maximum(own.length[row], notices.length[acted])
        up = np.where(level, np.where(notices.vid[acted] < notices.other[acted], 1.0, -1.0), up)
        # The nearer a vehicle, the more it counts among several.
        weight = 1.0 / np.maximum(notices.distance[acted], 0.1) ** 2
        away = [np.bincount(row, weight * part, len(own)) for part in (east, north, up)]
        turn = wrapped(np.arctan2(away[1], away[0]) - own.yaw)
        turn = np.where(turn > np.pi - HEAD_ON, turn - 2 * np.pi, turn)
        # Squeezed from opposite sides, or right above another, there is no way to turn.
        turn = np.where(np.hypot(away[0], away[1]) < 1e-9, 0.0, turn)
        active = np.zeros(len(own), np.bool_)
        active[row] = True
        pitch = np.sign(away[2]) * own.max_pitch
        return Proposal(active, steer_by(own, turn), own.cruise_speed, pitch)

    def refine(
        self, own: Own, wish: Wish, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal | None:
        parts = []
        for rows, method in self._methods:
            mine = _wish_of(wish, rows)
            parts.append((rows, method.refine(own.some(rows), mine, others, notices, moment)))
        if not parts:
            return None
        proposal = _together(parts, wish)
        stands = proposal.active & (own.speed < STANDING) & (wish.speed > 0.0)
        self._stood = np.where(stands, self._stood + moment.period, 0.0)
        return proposal

    def remarks(self, own: Own, moment: Moment) -> list[Remark]:
        """Whoever has just been kept standing for long."""
        long = (self._stood >= PATIENCE) & (self._stood - moment.period < PATIENCE)
        said = f"kept standing for {PATIENCE:g} s by what is in its way"
        return [Remark(vid, said) for vid in own.vid[long].tolist()]


def _some(setup: Setup, rows: Rows) -> Setup:
    """The setup of some of its vehicles."""
    configs, group = setup.config.each()
    return replace(
        setup,
        vids=setup.vids[rows],
        config=ConfigColumns(configs, group[rows]),
        abilities={name: column[rows] for name, column in setup.abilities.items()},
        payload=setup.payload[rows],
    )


def _wish_of(wish: Wish, rows: Rows) -> Wish:
    return Wish(
        wish.wished[rows],
        wish.steer[rows],
        wish.speed[rows],
        wish.pitch[rows],
        wish.to[:, rows],
        wish.rejoins[rows],
        wish.guided[rows],
    )


def _together(parts: list[tuple[Rows, Proposal]], wish: Wish) -> Proposal:
    """One proposal of several; who leaves a command that others give gets what was wished."""
    active = np.zeros(len(wish.wished), np.bool_)
    for rows, proposal in parts:
        active[rows] = proposal.active
    commands: dict[str, Any] = {}
    for name in ("steer", "speed", "pitch"):
        given = [(rows, getattr(proposal, name)) for rows, proposal in parts]
        commands[name] = None
        if any(value is not None for _, value in given):
            commands[name] = getattr(wish, name).copy()
            for rows, value in given:
                if value is not None:
                    commands[name][rows] = value
    return Proposal(active, **commands)
