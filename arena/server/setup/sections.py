"""Sections of a TOML file, read field by field, so that every problem is found at once, each with its line."""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect

from arena.nearest import nearest
from arena.server.setup.guarded_toml import TomlLimitError, parse_toml
from arena.server.setup.problems import HEADER, Problems

S = TypeVar("S", bound=msgspec.Struct)
TYPES: Final = {bool: "true or false", int: "a whole number", str: "text", list: "a list", dict: "a table"}
"""What a value of TOML is called."""
_CURLY: Final = re.compile("[\u2018-\u201f]")
"""Quotes as word processors write them."""


def read_toml(text: str, tables: Collection[str], lists: Collection[str]) -> tuple[dict[str, Any], list[str]]:
    """The sections of a file, and what is wrong with it as a whole, each problem with its line.

    `tables` are sections that stand once, in single brackets; `lists` those that stand for each thing, in double ones.
    """
    wrong = _wrong_headers(text, tables, lists)
    told = [f"line {line}: {problem}" for line, problem in wrong.items()]
    try:
        raw = parse_toml(text)
    except TomlLimitError as error:
        return {}, [f"line {error.line}: {error}"]
    except tomllib.TOMLDecodeError as error:
        line = _line_of_error(str(error), text)
        if not (wrong and HEADER.match(text.split("\n")[line - 1])):  # else it says the same in the words of TOML
            told.append(_in_plain_words(str(error), text, line))
        return {}, told
    kinds: dict[str, type] = dict.fromkeys(tables, dict) | dict.fromkeys(lists, list)
    is_misread = any(name in raw and not isinstance(raw[name], kind) for name, kind in kinds.items())
    return raw, told if is_misread else []


def _line_of_error(error: str, text: str) -> int:
    """The line of an error of TOML, which says "at end of document" of the last one; 1 of an empty text."""
    at = re.search(r"\(at line (\d+),", error)
    return int(at[1]) if at else text.rstrip().count("\n") + 1


def _in_plain_words(error: str, text: str, line: int) -> str:
    """An error of TOML with the line that it stands in, and what to write there if that can be told."""
    words = text.split("\n")[line - 1].strip()
    reason, _, _ = error.partition(" (at ")
    told = f"line {line}: not TOML: {words}: {reason[:1].lower()}{reason[1:]}"
    name, equals, value = (part.strip() for part in words.partition("="))
    if _CURLY.search(words):
        advice = 'write straight quotes: "'
    elif "overwrite a value" in reason:
        advice = f"{name} is given a second time; leave one out"
    elif not equals and re.match(r"[\w-]+\s*:", words):
        name, _, value = (part.strip() for part in words.partition(":"))
        advice = f"write {name} = {value}"
    elif "\\" in value:
        advice = f"write each \\ twice, or put the text in single quotes: {name} = '{value.strip(chr(34))}'"
    elif equals and re.match(r"[^\W\d_]", value):
        advice = f'put a text in quotes: {name} = "{value}"'
    elif value[:1] in ("'", '"') and value.count(value[0]) % 2:
        advice = "a text ends with the quote with which it begins, in the same line"
    else:
        return told
    return f"{told}; {advice}"


def _wrong_headers(text: str, tables: Collection[str], lists: Collection[str]) -> dict[int, str]:
    found: dict[int, str] = {}
    first: dict[str, int] = {}
    for line, words in enumerate(text.split("\n"), 1):
        header = HEADER.match(words)
        name = header[2] if header else ""
        if header is None or name not in {*tables, *lists}:
            continue
        if name in lists and header[1] == "[":
            found[line] = f"[{name}] has single brackets; write [[{name}]], which stands once for each {name}"
        elif name in tables and header[1] == "[[":
            found[line] = f"[[{name}]] has double brackets; write [{name}], which stands once"
        elif name in tables and name in first:
            found[line] = f"[{name}] stands a second time; put its fields under the [{name}] of line {first[name]}"
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


def read_section(kind: type[S], given: object, where: str, problems: Problems, also: Sequence[str] = ()) -> S | None:
    """Return what could be read of a section, so that the rest can be checked as well; None if nothing could.

    `also` names fields that may stand in the section and are read elsewhere.
    """
    if not isinstance(given, Mapping):
        problems.add(f"{where} must be a table of fields", where)
        return None
    fields = _fields_of(kind)
    known = [*fields, *also]
    for name in given:
        if name not in known:
            problems.add(partial(unknown, name, known, f"field in {where}"), where, name)
    values = {}
    for name, field in fields.items():
        if name in given:
            value = given[name]
            if _holds_nul(value):
                nul = "holds a NUL, which no command and no name of a file can; take it out"
                problems.add(f"{where} {name} {nul}", where, name)
            try:
                values[name] = msgspec.convert(value, field.type)
            except msgspec.ValidationError:
                found = f"{name} = {toml_value(value)}{_type_found(value, field.type)}"
                problems.add(f"{where} {found}: expected {words_for(field.type)}", where, name)
        elif field.required:
            problems.add(f"{where} has no {name}", where)
    return kind(**values) if all(name in values for name, field in fields.items() if field.required) else None


def _holds_nul(value: object) -> bool:
    """Return whether a text, or one in a list, has the character that ends texts in C."""
    texts = value if isinstance(value, list) else [value]
    return any("\0" in text for text in texts if isinstance(text, str))


@cache
def _fields_of(kind: type[msgspec.Struct]) -> Mapping[str, msgspec.structs.FieldInfo]:
    """Return the fields of a section by name; to find them takes longer than to read a section."""
    return {field.name: field for field in msgspec.structs.fields(kind)}


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
            most = "" if kind.max_length is None else f"up to {kind.max_length} "
            return [(TYPES[list], f"a list of {most}{words}s")]
        case inspect.DictType():
            return [(TYPES[dict],) * 2]
    raise AssertionError(f"no words for {kind}")


def _limits(least: int | None, most: int | None, unit: str = "") -> str:
    if least is None and most is None:
        return ""
    if most is None:
        return f" of at least {least}{unit}"
    return f" of {least or 0} to {most}{unit}"
