"""The formats of a tournament by name: what is checked beforehand, and which fixtures there are to play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from arena.tournaments.errors import TournamentError
from arena.tournaments.gauntlet import gauntlet
from arena.tournaments.knockout import Bracket
from arena.tournaments.newcomers import catch_up, catch_up_gauntlet
from arena.tournaments.schedule import Fixture, entrant_problems, round_robin, round_robin_problems
from arena.tournaments.standings import standings
from arena.tournaments.swiss import draw_swiss, most_rounds, usual_rounds

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from arena.tournaments.results import BestGame, FixtureResult
    from arena.tournaments.rounds import Round

FormatName = Literal["round_robin", "gauntlet-1", "swiss-monrad-1", "knockout-1"]
"""A name never changes its meaning; another way of drawing has another number."""

SWISS: Final = "swiss-monrad-1"
GAUNTLET: Final = "gauntlet-1"
KNOCKOUT: Final = "knockout-1"
DRAWN: Final = (SWISS, KNOCKOUT)
"""Formats whose rounds are drawn one by one, each when the one before it is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format with all that an organiser decides about it.

    `cycles` (from 1) is for round robin and gauntlet, `rounds` for Swiss (None elsewhere), `challengers` for the
    gauntlet: entrants by name, empty elsewhere.
    """

    name: FormatName = "round_robin"
    cycles: int = 1
    rounds: int | None = None
    challengers: tuple[str, ...] = ()

    @property
    def is_drawn(self) -> bool:
        """Whether rounds are drawn one by one; else every fixture is known from the start."""
        return self.name in DRAWN

    def problems(self, entrants: Sequence[str]) -> tuple[str, ...]:
        """Say everything that keeps this field from being played, one sentence each; empty if nothing does."""
        is_round_robin = self.name == "round_robin"
        found = list(round_robin_problems(entrants, self.cycles) if is_round_robin else entrant_problems(entrants))
        if not is_round_robin and len(entrants) < 2:
            found.append(f"{self.name} needs at least 2 entrants, found {len(entrants)}")
        if self.is_drawn and self.cycles != 1:
            found.append(f"{self.name} has no cycles, found {self.cycles}: nobody meets anybody twice; leave it out")
        if self.name != SWISS and self.rounds is not None:
            found.append(f"{self.name} says by itself how many rounds there are; leave out rounds")
        if self.name != GAUNTLET and self.challengers:
            found.append(f"{self.name} has no challengers; they are for {GAUNTLET}; leave them out")
        if self.name == SWISS:
            found += self._swiss_problems(len(entrants))
        if self.name == GAUNTLET:
            found += self._gauntlet_problems(entrants)
        return tuple(found)

    def check(self, entrants: Sequence[str]) -> None:
        """Raise TournamentError with everything `problems` finds."""
        if found := self.problems(entrants):
            raise TournamentError(found)

    def _swiss_problems(self, entrants: int) -> list[str]:
        most = most_rounds(entrants)
        if self.rounds is None or entrants < 2 or 1 <= self.rounds <= most:
            return []
        given = f"rounds = {self.rounds}: {entrants} entrants can play 1 to {most} rounds of {SWISS}"
        return [f"{given} without meeting anybody twice; for more let everybody meet in a round_robin"]

    def _gauntlet_problems(self, entrants: Sequence[str]) -> list[str]:
        found = [f"challenger {name!r} is no entrant" for name in self.challengers if name not in entrants]
        if not self.challengers:
            found.append(f'{GAUNTLET} needs challengers = ["name", ...]: who meets all others')
        if len(set(self.challengers)) < len(self.challengers):
            found.append("a challenger is named twice")
        if entrants and set(entrants) <= set(self.challengers):
            found.append("all entrants are challengers, so nobody is left for them to meet")
        return found

    def rounds_of(self, entrants: int) -> int | None:
        """How many rounds a Swiss tournament of this field has; None for the other formats."""
        return None if self.name != SWISS else self.rounds or usual_rounds(entrants)

    def first_fixtures(self, entrants: Sequence[str]) -> tuple[Fixture, ...]:
        """Every fixture that is known from the start, in the order of play; none where rounds are drawn."""
        if self.is_drawn:
            return ()
        if self.name == GAUNTLET:
            others = [name for name in entrants if name not in self.challengers]
            return gauntlet(self.challengers, others, self.cycles)
        return round_robin(entrants, self.cycles)

    def more_fixtures(
        self, field: Sequence[str], newcomers: Sequence[str], earlier: Sequence[Fixture]
    ) -> tuple[Fixture, ...]:
        """What is missing when newcomers join a field that has these fixtures; `field` are those not withdrawn.

        Only round robin and gauntlet take newcomers.
        """
        last_round = max((fixture.round for fixture in earlier), default=0)
        if self.name == GAUNTLET:
            challengers = [name for name in self.challengers if name in field]
            return catch_up_gauntlet(challengers, newcomers, self.cycles, last_round)
        return catch_up(field, newcomers, self.cycles, last_round)

    def next_round(
        self,
        entrants: Sequence[str],
        rounds: Sequence[Round],
        results: Sequence[FixtureResult],
        *,
        best_game: BestGame,
        withdrawn: Collection[str],
    ) -> Round | None:
        """Draw the next round when all those before it are over; None if there is none.

        `entrants` in the order of the file: starting numbers of Swiss, seeds of the knock-out. The order of the
        results never matters.
        """
        if self.name == KNOCKOUT:
            return self.bracket(entrants, rounds, results, best_game=best_game, withdrawn=withdrawn).next_round()
        total = self.rounds_of(len(entrants))
        if total is None or len(rounds) >= total:
            return None
        fixtures = [fixture for each in rounds for fixture in each.fixtures]
        table = standings(
            entrants,
            fixtures,
            results,
            best_game=best_game,
            withdrawn=withdrawn,
            rounds=rounds,
            rounds_due=total,
        )
        points = {row.entrant: row.match_points for row in table.rows}
        had_free = {row.entrant for row in table.rows if row.free_rounds}
        return draw_swiss(entrants, rounds, points, gone=withdrawn, had_free=had_free)

    def bracket(
        self,
        entrants: Sequence[str],
        rounds: Sequence[Round],
        results: Sequence[FixtureResult],
        *,
        best_game: BestGame,
        withdrawn: Collection[str],
    ) -> Bracket:
        """The bracket of a knock-out as it stands."""
        return Bracket(
            entrants=entrants,
            rounds=rounds,
            results={result.fixture: result for result in results},
            withdrawn=withdrawn,
            best_game=best_game,
        )

    def matches(self, entrants: int) -> int:
        """How many matches a format that is drawn has if nobody withdraws: what a progress bar counts towards."""
        total = self.rounds_of(entrants)
        return entrants - 1 if total is None else total * (entrants // 2)
