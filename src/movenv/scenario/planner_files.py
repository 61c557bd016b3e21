"""Routes from files of mission planners: QGC WPL text and plans of QGroundControl."""

from typing import Any

from movenv.scenario.route_points import (
    MAX_POINTS,
    NAN,
    RouteFileError,
    Waypoint,
    json_number,
    json_object,
    list_of,
    number,
)

WAYPOINTS = (16, 82)
"""NAV_WAYPOINT and NAV_SPLINE_WAYPOINT of MAVLink."""
CHANGE_SPEED = 178
ABSOLUTE, RELATIVE = (0, 5), (3, 6)
"""Frames of MAVLink: altitudes above the sea, and above where the vehicle took off."""


class _Mission:
    """Items of a mission one after the other, as MAVLink numbers them."""

    def __init__(self) -> None:
        self.points: list[Waypoint] = []
        self._speed = NAN

    def take(self, what: str, frame: int, command: int, params: list[float]) -> None:
        """An item; `params` are its seven, of which the last three are the place."""
        if command == CHANGE_SPEED:
            if not 0 < params[1] <= 1000:
                return  # -1 and 0 leave it as it is
            self._speed = params[1]
        if command not in WAYPOINTS:
            return
        if frame not in ABSOLUTE + RELATIVE:
            raise RouteFileError(f"{what} has frame {frame}; expected 0 (absolute) or 3 (relative)")
        if len(self.points) == MAX_POINTS:
            raise RouteFileError(f"has more than {MAX_POINTS:,} points")
        up = params[6]
        alt, height = (up, NAN) if frame in ABSOLUTE else (NAN, up)
        hold = params[0] if 0 < params[0] <= 86_400 else 0.0
        self.points.append(Waypoint(params[4], params[5], alt, height, self._speed, hold))

    def found(self) -> list[Waypoint]:
        if not self.points:
            raise RouteFileError("has no waypoints")
        return self.points


def waypoints(text: str) -> list[Waypoint]:
    """QGC WPL: twelve columns; the first row is where the vehicle is at home."""
    lines = text.splitlines()
    head = lines[0].split() if lines else []
    if head[:2] != ["QGC", "WPL"] or head[2:] not in (["110"], ["120"]):
        raise RouteFileError("does not begin with QGC WPL 110")
    mission = _Mission()
    for row, line in enumerate(lines[1:], 2):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 12:
            raise RouteFileError(f"line {row} has {len(words)} columns, expected 12")
        # A planner writes nan for what it does not say: how long to hold, where to look.
        words[4:8] = ["0" if word.lower() == "nan" else word for word in words[4:8]]
        values = [number(word, f"line {row}") for word in words]
        if values[0] != 0:
            mission.take(f"line {row}", int(values[2]), int(values[3]), values[4:11])
    return mission.found()


def plan(text: str) -> list[Waypoint]:
    """A plan of QGroundControl: its simple items, and those that its surveys consist of."""
    data = json_object(text)
    mission = data.get("mission")
    if data.get("fileType") != "Plan" or not isinstance(mission, dict):
        raise RouteFileError("is no plan with a mission")
    taken = _Mission()
    for row, item in enumerate(list_of(mission.get("items")), 1):
        if not isinstance(item, dict):
            raise RouteFileError(f"item {row} is no object")
        survey = item.get("TransectStyleComplexItem")
        inner = survey.get("Items") if isinstance(survey, dict) else None
        if item.get("type") == "ComplexItem" and inner is None:
            kind = str(item.get("complexItemType"))[:40]
            raise RouteFileError(f"item {row} is a '{kind}', of which no waypoints are known")
        for simple in [item] if inner is None else list_of(inner):
            _take_item(taken, f"item {row}", simple)
    return taken.found()


def _take_item(mission: _Mission, what: str, item: Any) -> None:
    if not isinstance(item, dict) or type(item.get("command")) is not int:
        raise RouteFileError(f"{what} has no command")
    if item["command"] not in (*WAYPOINTS, CHANGE_SPEED):
        return
    params = list_of(item.get("params"))
    if len(params) != 7 or type(item.get("frame")) is not int:
        raise RouteFileError(f"{what} has no frame and seven params")
    # null stands for what is not said; a place cannot be.
    values = [0.0 if value is None else json_number(value) for value in params]
    if item["command"] in WAYPOINTS and None in params[4:]:
        raise RouteFileError(f"{what} has no place")
    mission.take(what, item["frame"], item["command"], values)
