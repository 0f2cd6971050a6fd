"""When an entrant of a ladder rests: after three forfeits in a row, and then after each one, longer and longer."""

from typing import Final

import pytest
from msgspec.structs import replace

from arena.games.result import Result
from arena.records.ladder_chain import players_after
from arena.records.ladder_day import LadderBook, PlayerToday
from arena.tournaments.formats.ladder_format import Ladder
from arena.tournaments.ladder_players import Player
from arena.tournaments.results import FixtureResult
from tests.fixtures.ladder_books import TERMS, book_of

HOUR_MS: Final = 3_600_000
FORFEIT: Final = Result(winner=1, ending="forfeit", clause="M3", points=1, cause="time")
PLAYED: Final = Result(winner=1, ending="full_house", clause="B10", points=1)


@pytest.fixture
def player() -> PlayerToday:
    return PlayerToday(identity=Player(entrant="anna-1", bot="anna", version=1))


def rests_after(player: PlayerToday, result: Result, at_ms: int) -> float:
    """How many hours a player rests after a match that it has lost."""
    entrant = player.identity.entrant
    match = FixtureResult(fixture="r1", round=1, first="bo-1", second=entrant, games=(result,) * 2)
    player.note_match(match, at_ms)
    return max(0, player.rests_until_ms - at_ms) / HOUR_MS


def test_after_a_rest_one_forfeit_is_enough_for_one_twice_as_long(player: PlayerToday) -> None:
    assert [rests_after(player, FORFEIT, at_ms) for at_ms in (1, 2, 3)] == [0, 0, 1]
    assert rests_after(player, FORFEIT, 3 + HOUR_MS) == 2
    assert rests_after(player, FORFEIT, 3 + 3 * HOUR_MS) == 4
    assert rests_after(player, PLAYED, 3 + 7 * HOUR_MS) == 0
    later_ms = 8 * HOUR_MS
    assert [rests_after(player, FORFEIT, later_ms + at_ms) for at_ms in (1, 2, 3)] == [0, 0, 1]


def test_matches_that_were_in_play_when_a_rest_began_make_it_no_longer(player: PlayerToday) -> None:
    for _ in range(8):
        rests_after(player, FORFEIT, 0)
    assert player.rests_until_ms == HOUR_MS
    assert player.forfeits == 8
    assert rests_after(player, FORFEIT, HOUR_MS) == 2


def test_a_rest_and_the_forfeits_in_a_row_go_on_over_midnight() -> None:
    book = book_of({})
    greedy = book.players["greedy-1"]
    for at_ms in (1, 2, 3):
        rests_after(greedy, FORFEIT, at_ms)
    anchors = [player for player in book.opened.players if player.is_anchor]
    following = players_after(book, anchors, old=())
    opened = replace(book.opened, players=following)
    next_day = LadderBook(Ladder(), TERMS, "vasa-2026-11-28", opened)
    greedy = next_day.players["greedy-1"]
    assert greedy.rests_until_ms == 3 + HOUR_MS
    assert rests_after(greedy, FORFEIT, 3 + HOUR_MS) == 2
