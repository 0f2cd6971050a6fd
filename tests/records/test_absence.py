"""Why a bot was absent when it forfeited a game, in words for its author."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arena.games.result import Cause, Result, Seat
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReturned,
    GameEnded,
    MatchFact,
    MatchOpened,
    MatchResumed,
    MatchVoided,
    Terms,
)
from arena.records.absence import absence_behind, absence_words, why_unanswered
from arena.records.reading import Attempt

TERMS = Terms(games=2, delay_ms=100, bank_ms=100, rejections=0, turn_limit=100, startup_ms=100)
OPENED = MatchOpened(
    at_ms=0, match="r1-anna-v-bo", attempt=1, ruleset={}, entrants=("anna", "bo"), terms=TERMS, dice_commitment="0" * 64
)
HUNG_UP = BotLeft(at_ms=1, seat=2, reason="it hung up", grace_ms=0)
AWAY = BotLeft(at_ms=1, seat=2, reason="it hung up", grace_ms=2000)
BACK = BotReturned(at_ms=2, seat=2)
RESUMED = MatchResumed(at_ms=3)
MISSING = BotMissing(at_ms=3, seat=2, reason="its program ended with exit status 255")


def ended(cause: Cause | None, *, game: int = 1, winner: Seat = 1) -> GameEnded:
    return GameEnded(
        at_ms=9,
        game=game,
        result=Result(winner=winner, ending="forfeit", clause="T5", points=6, cause=cause),
        turns=3,
        score=(6, 0),
    )


def attempt(*facts: MatchFact) -> Attempt:
    return Attempt(opened=OPENED, facts=[("", fact) for fact in facts])


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ([HUNG_UP, ended("disconnect")], "was lost for good: it hung up"),
        ([AWAY, ended("disconnect")], "lost its connection, and was not back in time"),
        ([MISSING, ended("no_show")], "did not come: its program ended with exit status 255"),
        ([HUNG_UP, ended("disconnect"), MISSING, ended("no_show", game=2)], "did not come: its program ended with"),
        ([ended("no_show")], "was not at the table in time"),
        ([AWAY, BACK, RESUMED, ended("no_show")], "was not at the table in time"),
        ([AWAY, RESUMED, ended("no_show")], "was not at the table in time"),
    ],
)
def test_what_the_loser_did_follows_from_the_facts_before_its_forfeit(facts: Sequence[MatchFact], words: str) -> None:
    """A launched bot has no time to come back; what happened before an arena was gone is not held against it."""
    last = facts[-1]
    assert isinstance(last, GameEnded)
    assert last.result.cause is not None
    assert absence_words(last.result.cause, absence_behind(attempt(*facts), last)).startswith(words)


def test_a_bot_that_was_there_has_no_absence() -> None:
    """It has lost by its answers, or the other was away."""
    late, won = ended("time"), ended("disconnect", winner=2)
    assert absence_behind(attempt(HUNG_UP, late), late) is None
    assert absence_behind(attempt(HUNG_UP, won), won) is None


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ([HUNG_UP, ended("disconnect")], "it hung up; forfeit (disconnect)"),
        ([ended("no_show")], "forfeit (no_show)"),
        ([ended("disconnect", winner=2)], "the game was over before one; forfeit (disconnect) by anna"),
        ([ended(None)], "the game was over before one"),
        (
            [MatchVoided(at_ms=9, reason="both bots are gone", violations=(0, 0))],
            "the match is void: both bots are gone",
        ),
        ([HUNG_UP], "the record ends before one"),
    ],
)
def test_a_turn_without_an_answer_has_its_reason(facts: Sequence[MatchFact], words: str) -> None:
    """Of bo, who was to move."""
    assert why_unanswered(attempt(*facts), 1, 2) == words
