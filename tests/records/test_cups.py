"""Who plays in a cup by the ratings of its ladder, and who has won it by its record."""

import pytest
from msgspec import UNSET

from arena.records.cups import CupWinner, cup_field, cup_winners
from arena.records.facts import StandingRow, TournamentEnded
from arena.records.lines import RecordError
from tests.fixtures.ladder_books import book_of
from tests.fixtures.small_run import opened_tournament

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


def row(place: int | None, entrant: str, match_points: float) -> StandingRow:
    return StandingRow(place=place, entrant=entrant, match_points=match_points, points=0)


@pytest.mark.parametrize(
    ("rows", "winners"),
    [
        ([row(1, "bo", 2.0), row(2, "anna", 0.0)], ["bo"]),
        ([row(1, "anna", 1.0), row(1, "bo", 1.0)], ["anna", "bo"]),
        ([row(1, "anna", 0.0), row(1, "bo", 0.0)], []),
        ([row(None, "anna", 0.0), row(None, "bo", 0.0)], []),
    ],
)
def test_the_winners_are_the_first_of_the_table(
    rows: list[StandingRow], winners: list[str]
) -> None:
    opened = opened_tournament()
    ended = TournamentEnded(at_ms=1, standings=rows, tie_breaks=[], notes=[])
    names = {} if opened.names is UNSET else opened.names
    assert cup_winners([opened]) == []
    assert cup_winners([opened, ended]) == [
        CupWinner(entrant=name, name=names.get(name, name)) for name in winners
    ]


def test_another_file_is_no_record_of_a_cup() -> None:
    with pytest.raises(RecordError):
        cup_winners([])
