"""Rulesets of all families of games, by name, by base and fields, and in the plain form that records keep."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, get_origin, get_type_hints

from arena.games.brandubh.game import FAMILY as BRANDUBH
from arena.games.interface import Family, Game, GameError, OptionError
from arena.games.tables.game import FAMILY as TABLES
from arena.nearest import meant
from arena.words import Said, joined

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

DEFAULT: Final = "vasa"
MOST: Final = 1_000_000
"""The largest value of a ruleset's field, so that anything computed from it can be sent and
recorded."""
NAME_CHARS: Final = 60
"""The longest name of a ruleset, which stands in records, on screens and in files of weights."""
DEEPEST: Final = 4
"""Levels of lists in the field of a ruleset: functions that call themselves walk through them."""
ENTRY_POINT: Final = "arena.games"
"""The entry point group under which another package names its `Family`."""

_OWN: Final = {family.name: family for family in (TABLES, BRANDUBH)}


def ruleset_names() -> tuple[str, ...]:
    """Every ruleset known by name, those of other packages last."""
    return tuple(name for family in all_families().values() for name in family.rulesets)


def option_names(ruleset: str) -> tuple[str, ...]:
    """The options a named ruleset takes (B11, G6)."""
    family = _family_of(ruleset)
    return tuple(family.options.get(ruleset, {})) if family else ()


def load_game(
    ruleset: str | Mapping[str, object] = DEFAULT, options: Sequence[str] = ()
) -> Game[Any]:
    """A game by the name of its ruleset and the options switched on, or under a house ruleset.

    A house ruleset is a mapping with `base` (a known name), `name` (its own) and the fields that
    differ, or with every field and no base. Raises `GameError` with every problem; unknown names
    and fields are refused, naming the known ones and the nearest.
    """
    if isinstance(ruleset, str):
        return _build(_with_options(ruleset, options))
    given = dict(ruleset)
    if deep := [field for field, value in given.items() if _is_deep(value)]:
        raise GameError([Said("rules.deep", {"field": field, "most": DEEPEST}) for field in deep])
    base = given.pop("base", None)
    if base is None:
        if options:
            raise OptionError([Said("rules.options_of_fields")])
        return _build(given)
    if not isinstance(base, str):
        raise GameError([Said("rules.no_base", {"base": repr(base)})])
    whole = _with_options(base, options)
    family = given.get("family", whole["family"])
    if family != whole["family"]:
        values = {"family": repr(family), "expected": repr(whole["family"]), "base": repr(base)}
        raise GameError([Said("rules.other_family", values)])
    return _build(whole | given)


def _is_deep(value: object) -> bool:
    """Return whether lists and tables lie in one another more than `DEEPEST` deep."""
    level = [value]
    for _ in range(DEEPEST + 1):
        inner: list[object] = []
        for outer in level:
            if isinstance(outer, Mapping):
                inner += outer.values()
            elif isinstance(outer, list | tuple):
                inner += outer
        level = inner
    return bool(level)


def _with_options(name: str, options: Sequence[str]) -> dict[str, Any]:
    """A named ruleset's fields with options switched on; its name then lists them: `classic+double_six`."""
    family = _family_of(name)
    if family is None:
        names = ruleset_names()
        values = {"name": repr(name), "known": ", ".join(names), "meant": meant(name, names)}
        raise GameError([Said("rules.unknown", values)])
    plain = {field: _listed(value) for field, value in asdict(family.rulesets[name]).items()}
    known = family.options.get(name, {})
    for option in dict.fromkeys(options):
        if option not in known:
            takes = ", ".join(known) or Said("rules.no_option")
            hint = meant(option, known)
            if others := [other for other in ruleset_names() if option in option_names(other)]:
                hint = Said(
                    "rules.option_of", {"option": repr(option), "others": ", ".join(others)}
                )
            values = {"option": repr(option), "name": name, "takes": takes, "hint": hint}
            raise OptionError([Said("rules.unknown_option", values)])
        plain |= known[option]
    if options:
        plain["name"] = "+".join([name, *sorted(set(options))])
    return plain


def ruleset_record(game: Game[Any]) -> dict[str, Any]:
    """The whole ruleset, as sent and recorded: `{"name": ..., "hash": ..., "fields": {...}}`.

    The hash is the SHA-256 of the fields as JSON with sorted keys and no spaces, in hexadecimal.
    """
    plain = dict(game.ruleset)
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return {"name": game.name, "hash": hashlib.sha256(text.encode()).hexdigest(), "fields": plain}


def game_of_record(record: Mapping[str, Any]) -> Game[Any]:
    """The inverse of `ruleset_record`; raises `GameError` without fields, or if name or hash do not match them."""
    fields = record.get("fields")
    if not isinstance(fields, Mapping):
        raise GameError([Said("rules.no_fields", {"found": repr(fields)})])
    game = load_game(fields)
    if ruleset_record(game) != dict(record):
        raise GameError([Said("rules.no_match", {"name": repr(record.get("name"))})])
    return game


def _listed(value: object) -> object:
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value


def _build(plain: Mapping[str, Any]) -> Game[Any]:
    name = plain.get("family", "tables")
    family = (_OWN.get(name) or all_families().get(name)) if isinstance(name, str) else None
    if family is None:
        known = all_families()
        values = {"name": repr(name), "known": ", ".join(known), "meant": meant(name, known)}
        raise GameError([Said("rules.unknown_family", values)])
    hints = get_type_hints(family.ruleset)
    found = [_unknown_field(name, hints) for name in plain if name not in hints]
    missing = [name for name in hints if name not in plain and name != "family"]
    if missing:
        found.append(Said("rules.missing_fields", {"names": ", ".join(missing)}))
    checked = {
        name: _checked(name, plain[name], hint, found)
        for name, hint in hints.items()
        if name in plain
    }
    found = found or _name_problems(plain)
    if found:
        raise GameError(found)
    return family.game(family.ruleset(**checked))


def _unknown_field(name: str, known: Mapping[str, object]) -> Said:
    values = {"name": repr(name), "known": ", ".join(known), "meant": meant(name, known)}
    return Said("rules.unknown_field", values)


def _name_problems(plain: Mapping[str, Any]) -> list[Said]:
    """A name never changes its meaning: a known name, with or without options, needs exactly its fields."""
    name = plain["name"]
    if len(name) > NAME_CHARS or not name.isprintable():
        return [Said("rules.long_name", {"most": NAME_CHARS, "name": repr(name[:NAME_CHARS])})]
    base, *options = name.split("+")
    if _family_of(base) is None:
        return [Said("rules.plus_in_name", {"name": repr(name)})] if not name or options else []
    if set(options) <= set(option_names(base)) and dict(plain) == _with_options(base, options):
        return []
    return [Said("rules.taken_name", {"name": repr(name)})]


def _checked(name: str, given: object, hint: Any, found: list[Said]) -> object:
    """One field's value, checked against its type: a word of a fixed list, bool, whole number, text or none.

    Lists become tuples; the game checks what they hold.
    """
    if get_origin(hint) is Literal:
        words = get_args(hint)
        if given not in words:
            values = {"known": ", ".join(map(repr, words)), "meant": meant(given, words)}
            found.append(Said("rules.one_of", {"name": name, "value": repr(given), **values}))
        return given
    if get_origin(hint) is tuple:
        if not isinstance(given, list | tuple):
            found.append(Said("rules.no_list", {"name": name, "value": repr(given)}))
        return _frozen(given)
    kinds = get_args(hint) or (hint,)
    if type(given) not in kinds:
        expected = joined([_type_in_words(kind) for kind in kinds], "list.or")
        found.append(
            Said("rules.no_type", {"name": name, "value": repr(given), "expected": expected})
        )
    elif isinstance(given, int) and given < 0:
        found.append(Said("rules.negative", {"name": name, "value": str(given)}))
    elif isinstance(given, int) and given > MOST:
        found.append(Said("rules.large", {"name": name, "value": str(given), "most": MOST}))
    return given


def _type_in_words(kind: type) -> Said | str:
    return Said("rules.none") if kind is type(None) else kind.__name__


def _frozen(given: object) -> object:
    return tuple(map(_frozen, given)) if isinstance(given, list | tuple) else given


# Families of games: those of the rule book, and those of other packages


def _family_of(ruleset: str) -> Family | None:
    """The family that has a ruleset of this name; other packages are loaded only if it is not one of ours."""
    return _having(ruleset, _OWN) or _having(ruleset, all_families())


def _having(ruleset: str, families: Mapping[str, Family]) -> Family | None:
    return next((family for family in families.values() if ruleset in family.rulesets), None)


@cache
def all_families() -> dict[str, Family]:
    """Every family by name, our own first; raises `GameError` if a package provides something else."""
    from importlib.metadata import (
        entry_points,
    )  # with what it needs itself, a fifth of the time to import the rules

    found = dict(_OWN)
    for point in sorted(entry_points(group=ENTRY_POINT), key=lambda point: point.name):
        family = _loaded(point)
        taken = [name for name in family.rulesets if _having(name, found)]
        if family.name in found or taken:
            known = Said("rules.known_family", {"name": repr(family.name)})
            if taken:
                known = Said("rules.known_rulesets", {"names": ", ".join(taken)})
            raise _bad(point, known)
        found[family.name] = family
    return found


def _loaded(point: EntryPoint) -> Family:
    try:
        family = point.load()
    except Exception as error:  # a foreign module may raise anything when imported
        raise _bad(point, Said("rules.not_loaded", {"error": repr(error)})) from error
    if not isinstance(family, Family):
        raise _bad(point, Said("rules.no_family", {"found": repr(family)}))
    if family.name != point.name:
        raise _bad(point, Said("rules.other_name", {"name": repr(family.name)}))
    return family


def _bad(point: EntryPoint, what: Said) -> GameError:
    values = {"name": point.name, "value": point.value, "what": what}
    if point.dist:
        return GameError([Said("rules.entry_point_of", {**values, "package": point.dist.name})])
    return GameError([Said("rules.entry_point", values)])
