"""The allowed values of a field of a tournament file, in words for error messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import inspect


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
            return f"a list, each {_words(kind.item_type)}"
        case inspect.DictType():
            return "a table"
    raise AssertionError(f"no words for {kind}")


def _limits(least: int | None, most: int | None, unit: str = "") -> str:
    if least is None and most is None:
        return ""
    if most is None:
        return f" of at least {least}{unit}"
    return f" of {least or 0} to {most}{unit}"


def _either(words: Sequence[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
