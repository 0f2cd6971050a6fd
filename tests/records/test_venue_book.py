"""The names that a bot of a venue may have, and what the lines of its log come to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.lines import RecordError
from arena.records.venue_book import (
    BOT_NAME_CHARS,
    VenueBook,
    book_of,
    bot_name_problems,
)
from arena.records.venue_facts import BotJoined, VersionSeen
from arena.tournaments.looks import looks_of
from arena.tournaments.names import DISPLAY_NAME_CHARS, entrant_problems
from arena.words import say

LETTERS = "abz09-_v"


def book_with(*names: tuple[str, str]) -> VenueBook:
    book = VenueBook()
    for bot, shown in names:
        book.apply(BotJoined(at_ms=1, bot=bot, shown=shown))
    return book


@given(st.text(LETTERS, max_size=30), st.integers(1, 99_999))
def test_a_version_of_every_bot_is_the_name_of_an_entrant_and_of_no_bot(
    name: str, number: int
) -> None:
    version = VersionSeen(at_ms=0, bot=name, number=number, fingerprint="")
    if bot_name_problems(name):
        return
    assert len(name) <= BOT_NAME_CHARS
    assert entrant_problems([version.entrant]) == ()
    assert bot_name_problems(version.entrant)


@given(st.text(max_size=70), st.text(max_size=70))
def test_a_name_is_taken_or_told_in_one_sentence(name: str, shown: str) -> None:
    book = book_with(("anna", "Anna"))
    problems = book.name_problems(name, shown)
    for problem in problems:
        assert say(problem, "sv")
        assert say(problem).isprintable()
    if not problems:
        assert not entrant_problems([name])
        assert shown.isprintable()
        assert len(shown) <= DISPLAY_NAME_CHARS
        assert looks_of(name) != "anna"
        assert looks_of(shown) != "anna"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("anna", "X"),
        ("bo", "Anna"),
        ("bo", "ANNA"),
        ("bo", "\u0410nna"),  # a Cyrillic A
        ("bo", "Ann\u0430"),  # and at the end
        ("bo", "asa-ek"),  # the id of one, the display name of another
        ("bo", "Åsa Ek"),
        ("bo", "Anna-2"),  # the name of a version of another
    ],
)
def test_a_name_that_looks_like_one_that_is_there_is_refused(name: str, shown: str) -> None:
    book = book_with(("anna", "anna"), ("asa-ek", "Åsa Ek"))
    [problem] = book.name_problems(name, shown)
    assert problem.code == "door.name_taken"


def test_a_bot_may_be_shown_by_its_own_id() -> None:
    assert book_with(("anna", "anna")).name_problems("bo", "bo") == []


@pytest.mark.parametrize("record", [b"rubbish\n", b'{"event":"bot_unbanned","v":1}\n', b"{}\n"])
def test_what_is_no_log_of_a_venue_is_refused(record: bytes) -> None:
    with pytest.raises(RecordError):
        book_of(record)
