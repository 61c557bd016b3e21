"""A JAUS component on a made-up clock, and a wheel that is given as the Core gives it."""

from dataclasses import dataclass, field

from movenv.gateways.jaus.codec import Heard
from movenv.gateways.jaus.component import Component
from movenv.gateways.jaus.message import Message, encode_message
from movenv.gateways.jaus.packet import Acknowledge, Address, Packet
from movenv.gateways.jaus.saying import Said
from movenv.gateways.jaus.scaled import Dialect
from movenv.gateways.jaus.sight import Sight

CAR, ANN, BOB = Address(126, 1, 10), Address(126, 1, 20), Address(126, 1, 21)
TICK, TIMEOUT = 0.1, 1.0
SEQUENCE = 7
BRAKED = (0.0, 0.0, 1.0, 1)
SIGHT = Sight(1.8e9, 29.19, -81.05, 12.0, 0.5, 3.0, 4.0, 5.0, 1.0, 0.1, 0.2, 6.0, 0.25, -0.5, 0.125)


@dataclass
class PlayedWheel:
    """As in the Core's book: who has it with as much authority as is asked for keeps it, who lets
    go of it braked leaves it to anybody."""

    held: int | None = None
    """The authority of whoever has it."""
    ours: bool = False
    driver: str = ""
    turns: list[tuple[float, float, float, int]] = field(default_factory=list)
    released: list[bool] = field(default_factory=list)

    def take(self, who: str, authority: int) -> str:
        if self.held is not None and authority <= self.held:
            return f"driven, authority {self.held}"
        self.held, self.ours, self.driver = authority, True, who
        return ""

    def turn(self, steer: float, throttle: float, brake: float, gear: int) -> None:
        if self.ours:
            self.turns.append((steer, throttle, brake, gear))

    def release(self, braked: bool) -> None:
        if self.ours:
            self.released.append(braked)
            self.held, self.ours = None, False

    @property
    def lost(self) -> str:
        return "" if self.ours else "taken"

    def taken_by_another(self, authority: int) -> None:
        assert self.held is None or authority > self.held
        self.held, self.ours = authority, False


class Played:
    """A vehicle at 126.1.10, to which anybody speaks."""

    def __init__(self, drivable: bool = True, address: Address = CAR) -> None:
        self.wheel = PlayedWheel()
        self.now = 1000.0
        wheel = self.wheel if drivable else None
        self.component = Component(address, "car", wheel, TICK, TIMEOUT)
        self.control = self.component.control

    @property
    def refused(self) -> dict[str, int]:
        return dict(self.component.refused)

    def say(
        self,
        message: Message,
        by: Address = ANN,
        dialect: Dialect = Dialect.SAE,
        sequence: int = SEQUENCE,
    ) -> list[Said]:
        return self.component.hear(heard(message, by, dialect, sequence=sequence), self.now)

    def answer(
        self, message: Message, by: Address = ANN, dialect: Dialect = Dialect.SAE
    ) -> Message | None:
        """What is said back to who asked."""
        said = [one.message for one in self.say(message, by, dialect) if one.to == by]
        assert len(said) <= 1
        return said[0] if said else None

    def later(self, seconds: float) -> list[Said]:
        self.now += seconds
        return self.component.due(self.now)

    def see(self, sight: Sight = SIGHT) -> None:
        self.component.see(sight)


def heard(
    message: Message,
    by: Address = ANN,
    dialect: Dialect = Dialect.SAE,
    to: Address = CAR,
    acknowledge: Acknowledge = Acknowledge.NO,
    sequence: int = SEQUENCE,
) -> Heard:
    payload = encode_message(message, dialect)
    return Heard(dialect, Packet(to, by, payload, sequence, acknowledge=acknowledge), message)
