"""How far missions are, in words."""

from typing import Any

NAMED = 6
"""Up to so many vehicles with missions are told of one by one in a line."""
STEPS_TOLD = 5
OVER = 255
"""In `number`: all steps lie behind."""


def mission_words(missions: dict[str, Any]) -> str:
    """One line: who is still on which step, or how many where they are many."""
    over, last, count = missions["over"], missions.get("last", 0), missions["vehicles"]
    said = [f"{over:,} of {count:,} over" if over or not last else ""]
    if last:
        said.append(f"{last:,} of {count:,} at their last step")
    if missions["each"] and missions["vehicles"] <= NAMED:
        under_way = [entry for entry in missions["each"] if 0 < entry["number"] < OVER]
        said.append(", ".join(f"{entry['name']} at '{entry['step']}'" for entry in under_way))
    else:
        said.append(_counted(missions["at"]))
    waiting = missions["vehicles"] - missions["over"] - sum(missions["at"].values())
    if waiting:
        said.append(f"{waiting:,} not begun")
    return "; ".join(part for part in said if part)


def _counted(at: dict[str, int]) -> str:
    most = sorted(at.items(), key=lambda item: -item[1])
    told = [f"{count:,} at '{step}'" for step, count in most[:STEPS_TOLD]]
    more = sum(count for _, count in most[STEPS_TOLD:])
    return ", ".join(told + ([f"{more:,} elsewhere"] if more else []))


def mission_lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Who came how far, and when, a line each, where they are few."""
    missions = facts["missions"]
    lines = []
    for entry in missions["each"] if missions else []:
        since = "" if entry["since"] is None else f" since t = {entry['since']:.1f} s"
        lines.append(("mission", f"{entry['name']}: {entry['step'] or 'not begun'}{since}"))
    return lines
