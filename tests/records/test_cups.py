"""Who plays in a cup by the ratings of its ladder."""

from arena.records.cups import cup_field
from tests.fixtures.ladder_books import book_of

NOW_MS = 1_000_000
ELO = {"anna-1": 10.0, "bert-2": 300.0, "cecil-1": -40.0, "dora-1": 90.0}
HOUSE = ["greedy-1", "random-1", "neural-1"]


def test_the_best_that_are_there_play_best_first() -> None:
    field = cup_field(book_of(ELO), ELO, HOUSE, best=3, now_ms=NOW_MS)
    assert field == ["bert-2", "dora-1", "anna-1"]


def test_programs_of_the_house_have_only_the_places_that_are_left() -> None:
    field = cup_field(book_of(ELO), ["cecil-1", "dora-1"], HOUSE, best=4, now_ms=NOW_MS)
    assert field == ["dora-1", "greedy-1", "neural-1", "cecil-1"]
    field = cup_field(book_of(ELO), ["cecil-1"], HOUSE, best=4, now_ms=NOW_MS)
    assert field == ["cecil-1"]


def test_a_bot_that_rests_after_forfeits_does_not_play_and_an_unrated_one_comes_last() -> None:
    book = book_of(ELO, resting=["bert-2"])
    field = cup_field(book, [*ELO, "erik-1"], [], best=4, now_ms=NOW_MS)
    assert field == ["dora-1", "anna-1", "cecil-1", "erik-1"]
