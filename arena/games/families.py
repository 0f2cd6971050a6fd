"""All families of games: those of the rule book, and those of other packages with the entry point `arena.games`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from arena.games.brandubh.game import FAMILY as BRANDUBH
from arena.games.interface import Family, GameError
from arena.games.tables.game import FAMILY as TABLES

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT: Final = "arena.games"
"""The entry point group under which another package names its `Family`."""

_OWN: Final = {family.name: family for family in (TABLES, BRANDUBH)}


def family_named(name: str) -> Family | None:
    """The family of this name; other packages are loaded only if it is not one of ours."""
    return _OWN.get(name) or all_families().get(name)


def family_of(ruleset: str) -> Family | None:
    """The family that has a ruleset of this name; other packages are loaded only if it is not one of ours."""
    return _having(ruleset, _OWN) or _having(ruleset, all_families())


def _having(ruleset: str, families: Mapping[str, Family]) -> Family | None:
    return next((family for family in families.values() if ruleset in family.rulesets), None)


@cache
def all_families() -> dict[str, Family]:
    """Every family by name, our own first; raises `GameError` if a package provides something else."""
    from importlib.metadata import entry_points  # with what it needs itself, a fifth of the time to import the rules

    found = dict(_OWN)
    for point in sorted(entry_points(group=ENTRY_POINT), key=lambda point: point.name):
        family = _loaded(point)
        taken = [name for name in family.rulesets if _having(name, found)]
        if family.name in found or taken:
            known = f"the rulesets {', '.join(taken)}" if taken else f"a family {family.name!r}"
            raise _bad(point, f"brings {known}, already known here")
        found[family.name] = family
    return found


def _loaded(point: EntryPoint) -> Family:
    try:
        family = point.load()
    except Exception as error:  # a foreign module may raise anything when imported
        raise _bad(point, f"cannot be loaded: {error!r}") from error
    if not isinstance(family, Family):
        raise _bad(point, f"is {family!r}; expected an arena.games.Family")
    if family.name != point.name:
        raise _bad(point, f"has a family named {family.name!r}; the two names must be the same")
    return family


def _bad(point: EntryPoint, what: str) -> GameError:
    package = f" of the package {point.dist.name}" if point.dist else ""
    return GameError([f"the entry point {point.name} = {point.value}{package} {what}; mend or uninstall the package"])


def plain_ruleset(ruleset: Any) -> dict[str, Any]:
    """A ruleset value as plain data: every field by name, tuples as lists."""
    return {name: _listed(value) for name, value in asdict(ruleset).items()}


def _listed(value: object) -> object:
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value
