"""movenv new: begin a part."""

import keyword
import re
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

HELP = """Write a new part with its test, ready to be changed.

\b
Examples:
  movenv new behavior keep_right
  pytest test_keep_right.py
  movenv new sensor compass
"""

app = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode=None)


def register(parent: typer.Typer) -> None:
    parent.add_typer(app, name="new")


@app.callback()
def _options() -> None:
    pass


NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Its name, such as keep_right.")]
FolderOption = Annotated[Path, typer.Option(help="Where to write.")]


@app.command("behavior")
def behavior(name: NameArgument, folder: FolderOption = Path()) -> None:
    """Write NAME.py with a behavior, test_NAME.py with its test, and NAME.yaml to run it."""
    _write(name, folder, "behavior.py.txt", "test_behavior.py.txt", "scenario.yaml.txt")


@app.command("sensor")
def sensor(name: NameArgument, folder: FolderOption = Path()) -> None:
    """Write NAME.py with a sensor, test_NAME.py with its test, and NAME.yaml to run it."""
    _write(name, folder, "sensor.py.txt", "test_sensor.py.txt", "sensor.yaml.txt")
    class_name = _class_name(name)
    print(f"mount it beside any scenario: sensors: {{mine: {{type: ./{name}.py:{class_name}}}}}")


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _write(name: str, folder: Path, part: str, test: str, scenario: str) -> None:
    """Fill in the three templates, and say what to try."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise typer.BadParameter(
            f"'{name}' is no Python module name: use small letters, digits and _", param_hint="NAME"
        )
    targets = {
        folder / f"{name}.py": part,
        folder / f"test_{name}.py": test,
        folder / f"{name}.yaml": scenario,
    }
    for target in targets:
        if target.exists():
            raise typer.BadParameter(f"{target} exists already", param_hint="NAME")
    for target, template in targets.items():
        text = resources.files("movenv.cli").joinpath("templates", template).read_text()
        try:
            target.write_text(text.replace("@NAME@", name).replace("@CLASS@", _class_name(name)))
        except OSError as error:
            raise typer.BadParameter(f"cannot write {target}: {error.strerror}") from None
        print(target)
    print(f"test it: pytest {folder / f'test_{name}.py'}")
    print(f"try it: movenv run {folder / name}.yaml --fast")
