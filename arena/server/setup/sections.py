"""Sections of a TOML file, read field by field: all problems are reported, each with its line."""

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec import inspect

from arena.nearest import unknown_name
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
"""The code of the words for each type of TOML."""
_CURLY: Final = re.compile("[\u2018-\u201f]")
"""Quotes as word processors write them."""


class _Allowed(NamedTuple):
    """Values that a field may have."""

    type_code: str
    """The code of their type."""
    words: Said | str
    """Which values of this type."""


def read_toml(
    text: str, tables: Collection[str], lists: Collection[str]
) -> tuple[dict[str, Any], list[Said]]:
    """Return the sections of a file, and the problems of the file as a whole, with their lines.

    `tables` are sections that stand once, in single brackets. `lists` are sections that may stand
    several times, in double brackets.
    """
    wrong_headers = _wrong_headers(text, tables, lists)
    problems = [in_line(line, problem) for line, problem in wrong_headers.items()]
    try:
        raw = parse_toml(text)
    except TomlLimitError as error:
        return {}, [in_line(error.line, error.said)]
    except tomllib.TOMLDecodeError as error:
        reason = str(error)
        line = _line_of_error(reason, text)
        words = text.split("\n")[line - 1]
        is_reported = bool(wrong_headers) and HEADER.match(words) is not None
        if not is_reported:
            problem = _in_plain_words(reason, words.strip())
            problems.append(in_line(line, problem))
        return {}, problems
    expected_types = dict.fromkeys(tables, dict) | dict.fromkeys(lists, list)
    for name, expected_type in expected_types.items():
        if name in raw and not isinstance(raw[name], expected_type):
            return raw, problems
    return raw, []


def _line_of_error(error: str, text: str) -> int:
    """Return the line of an error of TOML; one "at end of document" is in the last line."""
    place = re.search(r"\(at line (\d+),", error)
    if place is None:
        return text.rstrip().count("\n") + 1
    return int(place[1])


def _in_plain_words(error: str, words: str) -> Said:
    """Say an error of TOML with the words of its line, and with advice if there is some."""
    values = {"words": words, "reason": toml_reason(error)}
    problem = Said("toml.not_toml", values)
    advice = _advice(error, words)
    if advice is None:
        return problem
    return Said("toml.with_advice", {"problem": problem, "advice": advice})


def _advice(error: str, words: str) -> Said | None:
    """Say what to write in the place of a line that is not TOML; None if that is not clear."""
    name, equals, value = _split_at("=", words)
    if _CURLY.search(words):
        return Said("toml.straight_quotes")
    if "overwrite a value" in error:
        return Said("toml.given_twice", {"name": name})
    if not equals and re.match(r"[\w-]+\s*:", words):
        name, _, value = _split_at(":", words)
        return Said("toml.equals", {"name": name, "value": value})
    if "\\" in value:
        return Said("toml.backslash", {"name": name, "value": value.strip('"')})
    if equals and re.match(r"[^\W\d_]", value):
        return Said("toml.unquoted", {"name": name, "value": value})
    if _has_open_quote(value):
        return Said("toml.open_quote")
    return None


def _has_open_quote(value: str) -> bool:
    quote = value[:1]
    if quote not in ("'", '"'):
        return False
    return value.count(quote) % 2 == 1


def _split_at(mark: str, words: str) -> tuple[str, str, str]:
    before, mark_or_nothing, after = words.partition(mark)
    return before.strip(), mark_or_nothing, after.strip()


def _wrong_headers(
    text: str,
    tables: Collection[str],
    lists: Collection[str],
) -> dict[int, Said]:
    """Return the problems of headers by line: wrong brackets, and sections that stand twice."""
    wrong: dict[int, Said] = {}
    first_lines: dict[str, int] = {}
    for line, words in enumerate(text.split("\n"), 1):
        header = HEADER.match(words)
        if header is None:
            continue
        brackets, name = header.groups()
        if name in lists and brackets == "[":
            wrong[line] = Said("toml.single_brackets", {"name": name})
        if name in tables:
            if brackets == "[[":
                wrong[line] = Said("toml.double_brackets", {"name": name})
            elif name in first_lines:
                values = {"name": name, "line": first_lines[name]}
                wrong[line] = Said("toml.second_section", values)
        first_lines.setdefault(name, line)
    return wrong


def toml_value(value: object) -> str:
    """Write a value as TOML has it, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        fields = [f"{name} = {toml_value(field)}" for name, field in value.items()]
        return f"{{{', '.join(fields)}}}"
    return str(value)


def read_section(
    kind: type[S],
    table: object,
    where: str,
    problems: Problems,
    also: Sequence[str] = (),
) -> S | None:
    """Return the fields of a section that can be read; None if a required one cannot.

    Fields that cannot be read are reported. `also` names fields that may stand in the section and
    are read elsewhere.
    """
    section = section_in_words(where)
    if not isinstance(table, Mapping):
        problems.add(Said("plan.no_table", {"where": section}), where)
        return None
    fields = _fields_of(kind)
    expected = [*fields, *also]
    check_names(table, expected, where, problems)
    readable: dict[str, Any] = {}
    for name, field in fields.items():
        values = {"where": section, "name": name}
        if name not in table:
            if field.required:
                problems.add(Said("plan.missing", values), where)
            continue
        value = table[name]
        if _holds_nul(value):
            problems.add(Said("plan.holds_nul", values), where, name)
        try:
            readable[name] = msgspec.convert(value, field.type)
        except msgspec.ValidationError:
            problem = _wrong_value(section, name, value, field.type)
            problems.add(problem, where, name)
    for name, field in fields.items():
        if field.required and name not in readable:
            return None
    return kind(**readable)


def read_sections(
    raw: Mapping[str, Any],
    kinds: Mapping[str, type[Any]],
    expected: Sequence[str],
    problems: Problems,
) -> dict[str, Any]:
    """Return the sections of these kinds, with defaults for those that cannot be read.

    Sections of the file that are not among the expected ones are reported.
    """
    for name in raw:
        if name not in expected:
            problem = partial(unknown_name, "plan.unknown_section", name, expected)
            problems.add(problem, f"[{name}]")
    sections: dict[str, Any] = {}
    for name, kind in kinds.items():
        section = read_section(kind, raw.get(name, {}), f"[{name}]", problems)
        sections[name] = section or kind()
    return sections


def check_names(
    table: Mapping[str, Any],
    expected: Sequence[str],
    where: str,
    problems: Problems,
) -> None:
    """Report fields that this section does not have."""
    section = section_in_words(where)
    for name in table:
        if name not in expected:
            problem = partial(unknown_name, "plan.unknown_field", name, expected, where=section)
            problems.add(problem, where, name)


def _wrong_value(
    where: Said | str,
    name: str,
    value: object,
    kind: Any,
) -> Said:
    """Say what a field holds, and what it must hold."""
    values = {
        "where": where,
        "name": name,
        "value": toml_value(value),
        "expected": words_for(kind),
    }
    unexpected_type = _unexpected_type(value, kind)
    if unexpected_type is None:
        return Said("plan.value", values)
    return Said("plan.value_of_type", {**values, "found": Said(unexpected_type)})


def _holds_nul(value: object) -> bool:
    """Return whether a text, or one in a list, has the character that ends texts in C."""
    texts = value if isinstance(value, list) else [value]
    return any("\0" in text for text in texts if isinstance(text, str))


@cache
def _fields_of(kind: type[msgspec.Struct]) -> Mapping[str, msgspec.structs.FieldInfo]:
    """Return the fields of a section by name; to find them takes longer than to read a section."""
    return {field.name: field for field in msgspec.structs.fields(kind)}


def words_for(kind: Any) -> Said | str:
    """Say the type of a field: "3, 5 or 7", "a whole number of 1 to 256", "text or a list"."""
    field_type = inspect.type_info(kind)
    *others, last = [allowed.words for allowed in _allowed(field_type)]
    if not others:
        return last
    first = joined(others, "list.commas")
    return Said("list.or", {"first": first, "last": last})


def _unexpected_type(value: object, kind: Any) -> str | None:
    """Return the code of a value's type if the field may not have it; None for true and false."""
    if isinstance(value, bool):
        return None
    code = TYPES.get(type(value))
    for allowed in _allowed(inspect.type_info(kind)):
        if allowed.type_code == code:
            return None
    return code


def _allowed(kind: inspect.Type) -> list[_Allowed]:
    """Return the values that a field may have."""
    # A table: one case for each type of a field.
    match kind:
        case inspect.UnionType():
            return _allowed_in_union(kind)
        case inspect.Metadata():
            return _allowed(kind.type)
        case inspect.LiteralType():
            return [_one_of(literal) for literal in kind.values]
        case inspect.BoolType():
            return [_any_of(bool)]
        case inspect.IntType(ge=int(), le=int()):
            values = {"least": kind.ge, "most": kind.le}
            return [_Allowed(TYPES[int], Said("type.number_between", values))]
        case inspect.StrType(max_length=None):
            return [_any_of(str)]
        case inspect.StrType(min_length=least, max_length=most):
            values = {"least": least or 0, "most": most}
            return [_Allowed(TYPES[str], Said("type.text_between", values))]
        case inspect.VarTupleType(item_type=inspect.StrType(), max_length=None):
            return [_Allowed(TYPES[list], Said("type.texts"))]
        case inspect.VarTupleType(item_type=inspect.StrType(), max_length=most):
            texts = Said("type.most_texts", {"most": most})
            return [_Allowed(TYPES[list], texts)]
        case inspect.DictType():
            return [_any_of(dict)]
    raise AssertionError(f"no words for {kind}")


def _allowed_in_union(union: inspect.UnionType) -> list[_Allowed]:
    allowed = []
    for kind in union.types:
        if not isinstance(kind, inspect.NoneType):
            allowed += _allowed(kind)
    return allowed


def _one_of(literal: object) -> _Allowed:
    return _Allowed(TYPES[type(literal)], repr(literal))


def _any_of(kind: type) -> _Allowed:
    return _Allowed(TYPES[kind], Said(TYPES[kind]))
