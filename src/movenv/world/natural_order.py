"""Names in the order in which people list them."""

import re
from collections.abc import Iterable


def in_natural_order(names: Iterable[str]) -> list[str]:
    """Sorted with the numbers in them as numbers: 2 before 10."""

    def key(name: str) -> tuple[list[tuple[int, int | str]], str]:
        parts = re.split(r"([0-9]+)", name.casefold())
        return [(0, int(p)) if p.isdecimal() else (1, p) for p in parts if p], name

    return sorted(names, key=key)
