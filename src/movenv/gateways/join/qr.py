"""Links as pictures that a phone's camera reads."""

import io

import segno

BORDER = 4
"""Cells of quiet around the code; cameras look for it."""
# Both colours are set, so that the code is black on white on a dark terminal and on a light one.
BLACK_ON_WHITE, PLAIN = "\x1b[38;2;0;0;0;48;2;255;255;255m", "\x1b[0m"
HALVES = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}


def qr_terminal(url: str) -> str:
    """The code in half blocks, two rows of cells in a line of text."""
    rows = [
        [int(cell) for cell in row]
        for row in segno.make(url, error="m", micro=False).matrix_iter(border=BORDER)
    ]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    lines = (
        "".join(HALVES[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    )
    return "\n".join(f"{BLACK_ON_WHITE}{line}{PLAIN}" for line in lines)


def qr_svg(url: str) -> str:
    """The code as an SVG document, for a page or for paper."""
    file = io.BytesIO()
    segno.make(url, error="m", micro=False).save(
        file, kind="svg", border=BORDER, dark="#000", light="#fff", scale=8, omitsize=False
    )
    return file.getvalue().decode()
