"""The box that each vehicle fills, as the sensors of others meet it."""

from movenv.scenario.load import Group

RATIOS = {
    "ground": (1.6, 0.7),  # a car's length is its wheelbase, between its axles
    "aerial": (1.0, 1.0),
    "surface": (1.0, 0.35),
    "underwater": (1.0, 0.25),
}
"""Sides in lengths of the model."""
PERSON = (0.5, 0.5)
"""Sides of whoever is on foot, m."""
TALL = 1.75
"""How high they are."""
HEIGHTS = {"ground": 0.9, "aerial": 0.3, "surface": 0.8, "underwater": 1.0}
"""How high the others are, in their widths."""


def body(group: Group) -> tuple[float, float, float]:
    """Length, width and height, m."""
    length, width = footprint(group)
    kind = group.spec.parsed_kind.name
    height = group.spec.body_height or (TALL if kind == "pedestrian" else HEIGHTS[kind] * width)
    return length, width, height


def footprint(group: Group) -> tuple[float, float]:
    """Length and width, m."""
    if group.spec.footprint is not None:
        return group.spec.footprint
    built = group.parameters
    if "body_length" in built and "body_width" in built:
        return built["body_length"], built["body_width"]
    kind = group.spec.parsed_kind.name
    if kind == "pedestrian":
        return PERSON
    along, across = RATIOS[kind]
    length = built["length"]
    return along * length, across * length
