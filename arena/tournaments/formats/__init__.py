"""Formats decide the pairings. Each has a module with one class, and is listed here."""

from typing import Final, TypeAlias, get_args

import msgspec

from arena.nearest import meant
from arena.tournaments import TournamentError
from arena.tournaments.formats.gauntlet import Gauntlet
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.formats.swiss import SwissMonrad
from arena.words import Said

AnyFormat: TypeAlias = RoundRobin | Gauntlet | SwissMonrad | Knockout
"""All formats; add a new one here."""

FORMATS: Final[dict[str, type[AnyFormat]]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(AnyFormat)
}
"""The formats by name. A name never changes its meaning; another way of drawing gets another
number."""

DEFAULT_FORMAT: Final = RoundRobin()

OPTIONS: Final = {
    field.name: field for kind in FORMATS.values() for field in msgspec.structs.fields(kind)
}
"""The fields of all formats by name; formats that share an option share its type."""


def format_named(name: object) -> type[AnyFormat]:
    """The class of a format.

    Raises TournamentError for an unknown name, naming the known ones and the nearest.
    """
    found = FORMATS.get(name) if isinstance(name, str) else None
    if found is None:
        values = {"name": repr(name), "known": ", ".join(FORMATS), "meant": meant(name, FORMATS)}
        raise TournamentError([Said("format.unknown", values)])
    return found


def foreign_option(kind: type[AnyFormat], option: str) -> Said | None:
    """A sentence for an option that belongs only to other formats, naming those; None for one of its own."""
    if option in kind.__struct_fields__:
        return None
    others = [name for name, other in FORMATS.items() if option in other.__struct_fields__]
    return Said(
        "format.foreign_option",
        {"format": kind.__struct_config__.tag, "option": option, "others": others},
    )
