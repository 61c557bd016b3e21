"""movenv schema: the scenario format for editors."""

import typer

HELP = """Print the JSON Schema of scenario files, for completion in editors.

\b
Example:
  movenv schema > scenario.schema.json
  # then, in the first line of a scenario:
  # yaml-language-server: $schema=scenario.schema.json
"""


def register(app: typer.Typer) -> None:
    app.command("schema", help=HELP)(schema)


def schema() -> None:
    import json

    from movenv.scenario.json_schema import json_schema

    print(json.dumps(json_schema(), indent=2))
