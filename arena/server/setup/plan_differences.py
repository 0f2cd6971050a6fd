"""The differences between two tournament files, value by value: what a file does not say counts as its default."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from arena.server.setup.sections import toml_value
from arena.server.setup.tournament_file import SECTIONS, Plan
from arena.words import Said


def differences(frozen: Plan, given: Plan) -> Iterator[Said]:
    """Say where a file differs from that of a run: `tournament.cycles: 4 in the run, 1 in the file`."""
    for section in SECTIONS:
        yield from _between(section, _fields_of(frozen, section), _fields_of(given, section))
    mine = {bot.entrant: bot for bot in frozen.bot}
    theirs = {bot.entrant: bot for bot in given.bot}
    for entrant in {**mine, **theirs}:
        name = f"bot.{entrant}"
        if entrant not in theirs:
            yield Said("differs.only_run", {"field": name})
        elif entrant not in mine:
            yield Said("differs.only_file", {"field": name})
        else:
            yield from _between(
                name, msgspec.to_builtins(mine[entrant]), msgspec.to_builtins(theirs[entrant])
            )
    if mine.keys() == theirs.keys() and [*mine] != [*theirs]:
        yield Said("differs.order", {"mine": ", ".join(mine), "theirs": ", ".join(theirs)})


def _fields_of(plan: Plan, section: str) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(getattr(plan, section))
    if section == "tournament":
        options = msgspec.to_builtins(plan.format)
        fields |= {"format": options.pop("name")} | options
    return fields


def _between(place: str, mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[Said]:
    for field in {**mine, **theirs}:
        one, other = mine.get(field), theirs.get(field)
        if one != other:
            values = {"mine": shown(one), "theirs": shown(other)}
            yield Said("differs.value", {"field": f"{place}.{field}", **values})


def shown(value: object) -> Said | str:
    """Return a value as a tournament file has it."""
    return Said("differs.nothing") if value is None else toml_value(value)
