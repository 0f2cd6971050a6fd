"""Fields of the tournament file from the command line: `--set clock.delay_ms=500`, `--games 5`."""

import tomllib
from collections.abc import Mapping, Sequence
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
    """The text of a `--set` cannot be read; says what it is and what was expected."""

    def __init__(self, problem: Said) -> None:
        super().__init__(shortened(problem))


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenField:
    """A value for one field."""

    option: str
    """The option of the command line, as it was written."""
    path: tuple[str, ...]
    """Section and field; `("bot", field)` is for all bots, `("bot", name, field)` for one."""
    value: Any


def parse_set(text: str) -> GivenField:
    """Read SECTION.FIELD=VALUE; the value is TOML, or else a bare word, which is text.

    Raises `GivenFieldError`.
    """
    name, equals, written = text.partition("=")
    written = written.strip()
    path = tuple(name.strip().split("."))
    if path[0] == "bot" and len(path) > 3:
        section, *bot_name, field_name = path
        path = (section, ".".join(bot_name), field_name)
    option = f"--set {text!r}"
    is_field = len(path) > 1 and all(path)
    if not (equals and written and is_field):
        raise GivenFieldError(Said("set.expected", {"option": option}))
    if len(path) > DEEPEST:
        values = {
            "option": option,
            "number": len(path),
            "most": DEEPEST,
        }
        raise GivenFieldError(Said("set.many_parts", values))
    value = _read_value(written, option)
    return GivenField(option=f"--set {text}", path=path, value=value)


def _read_value(written: str, option: str) -> Any:
    """Return the value of a field as TOML, or a bare word as text. Raises `GivenFieldError`."""
    try:
        table = parse_toml(f"value = {written}")
    except TomlLimitError as error:
        values = {"place": option, "problem": error.said}
        raise GivenFieldError(Said("plan.at", values)) from error
    except tomllib.TOMLDecodeError as error:
        is_bare_word = written[0] not in "\"'[{" and written.isprintable()
        if is_bare_word:
            return written
        values = {
            "option": option,
            "value": written,
            "error": toml_reason(str(error)),
        }
        raise GivenFieldError(Said("set.no_value", values)) from error
    if len(table) > 1:
        raise GivenFieldError(Said("set.several", {"option": option}))
    return table["value"]


def put_fields(
    raw: dict[str, Any],
    fields: Sequence[GivenField],
    problems: Problems,
) -> None:
    """Put fields into a tournament file that was read; report those that cannot be put there.

    `problems` learns which option gave which field, so that problems of its value can name it.
    """
    options: dict[tuple[str, ...], str] = {}
    for field in fields:
        if field.path in options:
            values = {
                "field": ".".join(field.path),
                "option": options[field.path],
            }
            problem: Said | None = Said("set.given_already", values)
        else:
            options[field.path] = field.option
            problem = _put(raw, field, problems)
        if problem is not None:
            problem_at_option = Said("plan.at", {"place": field.option, "problem": problem})
            problems.add(problem_at_option)


def with_fields(text: str, fields: Sequence[GivenField]) -> str:
    """Return the text of a tournament file with these fields set; unchanged if there are none.

    The file must have passed `parse_plan` with them, so no problem can arise here. Raises
    `TomlLimitError`.
    """
    if not fields:
        return text
    raw = parse_toml(text)
    put_fields(raw, fields, Problems(""))
    return _written(raw)


def text_of_installed(text: str) -> tuple[str, list[Said]]:
    """Return a valid tournament file without the bots whose `if_installed` is missing, and why.

    The other bots lose the field, so that the run goes on with the same entrants whatever is
    installed later.
    """
    raw = parse_toml(text)
    bots = raw.get("bot", [])
    if not any("if_installed" in bot for bot in bots):
        return text, []
    installed = []
    reasons = []
    for bot in bots:
        program = bot.pop("if_installed", None)
        if program is None or find_program(program) is not None:
            installed.append(bot)
        else:
            values = {"name": bot["name"], "program": program}
            reasons.append(Said("set.left_out", values))
    raw["bot"] = installed
    return _written(raw), reasons


def _written(raw: dict[str, Any]) -> str:
    """Return the text of a tournament file, which the run folder keeps. Raises `TomlLimitError`."""
    text = tomli_w.dumps(raw)
    check_size(text)
    return text


def _put(
    raw: dict[str, Any],
    field: GivenField,
    problems: Problems,
) -> Said | None:
    """Put a field into its table; return what prevents that."""
    section, *parts, name = field.path
    if section == "bot":
        return _put_in_bots(raw.get("bot"), field, problems)
    field_name = field.path[1]
    problems.give(f"[{section}]", field_name, field.option, is_new=section not in raw)
    table: Any = raw.setdefault(section, {})
    for part in parts:
        if not isinstance(table, dict):
            break
        table = table.setdefault(part, {})
    if not isinstance(table, dict):
        table_name = ".".join((section, *parts))
        return Said("set.no_table", {"field": table_name})
    table[name] = field.value
    return None


def _put_in_bots(
    bots: object,
    field: GivenField,
    problems: Problems,
) -> Said | None:
    """Put a field into every bot, or into the one that it names; return what prevents that."""
    tables: list[dict[str, Any]] = []
    if isinstance(bots, list):
        tables = [_table_or_empty(bot) for bot in bots]
    field_name = field.path[-1]
    wanted_bot = None
    if len(field.path) > 2:
        wanted_bot = field.path[1]
    is_there = wanted_bot is None
    for number, bot in enumerate(tables, 1):
        name = str(bot.get("name", ""))
        entrant = str(bot.get("id", id_of(name, number)))
        if wanted_bot in (None, name, entrant):
            bot[field_name] = field.value
            problems.give(f"[[bot]] number {number}", field_name, field.option)
            is_there = True
    if is_there:
        return None
    return _no_such_bot(wanted_bot, tables)


def _table_or_empty(bot: object) -> dict[str, Any]:
    if isinstance(bot, dict):
        return bot
    return {}


def _no_such_bot(wanted: str | None, bots: Sequence[Mapping[str, Any]]) -> Said:
    names = [str(bot["name"]) for bot in bots if "name" in bot]
    values = {
        "name": repr(wanted),
        "known": ", ".join(names) or Said("none"),
        "meant": meant(wanted, names),
    }
    return Said("set.no_bot", values)
