"""A plan as the text of a tournament file, for runs that are started without one."""

from __future__ import annotations

from typing import Any

import msgspec
import tomli_w

from arena.server.setup.tournament_file import Plan
from arena.tournaments.formats import DEFAULT_FORMAT


def format_plan(plan: Plan) -> str:
    """The inverse of `parse_plan`, for runs that are started without a file; fields with their default are left out."""
    raw: dict[str, Any] = {}
    for section in ("tournament", "clock", "limits", "listen", "luck"):
        raw[section] = _given(getattr(plan, section))
    if plan.format != DEFAULT_FORMAT:
        raw["tournament"] |= {"format": plan.format.name} | _given(plan.format)
    raw = {section: given for section, given in raw.items() if given}
    raw["bot"] = [_given(bot) for bot in plan.bot]
    return tomli_w.dumps(raw)


def _given(section: msgspec.Struct) -> dict[str, Any]:
    """The fields of a section without those that have their default."""
    fields = msgspec.structs.fields(section)
    return {field.name: value for field in fields if (value := getattr(section, field.name)) != field.default}
