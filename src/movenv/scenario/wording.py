"""pydantic's validation errors in the words of this product."""

from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from movenv.parts.registry import suggestion
from movenv.scenario.document import Document, Path_
from movenv.scenario.errors import Problem

EXPECTED = {
    "float_type": "a number",
    "float_parsing": "a number",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "text",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "keys and values",
    "tuple_type": "a list of numbers",
    "model_type": "keys and values",
    "model_attributes_type": "keys and values",
    "finite_number": "a finite number",
}


def problems_of(error: ValidationError, document: Document, base: Path_) -> list[Problem]:
    """Each validation error as a problem at its place in the file."""
    model = _model_named(error.title)
    return [_problem(detail, document, base, model) for detail in error.errors(include_url=False)]


def _problem(
    detail: Any, document: Document, base: Path_, model: type[BaseModel] | None
) -> Problem:
    kind, found, context = detail["type"], detail["input"], detail.get("ctx", {})
    path = base + _path_in_file(detail["loc"], document, base, absent=kind == "missing")
    name = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
    if kind == "extra_forbidden":
        if name == "<<":
            return document.problem(path, "merge keys (<<) are not part of YAML 1.2")
        known = _fields_at(model, detail["loc"][:-1])
        return document.problem(path, f"unknown key '{name}'.{suggestion(name, known)}")
    if kind == "missing" and isinstance(path[-1], int):
        return document.problem(path[:-1], f"'{name}' has too few numbers")
    if kind in ("too_long", "too_short"):
        bound = (
            f"at most {context['max_length']}"
            if kind == "too_long"
            else f"at least {context['min_length']}"
        )
        return document.problem(path, f"'{name}' has {len(found)} items, expected {bound}")
    if kind == "missing":
        return document.problem(path[:-1], f"'{name}' is missing")
    if kind in EXPECTED:
        return document.problem(path, f"'{name}' expects {EXPECTED[kind]}, found {_shown(found)}")
    if kind == "value_error":
        return document.problem(path, str(context["error"]))
    if kind == "string_pattern_mismatch":
        expected = "letters, digits, _, . and -, beginning with a letter, digit or _"
        return document.problem(path, f"'{name}' expects {expected}, found {_shown(found)}")
    message = detail["msg"][0].lower() + detail["msg"][1:]
    message = message.replace("input should", "should").replace("value should", "should")
    return document.problem(path, f"'{name}' {message}, found {_shown(found)}")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "keys and values"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _path_in_file(
    loc: tuple[str | int, ...], document: Document, base: Path_, absent: bool
) -> Path_:
    """A pydantic location less the steps that exist only in the schema (tags of unions).

    With `absent` the last step is a key that the file should have and has not.
    """
    path: Path_ = ()
    from_outside = False
    for i, step in enumerate(loc):
        here = (*base, *path, step)
        from_outside = from_outside or here in document.changed
        if from_outside or here in document.places or (absent and i == len(loc) - 1):
            path = (*path, step)
    return path


def _model_named(title: str) -> type[BaseModel] | None:
    """The class whose validation failed; pydantic tells only its name."""
    pending: list[type[BaseModel]] = [BaseModel]
    while pending:
        model = pending.pop()
        if model.__name__ == title and model is not BaseModel:
            return model
        pending.extend(model.__subclasses__())
    return None


def _fields_at(model: type[BaseModel] | None, loc: tuple[str | int, ...]) -> list[str]:
    """The keys allowed where `loc` leads, as far as that can be followed."""
    for step in loc:
        if model is not None and isinstance(step, str) and step in model.model_fields:
            model = _model_in(model.model_fields[step].annotation)
    return [field.alias or name for name, field in model.model_fields.items()] if model else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in get_args(annotation):
        found = _model_in(inner)
        if found:
            return found
    return None
