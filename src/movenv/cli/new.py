"""movenv new: begin a part."""

import keyword
import re
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

HELP = """Write a new part with its test, ready to be changed.

\b
Example:
  movenv new behavior keep_right
  pytest test_keep_right.py
"""

app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode=None)


def register(parent: typer.Typer) -> None:
    parent.add_typer(app, name="new")


@app.callback()
def _options() -> None:
    pass


@app.command("behavior")
def behavior(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name, such as keep_right.")],
    folder: Annotated[Path, typer.Option(help="Where to write.")] = Path(),
) -> None:
    """Write NAME.py with a behavior, test_NAME.py with its test, and NAME.yaml to run it."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise typer.BadParameter(
            f"'{name}' is no Python module name: use small letters, digits and _", param_hint="NAME"
        )
    class_name = "".join(word.capitalize() for word in name.split("_"))
    targets = {
        folder / f"{name}.py": "behavior.py.txt",
        folder / f"test_{name}.py": "test_behavior.py.txt",
        folder / f"{name}.yaml": "scenario.yaml.txt",
    }
    for target in targets:
        if target.exists():
            raise typer.BadParameter(f"{target} exists already", param_hint="NAME")
    for target, template in targets.items():
        text = resources.files("movenv.cli").joinpath("templates", template).read_text()
        try:
            target.write_text(text.replace("@NAME@", name).replace("@CLASS@", class_name))
        except OSError as error:
            raise typer.BadParameter(f"cannot write {target}: {error.strerror}") from None
        print(target)
    print(f"try it: movenv run {folder / name}.yaml --fast")
