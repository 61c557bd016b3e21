"""The files of a report."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.review.made_up import NAMES, empty, ten, thousand

from movenv.review import report
from movenv.review.findings import Findings, Outline
from movenv.review.report import write_report

MOST_BYTES = 40_000_000


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The report of ten vehicles, for those who only read it."""
    return write_report([ten()], tmp_path_factory.mktemp("plain"))


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize(
    ("make", "figures"), [(ten, 10), pytest.param(thousand, 8, marks=pytest.mark.long), (empty, 0)]
)
def test_a_report_is_a_page_a_pdf_and_pictures_of_what_there_is(
    tmp_path: Path, make: type[Findings], figures: int
) -> None:
    told: list[str] = []
    written = write_report([make()], tmp_path, told.append)
    assert sorted(tmp_path.iterdir()) == sorted(written)
    pictures = [path for path in written if path.suffix == ".png"]
    assert len(pictures) == figures
    for path in pictures:
        with Image.open(path) as picture:
            assert picture.width == 1650
            assert np.asarray(picture.convert("L")).min() < 128  # something is on it
    assert pages((tmp_path / "figures.pdf").read_bytes()) == max(figures, 1)
    assert 4_000_000 < (tmp_path / "report.html").stat().st_size < MOST_BYTES
    assert told[-1] == "writing report.html"


@pytest.mark.long
def test_two_recordings_have_one_figure_more(tmp_path: Path) -> None:
    written = write_report([ten(), ten()], tmp_path)
    assert len([path for path in written if path.suffix == ".png"]) == 11
    assert pages((tmp_path / "figures.pdf").read_bytes()) == 11


@pytest.mark.xdist_group("report")
def test_the_page_asks_nobody_for_anything(plain: list[Path]) -> None:
    page = plain[0].read_text()
    own = page.split("<script>")[0]
    assert "http://" not in own
    assert "https://" not in own
    assert not re.search(r"<(script|link|img|iframe)[^>]*(src|href)=(?![\"']?(data:|#))", own)


@pytest.mark.xdist_group("report")
def test_no_number_is_printed_as_nan(tmp_path: Path, plain: list[Path]) -> None:
    for written in (plain, write_report([empty()], tmp_path)):
        page = written[0].read_text()
        words = re.sub(r"<[^>]*>", " ", page.split('<script type="application/json"')[0])
        assert not re.search(r"\b(nan|inf|NaN|None)\b", words)
    assert "–" in words


def test_odd_names_are_drawn(tmp_path: Path) -> None:
    names = ["$\\frac{$", "_a", "車両", "x\ny", "<b>", *NAMES[5:]]
    assert len(write_report([ten(names)], tmp_path)) == 12


def test_a_file_that_cannot_be_finished_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "map.png").write_bytes(b"old")

    def full(part: Path, _: Path) -> None:
        assert part.exists()
        raise OSError("the disk is full")

    monkeypatch.setattr(report.os, "replace", full)
    with pytest.raises(OSError, match="full"):
        write_report([empty()], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["map.png"]
    assert (tmp_path / "map.png").read_bytes() == b"old"


def test_three_recordings_are_not_compared(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not 3"):
        write_report([ten()] * 3, tmp_path)


@pytest.mark.xdist_group("report")
def test_areas_are_drawn_on_the_map(tmp_path: Path, plain: list[Path]) -> None:
    before = plain[0].with_name("map.png").read_bytes()
    square = Outline(
        "<field>", np.array([-60.0, 60, 60, -60]), np.array([-80.0, -80, 60, 60]), True
    )
    way = Outline("lap", np.array([0.0, 50.0]), np.array([0.0, 90.0]), False)
    again = write_report([replace(ten(), outlines=[square, way])], tmp_path)
    assert [path.name for path in plain] == [path.name for path in again]
    assert (tmp_path / "map.png").read_bytes() != before
