"""Reading a section of a tournament file field by field, so that every problem is found at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from arena.nearest import nearest
from arena.server.setup.toml_places import Problems, toml_value

S = TypeVar("S", bound=msgspec.Struct)
TYPES: Final = {bool: "true or false", int: "a whole number", str: "text", list: "a list", dict: "a table"}
"""What a value of TOML is called."""


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
                found = f"{name} = {toml_value(value)}{_type_found(value, field.type)}"
                problems.add(f"{where} {found}: expected {words_for(field.type)}", where, name)
        elif field.required:
            problems.add(f"{where} has no {name}", where)
    return kind(**values) if all(name in values for name, field in fields.items() if field.required) else None


def unknown(name: str, known: Sequence[str], what: str) -> str:
    """Say that nothing has this name, what is known, and what was probably meant."""
    return f"unknown {what}: {name!r}; known are {', '.join(known)}{nearest(name, known)}"


def words_for(kind: Any) -> str:
    """The type of a field in words: "3, 5 or 7", "a whole number of 1 to 256", "text or a list of texts"."""
    words = [words for _, words in _allowed(inspect.type_info(kind))]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _type_found(value: object, kind: Any) -> str:
    """Say what was found if it is no type of this field: " (text)"; empty otherwise, and for true and false."""
    found = "a number with a fraction" if isinstance(value, float) else TYPES.get(type(value), "")
    is_expected = found in {type_of for type_of, _ in _allowed(inspect.type_info(kind))}
    return f" ({found})" if found and not (is_expected or isinstance(value, bool)) else ""


def _allowed(kind: inspect.Type) -> list[tuple[str, str]]:
    """The values that a field may have: what their type is called, and which of it are allowed."""
    match kind:
        case inspect.UnionType():
            return [one for each in kind.types if not isinstance(each, inspect.NoneType) for one in _allowed(each)]
        case inspect.Metadata():
            return _allowed(kind.type)
        case inspect.LiteralType():
            return [(TYPES[type(value)], repr(value)) for value in kind.values]
        case inspect.BoolType():
            return [(TYPES[bool],) * 2]
        case inspect.IntType():
            return [(TYPES[int], f"{TYPES[int]}{_limits(kind.ge, kind.le)}")]
        case inspect.StrType():
            return [(TYPES[str], f"{TYPES[str]}{_limits(kind.min_length, kind.max_length, ' characters')}")]
        case inspect.VarTupleType():
            [(_, words)] = _allowed(kind.item_type)
            return [(TYPES[list], f"a list of {words}s")]
        case inspect.DictType():
            return [(TYPES[dict],) * 2]
    raise AssertionError(f"no words for {kind}")


def _limits(least: int | None, most: int | None, unit: str = "") -> str:
    if least is None and most is None:
        return ""
    if most is None:
        return f" of at least {least}{unit}"
    return f" of {least or 0} to {most}{unit}"
