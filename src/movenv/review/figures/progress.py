"""How far and how fast everybody went, against time."""

from movenv.review.drawing import Axis, Figure, Panel
from movenv.review.figures.look import Column, how, known, lines, middle, time_axis, time_of
from movenv.review.findings import Findings


def path_length(findings: Findings) -> Figure:
    caption = (
        "How far each has come along its own way. Lines that bunch up and draw apart again "
        "show a traffic wave; a flat line is a vehicle that waits."
    )
    axis = Axis("path length", "m")
    return _against_time(findings, "path", "Path length", caption, axis, lambda track: track.path)


def speed(findings: Findings) -> Figure:
    axis = Axis("speed", "m/s", 0)
    return _against_time(findings, "speed", "Speed", "", axis, lambda track: track.speed)


def _against_time(
    findings: Findings, name: str, title: str, caption: str, axis: Axis, column: Column
) -> Figure:
    if not known(findings, column):
        return Figure(name, title, nothing=f"No vehicle's {axis.label} is known.")
    panel = Panel(
        time_axis(findings), axis, (*lines(findings, time_of, column), *middle(findings, column))
    )
    return Figure(name, title, f"{caption} {how(findings)}".strip(), (panel,))
