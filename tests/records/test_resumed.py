"""A match that was interrupted after any line of its record: it goes on, and ends as if nothing had happened."""

import pytest

from arena.matches.facts import GameStarted, MatchResumed, MatchVoided, TurnPlayed, TurnRejected
from arena.records.lines import RecordError, read_attempts
from arena.records.replay import Replay, verify_attempt
from tests.fixtures.caller import by_these_rules
from tests.fixtures.resumed_match import MATCHES, ONLY_THEN, begin, interrupt, play_out, told
from tests.fixtures.sitting import Sitting
from tests.fixtures.small_run import attempt_record, lines

SETTLED = 5
"""So many facts are there when both bots have revealed their entropy."""
KINDS = pytest.mark.parametrize("kind", MATCHES)


def verify(sitting: Sitting) -> None:
    """Its closed record replays, with the seed revealed and without it."""
    with by_these_rules(sitting.rules):
        [attempt] = read_attempts("here", attempt_record(sitting))
        verify_attempt(attempt)
        [unrevealed] = read_attempts("here", lines(sitting.facts))
        verify_attempt(unrevealed)


@KINDS
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.soak)])
def test_interrupted_after_any_line_it_ends_with_the_same_dice_turns_clocks_and_result(
    kind: str, every: int
) -> None:
    undisturbed = play_out(begin(kind))
    for kept in [*range(1, SETTLED), *range(SETTLED, len(undisturbed.facts), every)]:
        again = play_out(interrupt(undisturbed, kept))
        if kept < SETTLED:
            assert isinstance(
                again.end, MatchVoided
            )  # its dice were not settled; it is played again
            verify(again)
            continue
        assert told(again) == told(undisturbed), f"interrupted after {undisturbed.facts[kept - 1]}"
        verify(again)


@KINDS
def test_interrupted_after_every_line_it_ends_likewise(kind: str) -> None:
    undisturbed = play_out(begin(kind))
    again = undisturbed
    kept = SETTLED - 1
    while news := [
        at for at in range(kept, len(again.facts)) if not isinstance(again.facts[at], ONLY_THEN)
    ]:
        kept = news[0] + 1
        again = play_out(interrupt(again, kept))
    assert told(again) == told(undisturbed)
    assert len(again.of(MatchResumed)) > 20
    verify(again)


def test_a_game_that_had_only_to_be_thrown_for_begins_before_the_match_is_resumed() -> None:
    undisturbed = begin("series")
    undisturbed.ready(entropy="0a")
    again = interrupt(undisturbed, SETTLED)
    assert [type(fact) for fact in again.facts[SETTLED:]] == [GameStarted, MatchResumed]
    assert again.asked == []


def test_a_turn_before_the_interruption_cannot_be_answered_without_being_put_again() -> None:
    sitting = begin("series")
    sitting.ready(entropy="0a")
    sitting.plays()
    sitting.plays()
    forged = [*sitting.facts[:-1], MatchResumed(at_ms=sitting.now_ms), sitting.facts[-1]]
    replay = Replay(sitting.opened, sitting.seed, "here")
    for fact in forged[1:-1]:
        replay.check(fact, "here")
    with pytest.raises(RecordError, match="turn_played cannot follow here"):
        replay.check(forged[-1], "here")


def test_a_match_that_is_over_is_not_resumed() -> None:
    sitting = play_out(begin("series"))
    replay = Replay(sitting.opened, sitting.seed, "here")
    for fact in sitting.facts[1:]:
        replay.check(fact, "here")
    with pytest.raises(RecordError, match="match_resumed cannot follow here"):
        replay.check(MatchResumed(at_ms=sitting.now_ms), "here")


def test_the_time_until_an_illegal_turn_stays_spent() -> None:
    """40 ms to the rejection are in the record, the 30 after it are not: the turn goes on with 40."""
    sitting = begin("series")
    sitting.ready(entropy="0a")
    sitting.waits(40)
    sitting.plays_illegally()
    sitting.waits(30)
    again = interrupt(sitting, len(sitting.facts))
    again.ready()
    again.waits(5)
    again.plays()
    assert [fact.spent_ms for fact in (*again.of(TurnRejected), *again.of(TurnPlayed))] == [40, 45]
