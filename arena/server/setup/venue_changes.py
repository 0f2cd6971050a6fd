"""What differs between two readings of `venue.toml`, and from when on it holds."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

from msgspec.structs import asdict, replace

from arena.server.setup.venue_file import LISTS, SECTION_KINDS, VenuePlan
from arena.words import Said

When = Literal["now", "next_day", "restart", "waiting"]
CERTIFICATE: Final = "listen.certificate"
"""The change that stands for a certificate whose file has changed."""


class Change(NamedTuple):
    """One changed field of the file, or a ladder, house bot or cup that changed."""

    field: str
    """`venue.joining`, `ladder.vasa`."""
    when: When
    """From when on it holds; `waiting` is a change that was told before and needs a restart."""

    @property
    def sentence(self) -> Said:
        """Says what has changed, and from when on that holds."""
        return Said(f"reloaded.{self.when}", {"field": self.field})


def changes(before: VenuePlan, after: VenuePlan) -> Iterator[Change]:
    """Yield what has changed, in the order of the file."""
    old = _by_field(before)
    new = _by_field(after)
    applied = _by_field(in_force(before, after))
    for field in dict.fromkeys([*old, *new]):
        if old.get(field) == new.get(field):
            continue
        when: When = "now"
        if field.startswith(("ladder.", "bot.")):
            when = "next_day"
        elif applied.get(field) != new.get(field):
            when = "restart"
        yield Change(field, when)


def in_force(before: VenuePlan, after: VenuePlan) -> VenuePlan:
    """Return the new plan, with the old values of what holds only after a restart."""
    return replace(
        after,
        venue=replace(after.venue, name=before.venue.name),  # the log and the pages begin with it
        listen=before.listen,  # the sockets are open
        pages=before.pages,
        limits=replace(after.limits, **before.limits.of_runs),
    )


def _by_field(plan: VenuePlan) -> Mapping[str, object]:
    """Return the fields of a plan by section and name; a ladder, bot or cup is one of them."""
    fields: dict[str, object] = {}
    for section in SECTION_KINDS:
        for name, setting in asdict(getattr(plan, section)).items():
            fields[f"{section}.{name}"] = setting
    for section in LISTS:
        for part in getattr(plan, section):
            fields[f"{section}.{part.name}"] = part
    return fields
