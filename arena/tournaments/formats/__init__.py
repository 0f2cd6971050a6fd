"""Formats decide the pairings. A format is a class in its own module, and is listed here."""

from typing import (
    Final,
    TypeAlias,
    get_args,
)

import msgspec

from arena.nearest import unknown_name
from arena.tournaments import TournamentError
from arena.tournaments.formats.gauntlet import Gauntlet
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.formats.ladder_format import Ladder
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.formats.swiss import SwissMonrad
from arena.words import Said

AnyFormat: TypeAlias = RoundRobin | Gauntlet | SwissMonrad | Knockout | Ladder
"""All formats; add a new one here."""

FORMATS: Final[dict[str, type[AnyFormat]]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(AnyFormat)
}
"""The formats by name. A name never changes its meaning; another way of drawing gets another
number."""

DEFAULT_FORMAT: Final = RoundRobin()


def _options() -> dict[str, msgspec.structs.FieldInfo]:
    options = {}
    for kind in FORMATS.values():
        for field in msgspec.structs.fields(kind):
            options[field.name] = field
    return options


OPTIONS: Final = _options()
"""The fields of all formats by name; formats that share an option share its type."""


def format_named(name: object) -> type[AnyFormat]:
    """Return the class of a format.

    Raises TournamentError for an unknown name, naming the known ones and the nearest.
    """
    if isinstance(name, str) and name in FORMATS:
        return FORMATS[name]
    raise TournamentError([unknown_name("format.unknown", name, FORMATS)])


def foreign_option(kind: type[AnyFormat], option: str) -> Said | None:
    """Say which other formats an option belongs to; None if it is an option of this format."""
    if option in kind.__struct_fields__:
        return None
    owners = [name for name, owner in FORMATS.items() if option in owner.__struct_fields__]
    foreign = {
        "format": kind.__struct_config__.tag,
        "option": option,
        "others": owners,
    }
    return Said("format.foreign_option", foreign)
