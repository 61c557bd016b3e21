"""The report of a review: a page, pictures and a PDF in a folder."""

import os
from collections.abc import Callable
from pathlib import Path

from movenv.review.compared import compared_content
from movenv.review.draw_matplotlib import as_pdf, as_png
from movenv.review.drawing import Figure
from movenv.review.figures import figures_of
from movenv.review.findings import Findings
from movenv.review.page import Content, page
from movenv.review.summary import summary
from movenv.review.tables import tables_of
from movenv.review.words import moment


def write_report(
    findings: list[Findings],
    folder: Path,
    progress: Callable[[str], None] = lambda doing: None,
) -> list[Path]:
    """Writes `report.html`, `figures.pdf` and a PNG for each figure; of two, what differed.

    Each file appears complete or not at all, and replaces one of its name; a picture of an earlier
    report that has nothing to show now is removed. `progress` is told what is done now. Raises
    OSError.
    """
    if len(findings) not in (1, 2):
        raise ValueError(f"one recording is reviewed or two are compared, not {len(findings)}")
    progress("laying out figures")
    if len(findings) == 1:
        content = _content(findings[0])
    else:
        content = compared_content(findings[0], findings[1])
    written = []
    pictures = []
    for figure in content.figures:
        progress(f"drawing {figure.name}")
        pictures.append(as_png(figure))
        written.append(_write(folder / f"{figure.name}.png", pictures[-1]))
    progress("writing figures.pdf")
    written.append(_write(folder / "figures.pdf", as_pdf(content.figures, content.title)))
    progress("writing report.html")
    whole = page(content, pictures)
    written.insert(0, _write(folder / "report.html", whole.encode()))
    for empty in content.empty:
        if isinstance(empty, Figure):
            (folder / f"{empty.name}.png").unlink(missing_ok=True)
    return written


def _content(findings: Findings) -> Content:
    figures: list[Figure] = figures_of(findings)
    tables = tables_of(findings)
    run = findings.run
    started = f" · {moment(run.started_utc)}" if run.started_utc > 0 else ""
    return Content(
        title=f"Review of {run.name}",
        subtitle=f"{run.source}{started}",
        summary=summary(findings),
        honesty=run.honesty,
        top=tables[1:2],
        figures=figures,
        bottom=[*tables[2:], tables[0]],
    )


def _write(path: Path, data: bytes) -> Path:
    """Whole or not at all: under another name first."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return path
