"""Rulesets by name, house rulesets by base and fields, and the plain form that records keep."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from arena.games.brandubh.game import BrandubhGame
from arena.games.brandubh.ruleset import RULESETS as BRANDUBH_RULESETS
from arena.games.brandubh.ruleset import Ruleset as BrandubhRuleset
from arena.games.interface import Game, GameError
from arena.games.tables.game import TablesGame
from arena.games.tables.ruleset import OPTIONS as TABLES_OPTIONS
from arena.games.tables.ruleset import RULESETS as TABLES_RULESETS
from arena.games.tables.ruleset import Ruleset as TablesRuleset

DEFAULT: Final = "vasa"

_NAMED: Final[dict[str, dict[str, Any]]] = {
    **{name: TablesGame(rules).ruleset for name, rules in TABLES_RULESETS.items()},
    **{name: BrandubhGame(rules).ruleset for name, rules in BRANDUBH_RULESETS.items()},
}
_OPTIONS: Final[dict[str, dict[str, dict[str, Any]]]] = TABLES_OPTIONS
_FAMILIES: Final[dict[str, tuple[type[Any], Callable[[Any], Game[Any]]]]] = {
    "tables": (TablesRuleset, TablesGame),
    "brandubh": (BrandubhRuleset, BrandubhGame),
}


def ruleset_names() -> tuple[str, ...]:
    """Every ruleset known by name."""
    return tuple(_NAMED)


def option_names(ruleset: str) -> tuple[str, ...]:
    """The options a named ruleset takes (B11, G6)."""
    return tuple(_OPTIONS.get(ruleset, {}))


def load_game(ruleset: str | Mapping[str, object] = DEFAULT, options: Sequence[str] = ()) -> Game[Any]:
    """A game by the name of its ruleset and the options switched on, or under a house ruleset.

    A house ruleset is a mapping with `base` (a known name), `name` (its own) and the fields that differ, or with
    every field and no base. Raises `GameError` with every problem: unknown names and fields are refused, naming
    the known ones and the nearest.
    """
    if isinstance(ruleset, str):
        return _build(_with_options(ruleset, options))
    given = dict(ruleset)
    base = given.pop("base", None)
    if base is None:
        if options:
            raise GameError(["options belong to a ruleset known by name; give their fields instead"])
        return _build(given)
    if not isinstance(base, str):
        raise GameError([f"base must be the name of a ruleset, found {base!r}"])
    whole = _with_options(base, options)
    family = given.get("family", whole["family"])
    if family != whole["family"]:
        raise GameError([f"family = {family!r}; expected {whole['family']!r}, the family of the base {base!r}"])
    return _build(whole | given)


def _with_options(name: str, options: Sequence[str]) -> dict[str, Any]:
    """A named ruleset's fields with options switched on; its name then lists them: `classic+double_six`."""
    plain = _by_name(name)
    known = _OPTIONS.get(name, {})
    for option in dict.fromkeys(options):
        if option not in known:
            takes = f"takes {', '.join(known)}" if known else "takes none"
            raise GameError([f"unknown option {option!r}; {name} {takes}{_nearest(option, known)}"])
        plain |= known[option]
    if options:
        plain["name"] = "+".join([name, *sorted(set(options))])
    return plain


def ruleset_record(game: Game[Any]) -> dict[str, Any]:
    """The ruleset whole, as sent and recorded: `{"name": ..., "hash": ..., "fields": {...}}`.

    The hash is the SHA-256 of the fields as JSON with sorted keys and no spaces, in hexadecimal.
    """
    plain = dict(game.ruleset)
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return {"name": game.name, "hash": hashlib.sha256(text.encode()).hexdigest(), "fields": plain}


def game_of_record(record: Mapping[str, Any]) -> Game[Any]:
    """The inverse of `ruleset_record`; raises `GameError` if name or hash do not fit the fields, or there are none."""
    fields = record.get("fields")
    if not isinstance(fields, Mapping):
        raise GameError([f"a ruleset on record has its fields under 'fields', found {fields!r} there"])
    game = load_game(fields)
    if ruleset_record(game) != dict(record):
        raise GameError([f"the ruleset {record.get('name')!r} does not match its own name and hash"])
    return game


def _by_name(name: str) -> dict[str, Any]:
    if name not in _NAMED:
        raise GameError([f"unknown ruleset {name!r}; known are {', '.join(_NAMED)}{_nearest(name, _NAMED)}"])
    return dict(_NAMED[name])


def _build(plain: Mapping[str, Any]) -> Game[Any]:
    family = plain.get("family", "tables")
    if not isinstance(family, str) or family not in _FAMILIES:
        known = ", ".join(_FAMILIES)
        raise GameError([f"unknown family {family!r} of games; known are {known}{_nearest(family, _FAMILIES)}"])
    value, game = _FAMILIES[family]
    hints = get_type_hints(value)
    found = [
        f"unknown ruleset field {name!r}; known are {', '.join(hints)}{_nearest(name, hints)}"
        for name in plain
        if name not in hints
    ]
    missing = [name for name in hints if name not in plain and name != "family"]
    if missing:
        found.append(f"missing ruleset fields: {', '.join(missing)}; give them, or a base to take them from")
    values = {name: _checked(name, plain[name], hint, found) for name, hint in hints.items() if name in plain}
    if found:
        raise GameError(found)
    found = _name_problems(plain)
    if found:
        raise GameError(found)
    return game(value(**values))


def _name_problems(plain: Mapping[str, Any]) -> list[str]:
    """A name never changes its meaning: that of a known ruleset, with or without options, needs its very fields."""
    name = plain["name"]
    base, *options = name.split("+")
    if not name or (options and base not in _NAMED):
        return [f"a ruleset needs a name without '+', found {name!r}"]
    if base in _NAMED and set(options) <= set(option_names(base)) and dict(plain) == _with_options(base, options):
        return []
    return [f"a house ruleset needs a name of its own; {name!r} is taken"] if base in _NAMED else []


def _checked(name: str, given: object, hint: Any, found: list[str]) -> object:
    """One field's value, checked against its type: a word of a fixed list, bool, whole number, text or pairs."""
    if get_origin(hint) is Literal:
        words = get_args(hint)
        if given not in words:
            known = ", ".join(map(repr, words))
            found.append(f"{name} = {given!r}; expected one of {known}{_nearest(given, words)}")
        return given
    if get_origin(hint) is tuple:
        return _checked_start(name, given, found)
    kinds = get_args(hint) or (hint,)
    if type(given) not in kinds:
        expected = " or ".join("none" if kind is type(None) else kind.__name__ for kind in kinds)
        found.append(f"{name} = {given!r}; expected {expected}")
    elif isinstance(given, int) and given < 0:
        found.append(f"{name} = {given}; expected 0 or more")
    return given


def _checked_start(name: str, given: object, found: list[str]) -> object:
    """B1.2, G1: pairs of point (1-24) and number of checkers, 15 in all."""
    pairs = given if isinstance(given, list | tuple) else ()
    is_good = bool(pairs) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 and all(type(item) is int for item in pair) for pair in pairs
    )
    if is_good:
        points = [pair[0] for pair in pairs]
        is_good = all(1 <= point <= 24 for point in points) and len(set(points)) == len(points)
        is_good = is_good and min(pair[1] for pair in pairs) > 0 and sum(pair[1] for pair in pairs) == 15
    if not is_good:
        found.append(f"{name} = {given!r}; expected pairs of point (1-24) and checkers, 15 in all, such as [[1, 15]]")
    return tuple(tuple(pair) for pair in pairs) if is_good else given


def _nearest(word: object, known: Iterable[object]) -> str:
    close = difflib.get_close_matches(str(word), list(map(str, known)), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
