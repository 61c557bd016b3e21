"""Who listens to a run without taking part: recorders and watchers."""


class Audience:
    """Recorders write a run down; watchers are those whom the Core should not leave alone."""

    def __init__(self, wanted: int) -> None:
        """`wanted` is how many recorders must be there before a run starts by itself."""
        self._wanted = wanted
        self._recorders: set[str] = set()
        self._left: set[str] = set()
        self._watchers: set[str] = set()

    def recorder(self, name: str, here: bool) -> bool:
        """A recorder came or went. Returns whether that is news."""
        if here == (name in self._recorders):
            return False
        (self._recorders.add if here else self._recorders.discard)(name)
        (self._left.discard if here else self._left.add)(name)
        return True

    def watcher(self, name: str, here: bool) -> None:
        """Somebody else came or went."""
        (self._watchers.add if here else self._watchers.discard)(name)

    @property
    def recorders(self) -> list[str]:
        return sorted(self._recorders)

    @property
    def complete(self) -> bool:
        """Whether as many record as should."""
        return len(self._recorders) >= self._wanted

    @property
    def missing(self) -> list[tuple[str, str]]:
        """Recorders that should be here, and why they are not."""
        lacking = self._wanted - len(self._recorders)
        gone = [
            (_called(name), "is gone; what happens is kept for it") for name in sorted(self._left)
        ]
        return (gone + [("the recorder", "not here yet")] * lacking)[: max(0, lacking)]

    @property
    def empty(self) -> bool:
        return not self._recorders and not self._watchers


def _called(name: str) -> str:
    return "the recorder" if name == "recorder" else f"the recorder {name}"
