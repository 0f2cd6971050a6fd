"""What differs between two readings of `venue.toml`, and from when on it holds."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from arena.server.setup.venue_file import SECTIONS, VenuePlan
from arena.server.setup.venue_runs import OF_THE_VENUE

When = Literal["now", "next_day", "restart"]

_WITH_A_RESTART: Final = ("listen", "pages")
"""Sections of open sockets."""
CERTIFICATE: Final = "listen.certificate"
"""The change that stands for a certificate whose file has changed."""


class Change(NamedTuple):
    """One changed field of the file, or a ladder, house bot or cup that changed."""

    field: str
    """`venue.joining`, `ladder.vasa`."""
    when: When
    """From when on it holds."""


def changes(before: VenuePlan, after: VenuePlan) -> list[Change]:
    """Return what has changed, in the order of the file."""
    differences: list[Change] = []
    for section in SECTIONS:
        differences += _of_section(section, getattr(before, section), getattr(after, section))
    differences += _of_named("ladder", before.ladder, after.ladder, "next_day")
    differences += _of_named("bot", before.bot, after.bot, "next_day")
    differences += _of_named("cup", before.cup, after.cup, "now")
    return differences


def in_force(before: VenuePlan, after: VenuePlan) -> VenuePlan:
    """Return the new plan, with the old values of what holds only after a restart."""
    limits = {name: getattr(before.limits, name) for name in OF_THE_VENUE}
    return replace(
        after,
        venue=replace(after.venue, name=before.venue.name),
        listen=before.listen,
        pages=before.pages,
        limits=replace(after.limits, **limits),
    )


def _of_section(section: str, old: msgspec.Struct, new: msgspec.Struct) -> Iterator[Change]:
    """Yield the fields of a section that differ."""
    for field in old.__struct_fields__:
        if getattr(old, field) != getattr(new, field):
            yield Change(f"{section}.{field}", _when(section, field))


def _when(section: str, field: str) -> When:
    if section in _WITH_A_RESTART or field in OF_THE_VENUE:
        return "restart"
    if (section, field) == ("venue", "name"):  # the log and the pages begin with it
        return "restart"
    return "now"


def _of_named(
    section: str,
    before: Sequence[msgspec.Struct],
    after: Sequence[msgspec.Struct],
    when: When,
) -> Iterator[Change]:
    """Yield the ladders, bots or cups that differ, were added or taken out."""
    old = {_name_of(part): part for part in before}
    new = {_name_of(part): part for part in after}
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield Change(f"{section}.{name}", when)


def _name_of(part: msgspec.Struct) -> str:
    return str(getattr(part, "entrant", None) or getattr(part, "name", ""))
