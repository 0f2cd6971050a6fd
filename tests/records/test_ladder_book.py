"""What follows from the lines of a day of a ladder."""

from arena.games.result import Result, Seat
from arena.records.ladder_facts import EntrantCame, PairDrawn
from arena.tournaments.ladder_players import Player
from arena.tournaments.results import FixtureResult
from tests.fixtures.ladder_books import book_of


def forfeited(winner: Seat) -> Result:
    """A game that the other seat has forfeited."""
    return Result(winner=winner, ending="forfeit", clause="B10.2", points=6, cause="time")


def test_both_bots_are_charged_for_a_pair_in_which_each_forfeits_a_game() -> None:
    book = book_of({})
    for bot in ("anna", "bo"):
        entrant = f"{bot}-1"
        book.apply(EntrantCame(at_ms=0, player=Player(entrant=entrant, bot=bot, version=1)))
    fixture = book.fixture_of("anna-1", "bo-1")
    drawn = PairDrawn(
        at_ms=0, fixture=fixture.id, free=2, free_sha256="0" * 64, number=0, probability=1.0
    )
    book.apply(drawn)
    games = (forfeited(1), forfeited(2))
    result = FixtureResult(fixture=fixture.id, round=1, first="anna-1", second="bo-1", games=games)
    book.decide(result, 1)
    assert [player.forfeits for player in book.players.values()] == [0, 0, 0, 1, 1]
    assert book.edges == [(3, 4, 0, 0.0, 0.0, 1, 1)]
