"""Fields of the tournament file that the command line gives: `--set clock.delay_ms=500`, `--games 5`."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import tomli_w

from arena.nearest import meant
from arena.own_programs import find_program
from arena.server.setup.entrant_ids import id_of
from arena.server.setup.guarded_toml import DEEPEST, TomlLimitError, check_size, parse_toml
from arena.server.setup.problems import Problems, shortened
from arena.server.setup.toml_errors import toml_reason
from arena.words import Said, SaidError


class GivenFieldError(SaidError, ValueError):
    """The text of a `--set` cannot be read; says what was found and what was expected."""

    def __init__(self, problem: Said) -> None:
        super().__init__(shortened(problem))


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenField:
    """A value for one field."""

    option: str
    """The option that gives it, as it was written."""
    path: tuple[str, ...]
    """Section and field. `("bot", field)` is a field of every bot, `("bot", name, field)` of one."""
    value: Any


def parse_set(text: str) -> GivenField:
    """Read SECTION.FIELD=VALUE; the value is TOML, or else a bare word, which is text.

    Raises `GivenFieldError`.
    """
    name, equals, written = (part.strip() for part in text.partition("="))
    path = tuple(name.split("."))
    if path[0] == "bot" and len(path) > 3:
        path = ("bot", ".".join(path[1:-1]), path[-1])
    option = f"--set {text!r}"
    if not (equals and written and len(path) > 1 and all(path)):
        raise GivenFieldError(Said("set.expected", {"option": option}))
    if len(path) > DEEPEST:
        raise GivenFieldError(
            Said("set.many_parts", {"option": option, "number": len(path), "most": DEEPEST})
        )
    return GivenField(option=f"--set {text}", path=path, value=_value(written, option))


def _value(written: str, option: str) -> Any:
    try:
        found = parse_toml(f"value = {written}")
    except TomlLimitError as error:
        raise GivenFieldError(Said("plan.at", {"place": option, "problem": error.said})) from error
    except tomllib.TOMLDecodeError as error:
        if written[0] not in "\"'[{" and written.isprintable():
            return written
        values = {"option": option, "value": written, "error": toml_reason(str(error))}
        raise GivenFieldError(Said("set.no_value", values)) from error
    if len(found) > 1:
        raise GivenFieldError(Said("set.several", {"option": option}))
    return found["value"]


def put_fields(raw: dict[str, Any], fields: Sequence[GivenField], problems: Problems) -> None:
    """Put fields into a tournament file that was read, and add what cannot be put there.

    `problems` learns which option gave which field, so that problems of its value can name it.
    """
    given: dict[tuple[str, ...], str] = {}
    for field in fields:
        if field.path in given:
            values = {"field": ".".join(field.path), "option": given[field.path]}
            problem: Said | None = Said("set.given_already", values)
        else:
            given[field.path] = field.option
            problem = _put(raw, field, problems)
        if problem is not None:
            problems.add(Said("plan.at", {"place": field.option, "problem": problem}))


def text_with(text: str, fields: Sequence[GivenField]) -> str:
    """Return a tournament file, which is in order, with these fields; as it is if there are none."""
    if not fields:
        return text
    raw = parse_toml(text)
    put_fields(raw, fields, Problems(""))
    return _written(raw)


def text_of_installed(text: str) -> tuple[str, list[Said]]:
    """Return a tournament file, which is in order, without the bots whose `if_installed` is not, and why in sentences.

    Those that stay lose the field, so that the run goes on with the same entrants whatever is
    installed later.
    """
    raw = parse_toml(text)
    bots = raw.get("bot", [])
    if not any("if_installed" in bot for bot in bots):
        return text, []
    raw["bot"], why = [], []
    for bot in bots:
        program = bot.pop("if_installed", None)
        if program is None or find_program(program) is not None:
            raw["bot"].append(bot)
        else:
            why.append(Said("set.left_out", {"name": bot["name"], "program": program}))
    return _written(raw), why


def _written(raw: dict[str, Any]) -> str:
    """Return the text of a tournament file, which the run folder keeps. Raises `TomlLimitError`."""
    text = tomli_w.dumps(raw)
    check_size(text)
    return text


def _put(raw: dict[str, Any], field: GivenField, problems: Problems) -> Said | None:
    first, *within, name = field.path
    if first == "bot":
        return _put_in_bots(raw.get("bot"), field, problems)
    problems.give(f"[{first}]", (*within, name)[0], field.option, is_new=first not in raw)
    table: Any = raw.setdefault(first, {})
    for part in within:
        table = table.setdefault(part, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        return Said("set.no_table", {"field": ".".join((first, *within))})
    table[name] = field.value
    return None


def _put_in_bots(bots: object, field: GivenField, problems: Problems) -> Said | None:
    tables = (
        [bot if isinstance(bot, dict) else {} for bot in bots] if isinstance(bots, list) else []
    )
    wanted = field.path[1] if len(field.path) > 2 else None
    is_there = wanted is None
    for number, bot in enumerate(tables, 1):
        name = str(bot.get("name", ""))
        entrant = str(bot.get("id", id_of(name, number)))
        if wanted in (None, name, entrant):
            bot[field.path[-1]] = field.value
            problems.give(f"[[bot]] number {number}", field.path[-1], field.option)
            is_there = True
    if is_there:
        return None
    known = [str(bot["name"]) for bot in tables if "name" in bot]
    there = ", ".join(known) or Said("none")
    return Said("set.no_bot", {"name": repr(wanted), "known": there, "meant": meant(wanted, known)})
