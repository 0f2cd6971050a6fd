"""The differences between two tournament files, field by field: a missing one has its default."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from arena.server.setup.sections import toml_value
from arena.server.setup.tournament_file import SECTIONS, Plan
from arena.words import Said


def differences(frozen: Plan, offered: Plan) -> Iterator[Said]:
    """Say where a file differs from a run: `tournament.cycles: 4 in the run, 1 in the file`."""
    for section in SECTIONS:
        frozen_fields = _fields_of(frozen, section)
        offered_fields = _fields_of(offered, section)
        yield from _between(section, frozen_fields, offered_fields)
    frozen_bots = {bot.entrant: bot for bot in frozen.bot}
    offered_bots = {bot.entrant: bot for bot in offered.bot}
    for entrant in {**frozen_bots, **offered_bots}:
        name = f"bot.{entrant}"
        if entrant not in offered_bots:
            yield Said("differs.only_run", {"field": name})
        elif entrant not in frozen_bots:
            yield Said("differs.only_file", {"field": name})
        else:
            frozen_fields = msgspec.to_builtins(frozen_bots[entrant])
            offered_fields = msgspec.to_builtins(offered_bots[entrant])
            yield from _between(name, frozen_fields, offered_fields)
    has_same_bots = frozen_bots.keys() == offered_bots.keys()
    if has_same_bots and list(frozen_bots) != list(offered_bots):
        orders = {
            "mine": ", ".join(frozen_bots),
            "theirs": ", ".join(offered_bots),
        }
        yield Said("differs.order", orders)


def _fields_of(plan: Plan, section: str) -> dict[str, Any]:
    """Return the fields of a section by the names that they have in the file."""
    fields: dict[str, Any] = msgspec.to_builtins(getattr(plan, section))
    if section == "tournament":
        options = msgspec.to_builtins(plan.format)
        fields["format"] = options.pop("name")
        fields |= options
    return fields


def _between(
    place: str,
    frozen_fields: Mapping[str, Any],
    offered_fields: Mapping[str, Any],
) -> Iterator[Said]:
    """Yield the fields that differ in two tables of the same place."""
    for field in {**frozen_fields, **offered_fields}:
        frozen = frozen_fields.get(field)
        offered = offered_fields.get(field)
        if frozen != offered:
            values = {
                "field": f"{place}.{field}",
                "mine": shown(frozen),
                "theirs": shown(offered),
            }
            yield Said("differs.value", values)


def shown(value: object) -> Said | str:
    """Write a value as a tournament file has it."""
    if value is None:
        return Said("differs.nothing")
    return toml_value(value)
