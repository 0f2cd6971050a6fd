"""Writes what the pages get, as types for their scripts: arena/pages/assets/contents.d.ts.

The structs of `arena.pages` say what it is; a test compares the file with them.

    python -m tests.generators.make_page_types
"""

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NewType, TypeAlias

import msgspec
from msgspec import NODEFAULT
from msgspec.inspect import (
    AnyType,
    BoolType,
    DataclassType,
    DictType,
    Field,
    FloatType,
    IntType,
    ListType,
    LiteralType,
    NamedTupleType,
    NoneType,
    StrType,
    StructType,
    TupleType,
    Type,
    UnionType,
    VarTupleType,
)

from arena.pages.by_hand.hand_pages import Act
from arena.pages.by_hand.hand_state import PageState, PastReview
from arena.pages.contents import (
    BotPage,
    MatchPage,
    News,
    Overview,
    PairingsPage,
    ReplayedGame,
    RunsPage,
)
from arena.pages.findings import Report
from arena.pages.games import Change
from arena.pages.venue_contents import BotOfVenue, CupPage, LadderPage, RunPlace, VenuePage
from arena.person.past_matches import PastMatch

FILE: Final = Path(__file__).parents[2] / "arena" / "pages" / "assets" / "contents.d.ts"
SENT: Final = (
    Report,
    Overview,
    RunsPage,
    VenuePage,
    LadderPage,
    CupPage,
    BotOfVenue,
    RunPlace,
    News,
    PairingsPage,
    BotPage,
    MatchPage,
    ReplayedGame,
    Change,
    PageState,
    PastReview,
    PastMatch,
)
"""What a page gets; the structs in them follow."""
RECEIVED: Final = (Act,)
"""What a page sends. It may leave out every field that has a default."""
HEAD: Final = """\
// What the pages get from the arena, and send to it: made from the structs of arena.pages by
// `python -m tests.generators.make_page_types`.
"""
LINE_CHARS: Final = 100
"""The most characters of a line, as in biome.json."""
INDENT: Final = "  "

NamedType: TypeAlias = StructType | DataclassType | NamedTupleType
Script = NewType("Script", str)
"""A type as TypeScript writes it, on one line."""

_PLAIN: Final[dict[type[Type], Script]] = {
    AnyType: Script("unknown"),
    BoolType: Script("boolean"),
    FloatType: Script("number"),
    IntType: Script("number"),
    NoneType: Script("null"),
    StrType: Script("string"),
}


def page_types() -> str:
    """Return the file as it should be."""
    declarations = [_declaration(named) for named in _named_types()]
    return "\n".join([HEAD, *declarations])


def _named_types() -> list[NamedType]:
    """Return all structs, dataclasses and named tuples, each before those that it has."""
    named: dict[type, NamedType] = {}

    def add(kind: Type) -> None:
        if isinstance(kind, NamedType):
            if kind.cls in named:
                return
            named[kind.cls] = kind
        for part in _parts_of(kind):
            add(part)

    for kind in msgspec.inspect.multi_type_info([*SENT, *RECEIVED]):
        add(kind)
    return list(named.values())


def _parts_of(kind: Type) -> Iterator[Type]:
    """Return the types that a type is made of."""
    match kind:
        case StructType() | DataclassType() | NamedTupleType():
            yield from (field.type for field in kind.fields)
        case UnionType():
            yield from kind.types
        case TupleType():
            yield from kind.item_types
        case ListType() | VarTupleType():
            yield kind.item_type
        case DictType():
            yield kind.value_type


def _declaration(named: NamedType) -> str:
    """Return the type with its name, laid out as biome does."""
    name = named.cls.__name__
    summary, *_ = (inspect.getdoc(named.cls) or "").splitlines()
    if isinstance(named, NamedTupleType) or _is_array(named):
        body = _labelled_tuple(name, named.fields)
    else:
        body = _object(name, named)
    return f"/** {summary} */\n{body}"


def _is_array(named: NamedType) -> bool:
    return isinstance(named, StructType) and named.array_like


def _labelled_tuple(name: str, fields: Iterable[Field]) -> str:
    """Return an array with a label for each place; the arena writes all of them."""
    places = [f"{field.encode_name}: {_script_of(field.type)}" for field in fields]
    line = f"export type {name} = [{', '.join(places)}];\n"
    if len(line) <= LINE_CHARS:
        return line
    rows = [_row(field, "", ",") for field in fields]
    return f"export type {name} = [\n{''.join(rows)}];\n"


def _object(name: str, named: StructType | DataclassType) -> str:
    rows = []
    if isinstance(named, StructType) and named.tag_field is not None:
        rows.append(f"{INDENT}{named.tag_field}: {_literal(named.tag)};\n")
    for field in named.fields:
        optional = "?" if _may_be_missing(named.cls, field) else ""
        rows.append(_row(field, optional, ";"))
    return f"export type {name} = {{\n{''.join(rows)}}};\n"


def _may_be_missing(owner: type, field: Field) -> bool:
    """Return whether JSON leaves out the field in some values, or a page may leave it out."""
    if field.required:
        return False
    is_unset = field.default is NODEFAULT and field.default_factory is NODEFAULT
    if is_unset or owner in RECEIVED:
        return True
    config = getattr(owner, "__struct_config__", None)
    return config is not None and config.omit_defaults


def _row(field: Field, optional: str, end: str) -> str:
    """Return the field of an object or the place of an array; a long union has a line for each."""
    start = f"{INDENT}{field.encode_name}{optional}:"
    line = f"{start} {_script_of(field.type)}{end}\n"
    if len(line) <= LINE_CHARS + 1:
        return line
    parts = [f"\n{2 * INDENT}| {part}" for part in _alternatives(field.type)]
    return f"{start}{''.join(parts)}{end}\n"


def _script_of(kind: Type) -> Script:
    """Return a type as it stands in a field."""
    if type(kind) in _PLAIN:
        return _PLAIN[type(kind)]
    match kind:
        case StructType() | DataclassType() | NamedTupleType():
            return Script(kind.cls.__name__)
        case UnionType() | LiteralType():
            return Script(" | ".join(_alternatives(kind)))
        case ListType() | VarTupleType():
            item = _script_of(kind.item_type)
            return Script(f"({item})[]" if len(_alternatives(kind.item_type)) > 1 else f"{item}[]")
        case TupleType():
            return Script(f"[{', '.join(map(_script_of, kind.item_types))}]")
        case DictType():
            return Script(f"Record<string, {_script_of(kind.value_type)}>")
    raise TypeError(f"no type of TypeScript is known for {kind}")


def _alternatives(kind: Type) -> list[Script]:
    """Return the types of a union, the values of a literal, or the type alone."""
    match kind:
        case UnionType():
            return [part for one in kind.types for part in _alternatives(one)]
        case LiteralType():
            return [_literal(value) for value in kind.values]
    return [_script_of(kind)]


def _literal(value: Any) -> Script:
    return Script(msgspec.json.encode(value).decode())


if __name__ == "__main__":
    FILE.write_text(page_types(), encoding="utf-8")
