"""Reading a section of a tournament file field by field, so that every problem is found at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from arena.nearest import nearest
from arena.server.setup.toml_places import Problems, toml_value
from arena.server.setup.type_words import found_words, words_for

S = TypeVar("S", bound=msgspec.Struct)


def read_section(kind: type[S], given: object, where: str, problems: Problems, also: Sequence[str] = ()) -> S | None:
    """Return what could be read of a section, so that the rest can be checked as well; None if nothing could.

    `also` names fields that may stand in the section and are read elsewhere.
    """
    if not isinstance(given, Mapping):
        problems.add(f"{where} must be a table of fields", where)
        return None
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    for name in given:
        if name not in (known := [*fields, *also]):
            problems.add(unknown(name, known, f"field in {where}"), where, name)
    values = {}
    for name, field in fields.items():
        if name in given:
            value = given[name]
            try:
                values[name] = msgspec.convert(value, field.type)
            except msgspec.ValidationError:
                found = f"{name} = {toml_value(value)}{found_words(value, field.type)}"
                problems.add(f"{where} {found}: expected {words_for(field.type)}", where, name)
        elif field.required:
            problems.add(f"{where} has no {name}", where)
    return kind(**values) if all(name in values for name, field in fields.items() if field.required) else None


def unknown(name: str, known: Sequence[str], what: str) -> str:
    """Say that nothing has this name, what is known, and what was probably meant."""
    return f"unknown {what}: {name!r}; known are {', '.join(known)}{nearest(name, known)}"
