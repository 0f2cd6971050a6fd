"""Rulesets of all families of games: by name, by base and fields, and as records keep them."""

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
from arena.nearest import meant, unknown_name
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
    """Return every ruleset known by name, those of other packages last."""
    names: list[str] = []
    for family in all_families().values():
        names += family.rulesets
    return tuple(names)


def option_names(ruleset: str) -> tuple[str, ...]:
    """Return the options that a named ruleset takes (B11, G6)."""
    family = _family_of(ruleset)
    if family is None:
        return ()
    return tuple(family.options.get(ruleset, {}))


def load_game(
    ruleset: str | Mapping[str, object] = DEFAULT, options: Sequence[str] = ()
) -> Game[Any]:
    """Return a game by the name of its ruleset and the options switched on, or a house ruleset.

    A house ruleset is a mapping with `base` (a known name), `name` (its own) and the fields that
    differ, or with every field and no base. Raises `GameError` with every problem; unknown names
    and fields are refused, naming the known ones and the nearest.
    """
    if isinstance(ruleset, str):
        return _build(_with_options(ruleset, options))
    fields = dict(ruleset)
    deep = [name for name, field in fields.items() if _is_deep(field)]
    if deep:
        raise GameError([Said("rules.deep", {"field": name, "most": DEEPEST}) for name in deep])
    base = fields.pop("base", None)
    if base is None:
        if options:
            raise OptionError([Said("rules.options_of_fields")])
        return _build(fields)
    if not isinstance(base, str):
        raise GameError([Said("rules.no_base", {"base": repr(base)})])
    base_fields = _with_options(base, options)
    expected = base_fields["family"]
    family = fields.get("family", expected)
    if family != expected:
        words = {"family": repr(family), "expected": repr(expected), "base": repr(base)}
        raise GameError([Said("rules.other_family", words)])
    return _build(base_fields | fields)


def _is_deep(field: object) -> bool:
    """Return whether lists and tables lie in one another more than `DEEPEST` deep."""
    level = [field]
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
    """Return a named ruleset's fields with options switched on.

    Its name then lists them: `classic+double_six`.
    """
    family = _family_of(name)
    if family is None:
        raise GameError([unknown_name("rules.unknown", name, ruleset_names())])
    plain = asdict(family.rulesets[name])
    for field, content in plain.items():
        plain[field] = _listed(content)
    changes = family.options.get(name, {})
    for option in dict.fromkeys(options):
        if option not in changes:
            raise _unknown_option(name, option, tuple(changes))
        plain |= changes[option]
    if options:
        plain["name"] = "+".join([name, *sorted(set(options))])
    return plain


def _unknown_option(name: str, option: str, options: Sequence[str]) -> OptionError:
    """Return the error for an option that a ruleset does not take, with those that do."""
    hint = meant(option, options)
    takers = [ruleset for ruleset in ruleset_names() if option in option_names(ruleset)]
    if takers:
        hint = Said("rules.option_of", {"option": repr(option), "others": ", ".join(takers)})
    takes = ", ".join(options) or Said("rules.no_option")
    words = {"option": repr(option), "name": name, "takes": takes, "hint": hint}
    return OptionError([Said("rules.unknown_option", words)])


def ruleset_record(game: Game[Any]) -> dict[str, Any]:
    """Return the whole ruleset as sent and recorded: `{"name": ..., "hash": ..., "fields": {...}}`.

    The hash is the SHA-256 of the fields as JSON with sorted keys and no spaces, in hexadecimal.
    """
    plain = dict(game.ruleset)
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return {"name": game.name, "hash": hashlib.sha256(text.encode()).hexdigest(), "fields": plain}


def game_of_record(record: Mapping[str, Any]) -> Game[Any]:
    """Return the game of a record that `ruleset_record` made.

    Raises `GameError` without fields, or if name or hash do not match them.
    """
    fields = record.get("fields")
    if not isinstance(fields, Mapping):
        raise GameError([Said("rules.no_fields", {"found": repr(fields)})])
    game = load_game(fields)
    if ruleset_record(game) != dict(record):
        raise GameError([Said("rules.no_match", {"name": repr(record.get("name"))})])
    return game


def _listed(content: object) -> object:
    """Return the content of a field with lists in the place of tuples."""
    if isinstance(content, list | tuple):
        return [_listed(part) for part in content]
    return content


def _build(plain: Mapping[str, Any]) -> Game[Any]:
    """Return the game of a whole ruleset. Raises `GameError` with every problem."""
    family = _named_family(plain.get("family", "tables"))
    hints = get_type_hints(family.ruleset)
    unknown = [name for name in plain if name not in hints]
    problems = [unknown_name("rules.unknown_field", name, hints) for name in unknown]
    missing = [name for name in hints if name not in plain and name != "family"]
    if missing:
        problems.append(Said("rules.missing_fields", {"names": ", ".join(missing)}))
    fields = {}
    for name, hint in hints.items():
        if name in plain:
            problems += _field_problems(name, plain[name], hint)
            fields[name] = _as_hinted(plain[name], hint)
    problems = problems or _name_problems(plain)
    if problems:
        raise GameError(problems)
    return family.game(family.ruleset(**fields))


def _named_family(name: object) -> Family:
    """Return a family by its name. Raises `GameError` if there is none."""
    family = None
    if isinstance(name, str):
        family = _OWN.get(name) or all_families().get(name)
    if family is None:
        raise GameError([unknown_name("rules.unknown_family", name, all_families())])
    return family


def _name_problems(plain: Mapping[str, Any]) -> list[Said]:
    """Return what is wrong with the name of a ruleset.

    A name never changes its meaning: a known name, with or without options, needs exactly its
    fields.
    """
    name = plain["name"]
    if len(name) > NAME_CHARS or not name.isprintable():
        return [Said("rules.long_name", {"most": NAME_CHARS, "name": repr(name[:NAME_CHARS])})]
    base, *options = name.split("+")
    if _family_of(base) is None:
        if options or not name:
            return [Said("rules.plus_in_name", {"name": repr(name)})]
        return []
    if set(options) <= set(option_names(base)) and dict(plain) == _with_options(base, options):
        return []
    return [Said("rules.taken_name", {"name": repr(name)})]


def _field_problems(name: str, content: object, hint: Any) -> list[Said]:
    """Return what is wrong with a field by its type.

    That is a word of a fixed list, a list, a bool, a whole number, text or none. The game checks
    what lists hold.
    """
    shown = {"name": name, "value": repr(content)}
    if get_origin(hint) is Literal:
        words = get_args(hint)
        if content in words:
            return []
        choice = {"known": ", ".join(map(repr, words)), "meant": meant(content, words)}
        return [Said("rules.one_of", {**shown, **choice})]
    if get_origin(hint) is tuple:
        if isinstance(content, list | tuple):
            return []
        return [Said("rules.no_list", shown)]
    kinds = get_args(hint) or (hint,)
    if type(content) not in kinds:
        expected = joined([_type_in_words(kind) for kind in kinds], "list.or")
        return [Said("rules.no_type", {**shown, "expected": expected})]
    if isinstance(content, int):
        return _number_problems(name, content)
    return []


def _number_problems(name: str, number: int) -> list[Said]:
    """Return what is wrong with the size of a number."""
    if number < 0:
        return [Said("rules.negative", {"name": name, "value": str(number)})]
    if number > MOST:
        return [Said("rules.large", {"name": name, "value": str(number), "most": MOST})]
    return []


def _as_hinted(content: object, hint: Any) -> object:
    """Return a field as rulesets hold it: lists become tuples."""
    if get_origin(hint) is tuple:
        return _frozen(content)
    return content


def _type_in_words(kind: type) -> Said | str:
    """Return the name of a type for people."""
    if kind is type(None):
        return Said("rules.none")
    return kind.__name__


def _frozen(content: object) -> object:
    """Return the content of a field with tuples in the place of lists."""
    if isinstance(content, list | tuple):
        return tuple(map(_frozen, content))
    return content


# Families of games: those of the rule book, and those of other packages


def _family_of(ruleset: str) -> Family | None:
    """Return the family that has a ruleset of this name.

    Other packages are loaded only if it is not one of ours.
    """
    return _having(ruleset, _OWN) or _having(ruleset, all_families())


def _having(ruleset: str, families: Mapping[str, Family]) -> Family | None:
    """Return the one of some families that has a ruleset of this name."""
    for family in families.values():
        if ruleset in family.rulesets:
            return family
    return None


@cache
def all_families() -> dict[str, Family]:
    """Return every family by name, our own first.

    Raises `GameError` if a package provides something else.
    """
    # with what it needs itself, a fifth of the time to import the rules
    from importlib.metadata import entry_points

    families = dict(_OWN)
    for point in sorted(entry_points(group=ENTRY_POINT), key=lambda point: point.name):
        family = _loaded(point)
        known_rulesets = [name for name in family.rulesets if _having(name, families)]
        if known_rulesets:
            names = ", ".join(known_rulesets)
            raise _bad(point, Said("rules.known_rulesets", {"names": names}))
        if family.name in families:
            raise _bad(point, Said("rules.known_family", {"name": repr(family.name)}))
        families[family.name] = family
    return families


def _loaded(point: EntryPoint) -> Family:
    """Load the family that another package provides. Raises `GameError` if it is none."""
    try:
        family = point.load()
    except Exception as error:  # a foreign module may raise anything when imported
        raise _bad(point, Said("rules.not_loaded", {"error": repr(error)})) from error
    if not isinstance(family, Family):
        raise _bad(point, Said("rules.no_family", {"found": repr(family)}))
    if family.name != point.name:
        raise _bad(point, Said("rules.other_name", {"name": repr(family.name)}))
    return family


def _bad(point: EntryPoint, problem: Said) -> GameError:
    """Return the error for an entry point, with the package that has it."""
    words = {"name": point.name, "value": point.value, "what": problem}
    if point.dist:
        return GameError([Said("rules.entry_point_of", {**words, "package": point.dist.name})])
    return GameError([Said("rules.entry_point", words)])
