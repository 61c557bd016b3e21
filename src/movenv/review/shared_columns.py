"""Columns of numbers as they lie in a page."""

import base64

import numpy as np

from movenv.world.columns import F8


class Columns:
    """Arrays by number, each once."""

    def __init__(self) -> None:
        self.encoded: list[str] = []
        self._known: dict[bytes, int] = {}

    def ref(self, column: F8) -> dict[str, int]:
        data = np.ascontiguousarray(column, "<f4").tobytes()
        if data not in self._known:
            self._known[data] = len(self.encoded)
            self.encoded.append(base64.b64encode(data).decode())
        return {"ref": self._known[data]}
