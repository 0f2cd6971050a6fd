"""The book of a match: what follows from its facts, whole or line by line."""

from collections.abc import Callable, Sequence

import pytest

from arena.games.result import Cause, Result, Seat
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReturned,
    GameEnded,
    GameStarted,
    MatchFact,
    MatchOpened,
    MatchResumed,
    MatchVoided,
    Terms,
)
from arena.matches.state import MOST_LOSSES
from arena.matches.time_control import TimeControl
from arena.records.lines import Attempt, read_attempts
from arena.records.reasons import absence, why_unanswered
from arena.records.replay import Replay
from arena.records.timeline import Moment, Timeline
from arena.words import Said, say
from tests.fixtures.resumed_match import begin, interrupt, play_out
from tests.fixtures.sitting import Sitting
from tests.fixtures.small_run import (
    agreed_attempt,
    brandubh_attempt,
    lines,
    pairs_attempt,
    played_attempt,
    starved_attempt,
    voided_attempt,
)

TERMS = Terms(
    games=2,
    clock=TimeControl(delay_ms=100, bank_ms=100),
    rejections=0,
    turn_limit=100,
    startup_ms=100,
)
OPENED = MatchOpened(
    at_ms=0,
    match="r1-anna-v-bo",
    attempt=1,
    ruleset={},
    entrants=("anna", "bo"),
    terms=TERMS,
    dice_commitment="0" * 64,
)
HUNG_UP = BotLeft(at_ms=1, seat=2, reason=Said("lost.hung_up"), grace_ms=0)
AWAY = BotLeft(at_ms=1, seat=2, reason=Said("lost.hung_up"), grace_ms=2000)
BACK = BotReturned(at_ms=2, seat=2)
RESUMED = MatchResumed(at_ms=3)
BEGUN = [
    GameStarted(at_ms=0, game=1, starter=1, opening=[]),
    GameStarted(at_ms=0, game=2, starter=1, opening=[]),
]
MISSING = BotMissing(
    at_ms=3, seat=2, reason=Said("lost.program", {"how": Said("program.exit", {"status": 255})})
)


def ended(cause: Cause | None, *, game: int = 1, winner: Seat = 1) -> GameEnded:
    return GameEnded(
        at_ms=9,
        game=game,
        result=Result(winner=winner, ending="forfeit", clause="T5", points=6, cause=cause),
        turns=3,
        score=(6, 0),
    )


def attempt(*facts: MatchFact) -> Attempt:
    return Attempt(opened=OPENED, facts=[("", fact) for fact in (*BEGUN, *facts)])


def last_of(*facts: MatchFact) -> Moment:
    told = attempt(*facts)
    return list(Timeline.of(told, has_boards=False).tell(told.facts))[-1]


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ([HUNG_UP, ended("disconnect")], "lost its connection for good: it hung up"),
        ([AWAY, ended("disconnect")], "lost its connection, and did not come back in time"),
        (
            [*[AWAY, BACK] * (MOST_LOSSES - 1), HUNG_UP, ended("disconnect")],
            "lost its connection 100 times in this match, and may not come back",
        ),
        ([MISSING, ended("no_show")], "did not come: its program ended with exit status 255"),
        (
            [HUNG_UP, ended("disconnect"), MISSING, ended("no_show", game=2)],
            "did not come: its program ended with",
        ),
        ([ended("no_show")], "did not come to the table in time"),
        ([AWAY, BACK, RESUMED, ended("no_show")], "did not come to the table in time"),
        ([AWAY, RESUMED, ended("no_show")], "did not come to the table in time"),
    ],
)
def test_what_the_loser_did_follows_from_the_facts_before_its_forfeit(
    facts: Sequence[MatchFact], words: str
) -> None:
    """A launched bot has no time to come back; what happened before an arena was gone is not held against it."""
    why = last_of(*facts).why
    assert why is not None
    assert say(absence(why)).startswith(words)


def test_a_bot_that_was_there_has_no_absence() -> None:
    for last in (ended("time"), ended("disconnect", winner=2)):
        why = last_of(HUNG_UP, last).why
        assert why is not None
        assert why.absence is None


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ([HUNG_UP, ended("disconnect")], "it hung up; forfeit (disconnect)"),
        ([ended("no_show")], "forfeit (no show)"),
        (
            [ended("disconnect", winner=2)],
            "the game was over before an answer; forfeit (disconnect) by anna",
        ),
        ([ended(None)], "the game was over before an answer"),
        (
            [MatchVoided(at_ms=9, reason=Said("void.both_gone"), violations=(0, 0))],
            "the match is void: both bots are gone",
        ),
        ([HUNG_UP], "the record ends before an answer"),
    ],
)
def test_a_turn_without_an_answer_has_its_reason(facts: Sequence[MatchFact], words: str) -> None:
    assert say(why_unanswered(attempt(*facts), 1, 2)) == words


def test_every_event_between_two_turns_has_a_label_of_its_own_however_many_there_are() -> None:
    """Two facts at the same place could not be told apart."""
    losses = [AWAY, BACK] * 27
    moments = Timeline.of(attempt(), has_boards=False).tell(attempt(*losses).facts)
    labels = [moment.places[0].label for moment in moments if moment.fact in (AWAY, BACK)]
    assert labels[:2] == ["1a", "1b"]
    assert labels[25:28] == ["1z", "1za", "1zb"]
    assert labels[51:] == ["1zz", "1zza", "1zzb"]


def interrupted_attempt() -> Sitting:
    return play_out(interrupt(begin("series"), 12))


@pytest.mark.parametrize(
    "make",
    [
        *(
            agreed_attempt,
            brandubh_attempt,
            interrupted_attempt,
            pairs_attempt,
            played_attempt,
            starved_attempt,
        ),
        voided_attempt,
    ],
)
def test_what_follows_from_the_lines_is_what_the_machine_had(make: Callable[[], Sitting]) -> None:
    [attempt] = read_attempts("x", lines(make().facts))
    replay = Replay.of(attempt)
    book = Timeline(attempt.opened, "x", replay=replay)
    for where, fact in attempt.facts:
        book.add(where, fact)
        if replay.missing():
            continue  # the machine knows what the next lines are
        games = {
            game.number: (game.position, game.left_ms, game.turn) for game in replay.match.games
        }
        assert {
            number: (game.position, game.left_ms, game.turn) for number, game in book.open.items()
        } == games
