"""Who won a match, as its page says it first."""

from __future__ import annotations

import pytest

from arena.pages.contents import GameLine
from arena.pages.run_page import match_outcome, page_without_record, update_rows
from arena.records.lines import read_attempts
from arena.records.timeline import Timeline
from arena.words import Said, say
from tests.fixtures.small_run import RECORD, agreed_attempt, attempt_record, played_attempt

DECISION = Said("decision.points", {"name": "Anna A", "points": 12, "theirs": 0})


def book_and_rows(sitting) -> tuple[Timeline, dict[int, GameLine]]:
    [attempt] = read_attempts(RECORD, attempt_record(sitting))
    rows: dict[int, GameLine] = {}
    for _, fact in attempt.facts:
        update_rows(rows, fact)
    book = Timeline.of(attempt, has_boards=False)
    list(book.tell(attempt.facts))
    return book, rows


@pytest.mark.parametrize(
    ("state", "decision", "words"),
    [
        ("settled", DECISION, "Anna A won on points, 12 against 0"),
        (
            "annulled",
            DECISION,
            "Anna A won on points, 12 against 0; the match does not count, since an entrant withdrew",
        ),
        ("void", None, "this attempt does not count: the match was played again"),
        ("under way", None, "anna won on points, 12 against 0"),
    ],
)
def test_the_record_of_the_tournament_has_the_last_word(state, decision, words) -> None:
    book, rows = book_and_rows(played_attempt())
    assert say(match_outcome(book, rows, state, decision, "value")) == words


def test_a_match_that_is_played_and_not_settled_yet_may_be_drawn() -> None:
    book, rows = book_and_rows(agreed_attempt())
    assert book.score == (0, 0)
    said = match_outcome(book, rows, "under way", None, "value")
    assert say(said) == "anna and bo drew: 0 points each and equal lists of won games"


def test_a_match_without_a_record_is_told_by_the_tournament_alone() -> None:
    page = page_without_record("r1-anna-v-bo", None, is_counted=True)
    assert say(page.outcome) == "no points yet"
