"""Missions as a scenario says them."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from movenv.parts.config import Name, Point, Strict
from movenv.world.messages import MAX_PAYLOAD
from movenv.world.mission import MAX_STEPS

Distance = Annotated[float, Field(gt=0, le=1e7)]


class Until(Strict):
    """When a step is over: one of time, done, detected, heard, step, within, beyond, any, all."""

    time: float | None = Field(None, ge=0, le=1e7, description="this long on the step, s")
    done: Literal[True] | None = Field(
        None, description="the behaviors of `do` have come to their end"
    )
    vehicle: Name | None = Field(None, description="who is meant; default: the vehicle itself")
    step: Name | None = Field(None, description="`vehicle` is on this step, or beyond it")
    within: Distance | None = Field(None, description="nearer than this to `at` or `vehicle`, m")
    beyond: Distance | None = Field(None, description="farther than this from `at` or `vehicle`, m")
    at: Point | None = Field(None, description="the place that `within` and `beyond` speak of")
    detected: Name | None = Field(None, description="this vehicle has been detected")
    heard: str | None = Field(None, min_length=1, description="these words have come by radio")
    any: list["Until"] | None = Field(None, min_length=1, description="one of these")
    all: list["Until"] | None = Field(None, min_length=1, description="all of these at once")

    @property
    def form(self) -> str:
        """Which of the forms this is."""
        return next(name for name in FORMS if getattr(self, name) is not None)

    @model_validator(mode="after")
    def _one_form(self) -> "Until":
        given = [name for name in FORMS if getattr(self, name) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            raise ValueError(f"expected exactly one of {', '.join(FORMS)}; found {found}")
        form = given[0]
        if self.at is not None and form not in ("within", "beyond"):
            raise ValueError("at goes with within or beyond")
        if form in ("within", "beyond") and self.at is None and self.vehicle is None:
            raise ValueError(f"{form} needs at or vehicle: {getattr(self, form):g} m of what?")
        if form == "step" and self.vehicle is None:
            raise ValueError("step needs vehicle: whose step?")
        if self.vehicle is not None and form in ("time", "done", "any", "all"):
            raise ValueError(f"vehicle does not go with {form}")
        return self


FORMS = ("time", "done", "step", "within", "beyond", "detected", "heard", "any", "all")


class Priority(Strict):
    """Another rank for a behavior."""

    priority: int = Field(ge=1, le=10_000, description="the highest active priority drives")


class Repeat(Strict):
    """Going back to an earlier step."""

    from_: Name = Field(alias="from", description="the step to go back to")
    times: int | Literal["forever"] = Field(description="how many times")

    @model_validator(mode="after")
    def _at_least_once(self) -> "Repeat":
        if isinstance(self.times, int) and not 1 <= self.times <= 10**9:
            raise ValueError("times is 1 or more, or forever")
        return self


def _fits(text: str) -> str:
    if len(text.encode()) > MAX_PAYLOAD:
        raise ValueError(f"{len(text.encode())} bytes; {MAX_PAYLOAD} are the most")
    return text


class Step(Strict):
    """One step of a mission."""

    step: Name | None = Field(None, description="its name; default: step-1, step-2, ...")
    do: dict[str, dict[str, Any] | None] = Field(
        default_factory=dict, description="behaviors, with their settings, while it lasts"
    )
    change: dict[str, Literal["off"] | Priority] = Field(
        default_factory=dict,
        description="the vehicle's own behaviors that are off, or rank otherwise, while it lasts",
    )
    say: Annotated[str, AfterValidator(_fits)] | None = Field(
        None, min_length=1, description="words sent by radio when it begins"
    )
    until: Until | None = Field(
        None, description="when it is over; default: when what it does is done"
    )
    repeat: Repeat | None = Field(None, description="at its end")


def _named_once(steps: list[Step]) -> list[Step]:
    names = step_names(steps)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ValueError(f"two steps are called '{twice}'")
    for i, step in enumerate(steps):
        if step.repeat and step.repeat.from_ not in names[: i + 1]:
            raise ValueError(f"'{names[i]}' goes back to '{step.repeat.from_}': no step before it")
    return steps


def step_names(steps: list[Step]) -> list[str]:
    return [step.step or f"step-{i}" for i, step in enumerate(steps, 1)]


Mission = Annotated[
    list[Step], Field(min_length=1, max_length=MAX_STEPS), AfterValidator(_named_once)
]
