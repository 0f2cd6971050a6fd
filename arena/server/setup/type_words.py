"""The allowed values of a field of a tournament file, in words for error messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import inspect

_FOUND: Final[tuple[tuple[type, str], ...]] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number with a fraction"),
    (str, "text"),
    (list, "a list"),
    (dict, "a table"),
)
"""What a value of TOML is called; bool stands before int, which it is as well."""
_TYPES: Final[tuple[tuple[type[inspect.Type], str], ...]] = (
    (inspect.BoolType, "true or false"),
    (inspect.IntType, "a whole number"),
    (inspect.StrType, "text"),
    (inspect.VarTupleType, "a list"),
    (inspect.DictType, "a table"),
)


def words_for(kind: Any) -> str:
    """The type of a field in words: "3, 5 or 7", "a whole number of 1 to 256", "text or a list of texts"."""
    return _words(inspect.type_info(kind))


def _words(kind: inspect.Type) -> str:
    match kind:
        case inspect.UnionType():
            return _either([_words(one) for one in kind.types if not isinstance(one, inspect.NoneType)])
        case inspect.Metadata():
            return _words(kind.type)
        case inspect.LiteralType():
            return _either([repr(value) for value in kind.values])
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return f"a whole number{_limits(kind.ge, kind.le)}"
        case inspect.StrType():
            return f"text{_limits(kind.min_length, kind.max_length, ' characters')}"
        case inspect.VarTupleType():
            return f"a list of {_words(kind.item_type)}s"
        case inspect.DictType():
            return "a table"
    raise AssertionError(f"no words for {kind}")


def found_words(value: object, kind: Any) -> str:
    """Say what was found if it is no type of this field: " (text)"; empty otherwise, and for true and false."""
    found = next((word for types, word in _FOUND if isinstance(value, types)), "")
    says_itself = isinstance(value, bool) or found in _kinds(inspect.type_info(kind))
    return f" ({found})" if found and not says_itself else ""


def _kinds(kind: inspect.Type) -> set[str]:
    """The types of TOML that a field may have, in words."""
    match kind:
        case inspect.UnionType():
            return set().union(*map(_kinds, kind.types))
        case inspect.Metadata():
            return _kinds(kind.type)
        case inspect.LiteralType():
            return {word for value in kind.values for types, word in _FOUND if isinstance(value, types)}
    return {word for type_of, word in _TYPES if isinstance(kind, type_of)}


def _limits(least: int | None, most: int | None, unit: str = "") -> str:
    if least is None and most is None:
        return ""
    if most is None:
        return f" of at least {least}{unit}"
    return f" of {least or 0} to {most}{unit}"


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
