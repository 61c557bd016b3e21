"""Errors of a scenario file: where, what was expected, what was found, what to do."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One thing wrong at one place."""

    line: int
    column: int
    message: str


class ScenarioError(Exception):
    """A scenario that cannot run. `problems` are sorted by place."""

    def __init__(self, source: str, problems: list[Problem]) -> None:
        self.source = source
        self.problems = sorted(set(problems))
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        return [
            f"{self.source}:{p.line}:{p.column}: {p.message}"
            if p.line
            else f"{self.source}: {p.message}"
            for p in self.problems
        ]
