"""The JSON Schema of scenario files, with the installed parts' settings in their places."""

from typing import Any

from movenv.parts.registry import find, names
from movenv.scenario.load import DEFAULT_MODEL
from movenv.scenario.schema import Scenario

REFERENCE = "#/$defs/{model}"


def json_schema() -> dict[str, Any]:
    schema = Scenario.model_json_schema(by_alias=True, ref_template=REFERENCE)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    definitions = schema["$defs"]
    vehicles = definitions["Vehicles"]["properties"]
    vehicles["behaviors"] |= {
        "properties": {
            name: {"anyOf": [_part(definitions, "behaviors", name), {"type": "null"}]}
            for name in names("behaviors")
        },
        "additionalProperties": False,
        "patternProperties": {r"\.py:[A-Za-z_]\w*$": {"type": ["object", "null"]}},
    }
    models = names("vehicles")
    vehicles["model"] |= {
        "allOf": [
            {
                "if": {
                    "properties": {"type": {"const": name}},
                    **({} if name == DEFAULT_MODEL else {"required": ["type"]}),
                },
                "then": _part(definitions, "vehicles", name),
            }
            for name in models
        ]
    }
    vehicles["sensors"]["additionalProperties"] = {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"type": "string"}},
        "allOf": [
            {
                "if": {"properties": {"type": {"const": name}}},
                "then": _part(definitions, "sensors", name),
            }
            for name in names("sensors")
        ],
    }
    return schema


def _part(definitions: dict[str, Any], room: str, name: str) -> dict[str, str]:
    config = find(room, name).Config
    part = config.model_json_schema(by_alias=True, ref_template=REFERENCE)
    definitions.update(part.pop("$defs", {}))
    definitions[config.__name__] = part
    return {"$ref": REFERENCE.format(model=config.__name__)}
