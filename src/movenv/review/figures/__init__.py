"""The figures of a review, described and not yet drawn."""

from movenv.review.drawing import Figure
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


def figures_of(findings: Findings) -> list[Figure]:
    """All of them, in the order of the report."""
    return [
        field_map(findings),
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
