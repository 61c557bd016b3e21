"""The figures of a review, described and not yet drawn."""

from collections.abc import Sequence

from movenv.review.drawing import Area, Figure
from movenv.review.figures.distance import distances
from movenv.review.figures.field_map import field_map
from movenv.review.figures.fixes import fix_quality
from movenv.review.figures.gaps import gaps
from movenv.review.figures.links import links
from movenv.review.figures.processes import processes
from movenv.review.figures.progress import path_length, speed
from movenv.review.figures.space import space
from movenv.review.figures.timeline import timeline
from movenv.review.findings import Findings


def figures_of(findings: Findings, areas: Sequence[Area] = ()) -> list[Figure]:
    """All of them, in the order of the report. `areas` are outlines for the map."""
    return [
        field_map(findings, areas),
        distances(findings),
        timeline(findings),
        path_length(findings),
        speed(findings),
        space(findings),
        gaps(findings),
        fix_quality(findings),
        links(findings),
        processes(findings),
    ]
