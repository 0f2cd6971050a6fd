"""What differs between two readings of `venue.toml`, and from when on it holds."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from arena.server.setup.bot_section import BotSection
from arena.server.setup.venue_file import SECTION_KINDS, CupSection, LadderSection, VenuePlan

When = Literal["now", "next_day", "restart", "waiting"]
AnyNamed: TypeAlias = LadderSection | BotSection | CupSection

CERTIFICATE: Final = "listen.certificate"
"""The change that stands for a certificate whose file has changed."""


class Change(NamedTuple):
    """One changed field of the file, or a ladder, house bot or cup that changed."""

    field: str
    """`venue.joining`, `ladder.vasa`."""
    when: When
    """From when on it holds; `waiting` is a change that was told before and needs a restart."""


def changes(before: VenuePlan, after: VenuePlan) -> list[Change]:
    """Return what has changed, in the order of the file."""
    differences: list[Change] = []
    applied = in_force(before, after)
    for section in SECTION_KINDS:
        old = getattr(before, section)
        new = getattr(after, section)
        now = getattr(applied, section)
        for field in old.__struct_fields__:
            if getattr(old, field) != getattr(new, field):
                is_in_force = getattr(now, field) == getattr(new, field)
                when: When = "now" if is_in_force else "restart"
                differences.append(Change(f"{section}.{field}", when))
    differences += _of_named("ladder", before.ladder, after.ladder, "next_day")
    differences += _of_named("bot", before.bot, after.bot, "next_day")
    differences += _of_named("cup", before.cup, after.cup, "now")
    return differences


def in_force(before: VenuePlan, after: VenuePlan) -> VenuePlan:
    """Return the new plan, with the old values of what holds only after a restart."""
    return replace(
        after,
        venue=replace(after.venue, name=before.venue.name),  # the log and the pages begin with it
        listen=before.listen,  # the sockets are open
        pages=before.pages,
        limits=replace(after.limits, **before.limits.of_runs),
    )


def _of_named(
    section: str,
    before: Sequence[AnyNamed],
    after: Sequence[AnyNamed],
    when: When,
) -> Iterator[Change]:
    """Yield the ladders, bots or cups that differ, were added or taken out."""
    old = {part.name: part for part in before}
    new = {part.name: part for part in after}
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            yield Change(f"{section}.{name}", when)
