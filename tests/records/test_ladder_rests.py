"""When an entrant of a ladder rests: after three forfeits in a row, and then after each one, longer and longer."""

from typing import Final

import pytest

from arena.games.result import Result
from arena.records.ladder_day import LadderBook
from arena.records.ladder_facts import EntrantCame, EntrantRests, PairDrawn
from arena.tournaments.results import FixtureResult
from tests.fixtures.ladder_books import book_of

HOUR_MS: Final = 3_600_000
FORFEIT: Final = Result(winner=1, ending="forfeit", clause="M3", points=1, cause="time")
PLAYED: Final = Result(winner=1, ending="full_house", clause="B10", points=1)


class Day:
    """A day in which random meets greedy, who is at fault."""

    def __init__(self) -> None:
        self.book: LadderBook = book_of({})
        for name in ("random", "greedy"):
            self.book.apply(
                EntrantCame(at_ms=0, entrant=f"{name}-1", bot=name, version=1, is_house=True)
            )
        self._drawn: list[str] = []

    def draw(self) -> None:
        fixture = self.book.fixture_of("random-1", "greedy-1").id
        self._drawn.append(fixture)
        self.book.apply(
            PairDrawn(at_ms=0, fixture=fixture, free=2, free_sha256="", number=0, probability=1.0)
        )

    def settle(self, result: Result, at_ms: int) -> list[EntrantRests]:
        """Decide the match that was drawn first; gives the rests that follow, which are written."""
        decided = FixtureResult(
            fixture=self._drawn.pop(0),
            round=1,
            first="random-1",
            second="greedy-1",
            games=(result, result),
        )
        self.book.decide(decided, at_ms)
        rests = self.book.due_rests(at_ms)
        for rest in rests:
            self.book.apply(rest)
        return rests

    def play(self, result: Result, at_ms: int) -> list[int]:
        """Draw and settle a match; gives the hours of the rests that follow."""
        self.draw()
        return [(rest.until_ms - at_ms) // HOUR_MS for rest in self.settle(result, at_ms)]


@pytest.fixture
def day() -> Day:
    return Day()


def test_after_a_rest_one_forfeit_is_enough_for_one_twice_as_long(day: Day) -> None:
    assert [day.play(FORFEIT, at_ms) for at_ms in (1, 2, 3)] == [[], [], [1]]
    assert day.play(FORFEIT, 3 + HOUR_MS) == [2]
    assert day.play(FORFEIT, 3 + 3 * HOUR_MS) == [4]
    assert day.play(PLAYED, 3 + 7 * HOUR_MS) == []
    later = [day.play(FORFEIT, at_ms + 8 * HOUR_MS) for at_ms in (1, 2, 3)]
    assert later == [[], [], [1]]


def test_matches_that_were_in_play_when_a_rest_began_make_it_no_longer(day: Day) -> None:
    for _ in range(8):
        day.draw()
    rests = [len(day.settle(FORFEIT, at_ms)) for at_ms in range(8)]
    assert rests == [0, 0, 1, 0, 0, 0, 0, 0]
    assert day.book.players["greedy-1"].forfeits == 8
    assert day.play(FORFEIT, 2 + HOUR_MS) == [2]
