"""Colours by name, light and dark: after Okabe and Ito, whom colour-blind people can follow."""

CYCLE = ("blue", "orange", "green", "pink", "sky", "brown", "violet", "grey")
PALETTE: dict[str, tuple[str, str]] = {
    "blue": ("#0066b3", "#4ba3e3"),
    "orange": ("#d96800", "#f0a020"),
    "green": ("#00855f", "#20b890"),
    "pink": ("#b8478f", "#e79acb"),
    "sky": ("#3fa0d8", "#9bd4f5"),
    "brown": ("#8a5a00", "#d8b45c"),
    "violet": ("#5b3fa8", "#a890f0"),
    "grey": ("#5c6874", "#a9b6c2"),
    "virtual": ("#0066b3", "#56b4e9"),
    "real": ("#d96800", "#f0a020"),
    "replayed": ("#a8448a", "#dc8cc0"),
    "outer": ("#868e90", "#7d8994"),
    "middle": ("#9a7416", "#cda54e"),
    "inner": ("#a0003c", "#ff6478"),
    "mark": ("#8a3275", "#dc8cc0"),
    "text": ("#0f161d", "#e6ebf0"),
    "muted": ("#485563", "#9fadba"),
    "line": ("#dde3e8", "#26313b"),
    "strong": ("#8d9aa7", "#566472"),
    "surface": ("#ffffff", "#11171d"),
    "step": ("#bfe3d6", "#1b5142"),
    "faint": ("#c3ccd4", "#3a4752"),
}


def level_color(level: int, levels: int) -> str:
    """Of a notice level, 1 being the outermost: the inner, the stronger."""
    if level >= levels:
        return "inner"
    return "outer" if level == 1 else "middle"


def cycled(number: int) -> str:
    return CYCLE[number % len(CYCLE)]
