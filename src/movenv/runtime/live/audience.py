"""Who listens to a run without taking part: recorders and watchers."""


class Audience:
    """Recorders write a run down; watchers are those whom the Core should not leave alone."""

    def __init__(self, wanted: int) -> None:
        """`wanted` is how many recorders must be there before a run starts by itself."""
        self._wanted = wanted
        self._recorders: set[str] = set()
        self._watchers: set[str] = set()

    def recorder(self, name: str, here: bool) -> bool:
        """A recorder came or went. Returns whether that is news."""
        if here == (name in self._recorders):
            return False
        (self._recorders.add if here else self._recorders.discard)(name)
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
    def empty(self) -> bool:
        return not self._recorders and not self._watchers
