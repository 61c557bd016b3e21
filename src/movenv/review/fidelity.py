"""The test fidelity metric: five ratings of 0 to 3, each with its reason, and their sum."""

from dataclasses import dataclass

from movenv.recording.reader import Recording

DIMENSIONS = ("vehicle", "sensors", "algorithms", "environment", "pedestrians")


@dataclass(frozen=True)
class Rated:
    """One of the five."""

    value: int
    reason: str
    computed: int
    """What it would be without the scenario's override."""

    @property
    def overridden(self) -> bool:
        return self.value != self.computed


@dataclass(frozen=True)
class Rating:
    """The quintet."""

    vehicle: Rated
    sensors: Rated
    algorithms: Rated
    environment: Rated
    pedestrians: Rated
    remark: str = ""
    """What else to know, as that the phones were played in a rehearsal."""

    @property
    def total(self) -> int:
        return sum(rated.value for _, rated in self.each())

    def each(self) -> list[tuple[str, Rated]]:
        return [(name, getattr(self, name)) for name in DIMENSIONS]


def rate(recording: Recording) -> Rating:
    """A stand-in: all zeros."""
    zero = Rated(0, "not rated yet", 0)
    return Rating(zero, zero, zero, zero, zero)
