"""Sections of a TOML file, read field by field, so that every problem is found at once, each with its line."""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from arena.nearest import meant
from arena.server.setup.guarded_toml import TomlLimitError, parse_toml
from arena.server.setup.problems import HEADER, Problems, in_line, section_in_words
from arena.server.setup.toml_errors import toml_reason
from arena.words import Said, joined

S = TypeVar("S", bound=msgspec.Struct)
TYPES: Final = {
    bool: "type.bool",
    int: "type.whole_number",
    float: "type.fraction",
    str: "type.text",
    list: "type.list",
    dict: "type.table",
}
"""What a value of TOML is called."""
_CURLY: Final = re.compile("[\u2018-\u201f]")
"""Quotes as word processors write them."""


def read_toml(
    text: str, tables: Collection[str], lists: Collection[str]
) -> tuple[dict[str, Any], list[Said]]:
    """The sections of a file, and what is wrong with it as a whole, each problem with its line.

    `tables` are sections that stand once, in single brackets; `lists` those that stand for each
    thing, in double ones.
    """
    wrong = _wrong_headers(text, tables, lists)
    told = [in_line(line, problem) for line, problem in wrong.items()]
    try:
        raw = parse_toml(text)
    except TomlLimitError as error:
        return {}, [in_line(error.line, error.said)]
    except tomllib.TOMLDecodeError as error:
        line = _line_of_error(str(error), text)
        if not (
            wrong and HEADER.match(text.split("\n")[line - 1])
        ):  # else it says the same in the words of TOML
            told.append(in_line(line, _in_plain_words(str(error), text, line)))
        return {}, told
    kinds: dict[str, type] = dict.fromkeys(tables, dict) | dict.fromkeys(lists, list)
    is_misread = any(
        name in raw and not isinstance(raw[name], kind) for name, kind in kinds.items()
    )
    return raw, told if is_misread else []


def _line_of_error(error: str, text: str) -> int:
    """The line of an error of TOML, which says "at end of document" of the last one; 1 of an empty text."""
    at = re.search(r"\(at line (\d+),", error)
    return int(at[1]) if at else text.rstrip().count("\n") + 1


def _in_plain_words(error: str, text: str, line: int) -> Said:
    """An error of TOML with the words of its line, and what to write there if that can be told."""
    words = text.split("\n")[line - 1].strip()
    problem = Said("toml.not_toml", {"words": words, "reason": toml_reason(error)})
    name, equals, value = (part.strip() for part in words.partition("="))
    if _CURLY.search(words):
        advice = Said("toml.straight_quotes")
    elif "overwrite a value" in error:
        advice = Said("toml.given_twice", {"name": name})
    elif not equals and re.match(r"[\w-]+\s*:", words):
        name, _, value = (part.strip() for part in words.partition(":"))
        advice = Said("toml.equals", {"name": name, "value": value})
    elif "\\" in value:
        advice = Said("toml.backslash", {"name": name, "value": value.strip('"')})
    elif equals and re.match(r"[^\W\d_]", value):
        advice = Said("toml.unquoted", {"name": name, "value": value})
    elif value[:1] in ("'", '"') and value.count(value[0]) % 2:
        advice = Said("toml.open_quote")
    else:
        return problem
    return Said("toml.with_advice", {"problem": problem, "advice": advice})


def _wrong_headers(text: str, tables: Collection[str], lists: Collection[str]) -> dict[int, Said]:
    found: dict[int, Said] = {}
    first: dict[str, int] = {}
    for line, words in enumerate(text.split("\n"), 1):
        header = HEADER.match(words)
        name = header[2] if header else ""
        if header is None or name not in {*tables, *lists}:
            continue
        if name in lists and header[1] == "[":
            found[line] = Said("toml.single_brackets", {"name": name})
        elif name in tables and header[1] == "[[":
            found[line] = Said("toml.double_brackets", {"name": name})
        elif name in tables and name in first:
            found[line] = Said("toml.second_section", {"name": name, "line": first[name]})
        first.setdefault(name, line)
    return found


def toml_value(value: object) -> str:
    """A value as TOML has it, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name} = {toml_value(one)}' for name, one in value.items())}}}"
    return str(value)


def read_section(
    kind: type[S], given: object, where: str, problems: Problems, also: Sequence[str] = ()
) -> S | None:
    """Return what could be read of a section, so that the rest can be checked as well; None if nothing could.

    `also` names fields that may stand in the section and are read elsewhere.
    """
    if not isinstance(given, Mapping):
        problems.add(Said("plan.no_table", {"where": section_in_words(where)}), where)
        return None
    fields = _fields_of(kind)
    known = [*fields, *also]
    shown = section_in_words(where)
    for name in given:
        if name not in known:
            problems.add(
                partial(unknown_name, "plan.unknown_field", name, known, shown), where, name
            )
    values = {}
    for name, field in fields.items():
        if name in given:
            value = given[name]
            if _holds_nul(value):
                problems.add(Said("plan.holds_nul", {"where": shown, "name": name}), where, name)
            try:
                values[name] = msgspec.convert(value, field.type)
            except msgspec.ValidationError:
                problems.add(_wrong_value(shown, name, value, field.type), where, name)
        elif field.required:
            problems.add(Said("plan.missing", {"where": shown, "name": name}), where)
    return (
        kind(**values)
        if all(name in values for name, field in fields.items() if field.required)
        else None
    )


def unknown_name(code: str, name: str, known: Sequence[str], where: Said | str = "") -> Said:
    """Return the sentence of a name that a file does not have there, with the names that it may have."""
    return Said(
        code,
        {
            "where": where,
            "name": repr(name),
            "known": ", ".join(known),
            "meant": meant(name, known),
        },
    )


def _wrong_value(where: Said | str, name: str, value: object, kind: Any) -> Said:
    values = {"where": where, "name": name, "value": toml_value(value), "expected": words_for(kind)}
    if found := _type_found(value, kind):
        return Said("plan.value_of_type", {**values, "found": Said(found)})
    return Said("plan.value", values)


def _holds_nul(value: object) -> bool:
    """Return whether a text, or one in a list, has the character that ends texts in C."""
    texts = value if isinstance(value, list) else [value]
    return any("\0" in text for text in texts if isinstance(text, str))


@cache
def _fields_of(kind: type[msgspec.Struct]) -> Mapping[str, msgspec.structs.FieldInfo]:
    """Return the fields of a section by name; to find them takes longer than to read a section."""
    return {field.name: field for field in msgspec.structs.fields(kind)}


def words_for(kind: Any) -> Said | str:
    """The type of a field in words: "3, 5 or 7", "a whole number of 1 to 256", "text or a list of texts"."""
    *first, last = [words for _, words in _allowed(inspect.type_info(kind))]
    return Said("list.or", {"first": joined(first, "list.commas"), "last": last}) if first else last


def _type_found(value: object, kind: Any) -> str:
    """Return the code of what was found if it is no type of this field; empty otherwise, and for true and false."""
    found = TYPES.get(type(value), "")
    is_expected = found in {code for code, _ in _allowed(inspect.type_info(kind))}
    return "" if is_expected or isinstance(value, bool) else found


def _allowed(kind: inspect.Type) -> list[tuple[str, Said | str]]:
    """The values that a field may have: the code of their type, and which of it are allowed."""
    match kind:
        case inspect.UnionType():
            return [
                one
                for each in kind.types
                if not isinstance(each, inspect.NoneType)
                for one in _allowed(each)
            ]
        case inspect.Metadata():
            return _allowed(kind.type)
        case inspect.LiteralType():
            return [(TYPES[type(value)], repr(value)) for value in kind.values]
        case inspect.BoolType():
            return [_of_type(bool)]
        case inspect.IntType(ge=int(), le=int()):
            return [(TYPES[int], Said("type.number_between", {"least": kind.ge, "most": kind.le}))]
        case inspect.StrType(max_length=None):
            return [_of_type(str)]
        case inspect.StrType():
            values = {"least": kind.min_length or 0, "most": kind.max_length}
            return [(TYPES[str], Said("type.text_between", values))]
        case inspect.VarTupleType(item_type=inspect.StrType()):
            texts = Said("type.texts")
            if kind.max_length is not None:
                texts = Said("type.most_texts", {"most": kind.max_length})
            return [(TYPES[list], texts)]
        case inspect.DictType():
            return [_of_type(dict)]
    raise AssertionError(f"no words for {kind}")


def _of_type(kind: type) -> tuple[str, Said]:
    return TYPES[kind], Said(TYPES[kind])
