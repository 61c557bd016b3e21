"""What a vehicle is and where its position comes from."""

import re
from dataclasses import dataclass
from enum import IntEnum

KINDS = ("pedestrian", "ground", "aerial", "surface", "underwater")
AERIAL_SUBKINDS = ("fixedwing", "rotorcraft")


class Origin(IntEnum):
    """Where a vehicle's position comes from."""

    VIRTUAL = 1
    REAL = 2
    REPLAYED = 3


@dataclass(frozen=True)
class Kind:
    """A kind such as `ground`, with a subkind where one is given: `aerial/fixedwing`."""

    name: str
    subkind: str = ""

    @classmethod
    def parse(cls, text: str) -> "Kind":
        name, slash, subkind = text.partition("/")
        if name not in KINDS:
            raise ValueError(f"unknown kind '{text}'; kinds are {', '.join(KINDS)}")
        if name == "aerial" and subkind not in AERIAL_SUBKINDS:
            raise ValueError(
                f"kind '{text}' does not say how it flies; "
                f"write {' or '.join('aerial/' + s for s in AERIAL_SUBKINDS)}"
            )
        if slash and not re.fullmatch(r"[a-z0-9_-]+", subkind):
            raise ValueError(f"'{subkind}' in kind '{text}' is not a word of small letters")
        return cls(name, subkind)

    def __str__(self) -> str:
        return f"{self.name}/{self.subkind}" if self.subkind else self.name
