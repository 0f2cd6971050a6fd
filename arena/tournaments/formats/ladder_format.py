"""The ladder: a day of it is a run whose entrants come and go (docs/formats.md)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from arena.tournaments.formats.interface import Format, Rated, SoFar
from arena.tournaments.names import entrant_problems, join_names, shown
from arena.tournaments.outcomes import placed
from arena.tournaments.schedule import Fixture
from arena.tournaments.standings import Column, Standings
from arena.words import Said


class Ladder(Format, frozen=True, kw_only=True, tag="ladder"):
    """Whenever a seat is free, two of the entrants that are there are drawn to meet."""

    withdraws: ClassVar[bool] = False
    needs_venue: ClassVar[bool] = True

    seats: Annotated[int, Meta(ge=1, le=256)] = 8
    """Matches that are played at the same time."""
    most_matches: Annotated[int, Meta(ge=1, le=100_000)] = 10_000
    """Matches of a day; after them the next day begins."""

    @property
    def seats_of_day(self) -> int:
        """The matches at a time."""
        return self.seats

    def problems(self, entrants: Sequence[str]) -> list[Said]:
        """Return what is wrong with the names of those that have come; a day begins with none."""
        return list(entrant_problems(entrants))

    def columns(self, so_far: SoFar) -> tuple[Column, ...]:
        """Return the rating with its error, and how far it can be trusted."""
        by_entrant = {name: so_far.rated[name] for name in so_far.entrants}
        return (
            _rating_column(by_entrant),
            Column(
                heading="rating error",
                numbers={name: rated.error for name, rated in by_entrant.items()},
                decides=False,
                is_shown=False,
            ),
            Column(
                heading="units",
                numbers={name: rated.units for name, rated in by_entrant.items()},
                decides=False,
            ),
            Column(
                heading="version",
                numbers={name: rated.version for name, rated in by_entrant.items()},
                decides=False,
            ),
            _reliability_column(by_entrant),
        )

    def unplaced(self, so_far: SoFar) -> Sequence[str]:
        """Return the provisional entrants and then the anchors, each by rating."""
        groups = _groups(so_far)
        return groups["ladder.provisional"] + groups["ladder.anchors"]

    def notes(self, so_far: SoFar, names: Mapping[str, str]) -> tuple[Said, ...]:
        """Tell which entrants are provisional, anchors, and other programs of the house."""
        notes = []
        for code, entrants in _groups(so_far).items():
            if entrants:
                values = {"names": join_names(shown(names, entrants)), "count": len(entrants)}
                notes.append(Said(code, values))
        return tuple(notes)

    def outcome(self, so_far: SoFar, table: Standings) -> list[Said]:
        """Say who leads at the end of the day."""
        return self.outlook(so_far, table, {})

    def outlook(
        self,
        so_far: SoFar,
        table: Standings,
        unplayed: Mapping[str, int],
    ) -> list[Said]:
        """Say who leads, and by what rating."""
        rows = placed(table)
        if not rows:
            return [Said("ladder.nobody_leads")]
        first = rows[0].entrant
        rated = so_far.rated[first]
        leader = {"name": table.name(first), **_whole(rated)}
        return [Said("ladder.leads", leader)]

    def early_end(self, so_far: SoFar, unplayed: Sequence[Fixture]) -> Said | None:
        """Return None: a day ends when it is told to."""
        return None


def _groups(so_far: SoFar) -> dict[str, list[str]]:
    """Return the entrants of each note, the strongest first."""
    groups: dict[str, list[str]] = {
        "ladder.provisional": [],
        "ladder.anchors": [],
        "ladder.house": [],
    }
    for name in sorted(so_far.entrants, key=lambda name: (-so_far.rated[name].elo, name)):
        rated = so_far.rated[name]
        if rated.is_anchor:
            groups["ladder.anchors"].append(name)
            continue
        if rated.is_provisional:
            groups["ladder.provisional"].append(name)
        if rated.is_house:
            groups["ladder.house"].append(name)
    return groups


def _whole(rated: Rated) -> dict[str, int]:
    """Return a rating and its error in whole Elo."""
    return {"elo": round(rated.elo), "error": round(rated.error)}


def _rating_column(by_entrant: Mapping[str, Rated]) -> Column:
    numbers = {}
    texts = {}
    for name, rated in by_entrant.items():
        numbers[name] = round(rated.elo, 2)
        texts[name] = Said("ladder.rating", _whole(rated))
    return Column(heading="rating", numbers=numbers, texts=texts)


def _reliability_column(by_entrant: Mapping[str, Rated]) -> Column:
    """Return the part of its matches that each entrant played without a forfeit, in percent."""
    numbers = {}
    texts: dict[str, Said | str] = {}
    for name, rated in by_entrant.items():
        if rated.matches:
            percent = 100 * (1 - rated.forfeits / rated.matches)
            numbers[name] = round(percent, 1)
            texts[name] = Said("ladder.percent", {"percent": percent})
    return Column(heading="reliability", numbers=numbers, decides=False, texts=texts)
