"""The report's page: everything in one file, which needs no internet."""

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources

import msgspec
from plotly.offline import get_plotlyjs

from movenv.review.draw_plotly import as_plotly
from movenv.review.drawing import Figure
from movenv.review.palette import PALETTE
from movenv.review.shared_columns import Columns
from movenv.review.tables import Table

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:"
)
"""The page asks nobody for anything, whatever a recording says."""


@dataclass(frozen=True)
class Content:
    """What is on the page, in its order."""

    title: str
    subtitle: str
    summary: Sequence[str]
    honesty: Sequence[str]
    """What is wrong or missing in the recording."""
    top: Sequence[Table]
    """Before the figures."""
    figures: Sequence[Figure]
    bottom: Sequence[Table]
    whole: str = "The recording is complete."
    """What to say where nothing is wrong."""
    empty: Sequence[Figure | Table] = field(default=(), init=False)
    """Those of all these that have nothing to show; they are told of in one line at the end."""

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)  # it is frozen

        every: list[Figure | Table] = [*self.figures, *self.top, *self.bottom]
        put("empty", [each for each in every if _is_empty(each)])
        for name in ("top", "figures", "bottom"):
            put(name, [each for each in getattr(self, name) if not _is_empty(each)])


def _is_empty(each: Figure | Table) -> bool:
    return bool(each.nothing) if isinstance(each, Figure) else not each.rows


def page(content: Content, pictures: Sequence[bytes]) -> str:
    """`pictures` are PNGs of the figures: for paper, and where nothing else can be drawn."""
    columns = Columns()
    drawn = [as_plotly(figure, columns) for figure in content.figures]
    data = {
        "figures": drawn,
        "columns": columns.encoded,
        "light": {name: colors[0] for name, colors in PALETTE.items()},
        "dark": {name: colors[1] for name, colors in PALETTE.items()},
    }
    pairs = zip(content.figures, pictures, strict=True)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<link rel="icon" href="data:,">',
            f"<title>{_text(content.title)}</title>",
            f"<style>{_file('report.css')}</style>",
            "<noscript><style>.plot{display:none}.picture{display:block}</style></noscript>",
            "</head><body>",
            _head(content),
            "<main>",
            *(_table(table) for table in content.top),
            *(_figure(figure, picture) for figure, picture in pairs),
            *(_table(table) for table in content.bottom),
            _empty(content.empty),
            "</main>",
            "<footer>Made by movenv. Times are seconds of the run.</footer>",
            f'<script type="application/json" id="data">{_json(data)}</script>',
            f"<script>{get_plotlyjs()}</script>",
            f"<script>{_file('report.js')}</script>",
            "</body></html>",
        ]
    )


def _head(content: Content) -> str:
    said = "".join(f"<p>{_text(sentence)}</p>" for sentence in content.summary)
    where = [(table.name, table.title) for table in content.top]
    where += [(figure.name, figure.title) for figure in content.figures]
    where += [(table.name, table.title) for table in content.bottom]
    links = "".join(f'<a href="#{name}">{_text(title)}</a>' for name, title in where)
    return (
        f"<header><h1>{_text(content.title)}</h1><p class=subtitle>{_text(content.subtitle)}</p>"
        f"<section class=summary aria-label=Summary>{said}</section>{_honesty(content)}"
        f"<nav aria-label=Contents>{links}</nav></header>"
    )


def _honesty(content: Content) -> str:
    if not content.honesty:
        return f'<section class="honesty whole"><p>{_text(content.whole)}</p></section>'
    items = "".join(f"<li>{_text(sentence)}</li>" for sentence in content.honesty)
    return (
        '<section class="honesty"><h2>What is wrong or missing in the recording</h2>'
        f"<ul>{items}</ul></section>"
    )


def _figure(figure: Figure, picture: bytes) -> str:
    head = f'<section class=figure id="{figure.name}"><h2>{_text(figure.title)}</h2>'
    encoded = base64.b64encode(picture).decode()
    wide = " wide" if figure.columns > 1 else ""
    return (
        f'{head}<div class="scroll{wide}"><div class=plot data-figure="{figure.name}" '
        f'style="height:{figure.height}px"></div></div>'
        f'<img class=picture alt="{_text(figure.title)}" src="data:image/png;base64,{encoded}">'
        f"<p class=caption>{_text(figure.caption)}</p></section>"
    )


def _table(table: Table) -> str:
    head = f'<section class=table id="{table.name}"><h2>{_text(table.title)}</h2>'
    titles = "".join(
        f"<th scope=col{_class(table, place)}>{_text(title)}</th>"
        for place, title in enumerate(table.columns)
    )
    rows = "".join(
        "<tr>"
        + "".join(f"<td{_class(table, place)}>{_text(cell)}</td>" for place, cell in enumerate(row))
        + "</tr>"
        for row in table.rows
    )
    note = f"<p class=caption>{_text(table.note)}</p>" if table.note else ""
    return (
        f"{head}<div class=scroll><table><thead><tr>{titles}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>{note}</section>"
    )


def _empty(empty: Sequence[Figure | Table]) -> str:
    if not empty:
        return ""
    said = "; ".join(f"{each.title} ({_within(each.nothing)})" for each in empty)
    return f"<section id=nothing><p class=nothing>Nothing to show: {_text(said)}.</p></section>"


def _within(sentence: str) -> str:
    """As it stands within another sentence."""
    first = sentence[:1].lower() if sentence[1:2].islower() else sentence[:1]
    return f"{first}{sentence[1:]}".rstrip(".")


def _class(table: Table, place: int) -> str:
    return " class=number" if place in table.numbers else ""


def _text(text: str) -> str:
    return html.escape(text)


def _json(data: object) -> str:
    """As it may stand in a script element."""
    return msgspec.json.encode(data).decode().replace("<", "\\u003c")


def _file(name: str) -> str:
    return (resources.files("movenv.review") / "page_files" / name).read_text("utf-8")
