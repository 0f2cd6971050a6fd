"""Breaks between games: who may ask for one, when it ends, and what happens to bots that leave in it."""

import pytest
from msgspec.structs import replace

from arena.matches.events import ReadyForGame
from arena.matches.facts import BotReturned, BreakEnded, MatchVoided, Terms
from arena.matches.state import MOST_LOSSES, called_back, due_ms
from arena.matches.time_control import TimeControl
from arena.records.lines import RecordError, read_attempts
from arena.records.replay import verify_attempt
from tests.fixtures.pair_matches import TERMS as PAIRS
from tests.fixtures.pair_matches import forfeits
from tests.fixtures.sitting import Sitting, tags
from tests.fixtures.small_run import lines

BREAK_MS = 120_000
TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=1000),
    rejections=0,
    turn_limit=1000,
    startup_ms=5000,
)


def lost_game(breaks_ms: tuple[int, int] = (BREAK_MS, 0), *, dice: str | None = None) -> Sitting:
    """The first game is over: the side to move has forfeited it by an illegal turn."""
    sitting = Sitting(terms=TERMS, dice=dice)
    sitting.breaks_ms = breaks_ms
    sitting.ready()
    sitting.plays_illegally()
    return sitting


def replays(sitting: Sitting) -> None:
    """Its record, as far as it goes, gives the same facts again."""
    [attempt] = read_attempts("x", lines(sitting.facts))
    verify_attempt(attempt)


def test_without_a_bot_that_asks_the_next_game_begins_at_once() -> None:
    sitting = lost_game((0, 0))
    assert tags(sitting.last) == ["turn_rejected", "game_ended", "game_started"]
    assert b"break" not in lines(sitting.facts)


def test_the_next_game_begins_when_the_bot_that_asked_is_ready() -> None:
    sitting = lost_game()
    assert tags(sitting.last) == ["turn_rejected", "game_ended"]
    assert sitting.match.standing.phase == "break"
    assert sitting.match.standing.resting == (True, False)
    assert sitting.waits(60_000) == []
    assert tags(sitting.rested(1)) == ["break_ended", "game_started"]
    assert sitting.last[0].at_ms == sitting.last[1].at_ms == sitting.now_ms
    assert sitting.game.written_ms == sitting.now_ms, "no clock ran before"
    replays(sitting)


def test_nothing_is_rolled_before_the_break_is_over() -> None:
    sitting = lost_game(dice="12 65")
    assert sitting.script is not None
    sitting.waits(BREAK_MS)
    assert sitting.script.left == []
    with pytest.raises(AssertionError, match="not scripted enough dice"):
        sitting.rested(1)  # the roll of the next game


def test_both_that_asked_must_be_ready() -> None:
    sitting = lost_game((BREAK_MS, BREAK_MS))
    assert sitting.rested(2) == []
    assert sitting.rested(2) == [], "once is enough"
    assert sitting.waits(500) == []
    assert tags(sitting.rested(1)) == ["break_ended", "game_started"]
    replays(sitting)


def test_it_ends_by_itself_after_its_last_millisecond() -> None:
    sitting = lost_game()
    ended_ms = sitting.now_ms
    assert due_ms(sitting.match) == ended_ms + BREAK_MS + 1
    assert sitting.waits(BREAK_MS) == []
    assert tags(sitting.waits(1)) == ["break_ended", "game_started"]
    replays(sitting)


def test_at_its_last_millisecond_a_bot_is_in_time() -> None:
    sitting = lost_game((BREAK_MS, BREAK_MS))
    sitting.rested(2)
    sitting.waits(BREAK_MS)
    assert tags(sitting.rested(1)) == ["break_ended", "game_started"]
    replays(sitting)


def test_a_word_that_comes_after_its_end_finds_the_game_begun() -> None:
    sitting = lost_game()
    sitting.now_ms += BREAK_MS + 5
    assert tags(sitting.rested(1)) == ["break_ended", "game_started"]
    with pytest.raises(AssertionError, match="ReadyForGame cannot come in a match that is playing"):
        sitting.rested(1)


def test_the_longest_time_that_somebody_asked_for_counts() -> None:
    sitting = lost_game((1000, 3000))
    assert sitting.waits(3000) == []
    assert tags(sitting.waits(1)) == ["break_ended", "game_started"]


def test_pairs_have_one_break_after_both_halves() -> None:
    sitting = Sitting(terms=replace(PAIRS, rejections=1))
    sitting.breaks_ms = (0, BREAK_MS)
    sitting.ready()
    forfeits(sitting, 1)
    assert sitting.match.standing.phase == "playing"
    forfeits(sitting, 2)
    assert tags(sitting.last)[-2:] == ["game_ended", "game_ended"]
    assert sitting.match.standing.phase == "break"
    assert tags(sitting.rested(2)) == ["break_ended", "game_started", "game_started"]
    replays(sitting)


def test_there_is_no_break_after_the_last_game() -> None:
    sitting = lost_game()
    for _ in range(2):
        sitting.rested(1)
        sitting.plays_illegally()
    assert tags(sitting.last) == ["turn_rejected", "game_ended", "match_ended"]


# Bots that leave


def test_a_bot_that_comes_back_in_the_break_finds_it_going_on() -> None:
    sitting = lost_game()
    assert tags(sitting.leaves(2)) == ["bot_left"]
    assert called_back(sitting.match) == [2]
    sitting.waits(4000)
    assert tags(sitting.ready(2)) == ["bot_returned"]
    assert sitting.waits(5001) == [], "its start-up time is over, and it is here"
    assert tags(sitting.rested(1)) == ["break_ended", "game_started"]
    replays(sitting)


def test_the_game_begins_when_the_missing_bot_is_back_if_nobody_rests_any_more() -> None:
    sitting = lost_game()
    sitting.leaves(2)
    assert sitting.rested(1) == []
    assert tags(sitting.ready(2)) == ["bot_returned", "break_ended", "game_started"]
    replays(sitting)


def test_a_bot_that_does_not_come_back_forfeits_in_the_middle_of_the_break() -> None:
    sitting = lost_game()
    sitting.leaves(2)
    assert sitting.waits(5000) == []
    assert tags(sitting.waits(1)) == ["game_ended", "game_ended", "match_ended"]
    assert [fact.result.cause for fact in sitting.ended][1:] == ["no_show", "no_show"]
    assert due_ms(sitting.match) is None
    replays(sitting)


def test_a_bot_that_rests_and_is_away_rests_again_when_it_is_back() -> None:
    sitting = lost_game()
    sitting.leaves(1)
    assert sitting.match.standing.resting == (False, False)
    sitting.waits(4000)
    assert tags(sitting.ready(1)) == ["bot_returned"]
    [returned] = sitting.of(BotReturned)
    assert returned.break_ms == BREAK_MS
    assert sitting.match.standing.resting == (True, False)
    assert tags(sitting.rested(1)) == ["break_ended", "game_started"]
    replays(sitting)


def test_a_bot_that_is_away_does_not_hold_up_the_other() -> None:
    """The one that is there is ready; the break is over for it, and its opponent has its start-up time."""
    sitting = lost_game((BREAK_MS, BREAK_MS))
    sitting.leaves(2)
    sitting.rested(1)
    assert sitting.match.standing.resting == (False, False)
    assert tags(sitting.waits(5001)) == ["game_ended", "game_ended", "match_ended"]
    replays(sitting)


def test_a_bot_that_was_lost_in_the_game_may_rest_as_well() -> None:
    sitting = Sitting(terms=TERMS)
    sitting.breaks_ms = (BREAK_MS, 0)
    sitting.ready()
    assert tags(sitting.leaves(1, grace_ms=0)) == ["bot_left", "game_ended"]
    assert sitting.match.standing.phase == "break"
    assert called_back(sitting.match) == [1]
    assert tags(sitting.ready(1)) == ["bot_returned"]
    assert tags(sitting.rested(1)) == ["break_ended", "game_started"]
    replays(sitting)


def test_when_the_break_is_over_before_a_bot_is_back_the_match_waits_for_it() -> None:
    sitting = lost_game((2000, 0))
    sitting.leaves(2)
    assert tags(sitting.waits(2001)) == ["break_ended"]
    assert sitting.match.standing.phase == "waiting"
    assert tags(sitting.ready(2)) == ["bot_returned", "game_started"]
    replays(sitting)


def test_a_launched_bot_that_crashes_in_a_break_is_started_again_once() -> None:
    sitting = lost_game()
    sitting.leaves(2, grace_ms=0)
    assert called_back(sitting.match) == [2]
    sitting.ready(2)
    assert tags(sitting.leaves(2, grace_ms=0)) == [
        "bot_left",
        "game_ended",
        "game_ended",
        "match_ended",
    ]
    assert [fact.result.cause for fact in sitting.ended][1:] == ["no_show", "no_show"]
    replays(sitting)


def test_the_hundredth_loss_forfeits_the_match_in_a_break_as_well() -> None:
    sitting = lost_game()
    for _ in range(MOST_LOSSES - 1):
        sitting.leaves(2, grace_ms=500)
        sitting.ready(2)
    assert sitting.match.standing.phase == "break"
    assert tags(sitting.leaves(2, grace_ms=500)) == [
        "bot_left",
        "game_ended",
        "game_ended",
        "match_ended",
    ]
    assert [fact.result.cause for fact in sitting.ended][1:] == ["disconnect", "disconnect"]
    replays(sitting)


def test_losses_through_the_arena_itself_cost_nothing_in_a_break() -> None:
    sitting = lost_game()
    violations = sitting.match.standing.violations
    sitting.leaves(1, grace_ms=500, is_blameless=True)
    assert tags(sitting.ready(1)) == ["bot_returned"]
    assert sitting.match.standing.resting == (True, False)
    assert sitting.match.standing.violations == violations
    replays(sitting)


def test_a_bot_that_is_known_not_to_come_back_forfeits_at_once() -> None:
    sitting = lost_game()
    sitting.leaves(2)
    assert tags(sitting.leaves(2, grace_ms=0)) == [
        "bot_missing",
        "game_ended",
        "game_ended",
        "match_ended",
    ]
    replays(sitting)


def test_when_both_are_gone_the_match_is_void() -> None:
    sitting = lost_game()
    sitting.leaves(1)
    sitting.leaves(2)
    sitting.waits(5001)
    assert isinstance(sitting.end, MatchVoided)
    assert due_ms(sitting.match) is None
    replays(sitting)


def test_a_match_that_is_stopped_in_a_break_is_void() -> None:
    sitting = lost_game()
    assert tags(sitting.void()) == ["match_voided"]
    assert due_ms(sitting.match) is None
    replays(sitting)


def test_a_bot_that_asks_for_no_breaks_any_more_holds_up_nobody() -> None:
    sitting = lost_game((BREAK_MS, 0))
    sitting.leaves(1)
    sitting.breaks_ms = (0, 0)
    assert tags(sitting.ready(1)) == ["bot_returned", "break_ended", "game_started"]
    replays(sitting)


# The arena is gone


def test_an_arena_that_was_gone_goes_on_with_what_was_left_of_the_break() -> None:
    """By its record: so much was left when the last line was written."""
    sitting = lost_game()
    sitting.waits(20_000)
    sitting.leaves(2)
    sitting.waits(1000)
    sitting.ready(2)
    sitting.now_ms += 3_600_000
    assert tags(sitting.resumes()) == ["match_resumed"]
    assert sitting.match.standing.phase == "break"
    sitting.waits(100)
    assert tags(sitting.ready()) == ["bot_returned", "bot_returned"]
    assert sitting.waits(BREAK_MS - 21_000 - 100) == []
    assert tags(sitting.waits(1)) == ["break_ended", "game_started"]
    replays(sitting)


def test_after_it_was_gone_a_break_ends_when_its_bots_are_ready_once_more() -> None:
    sitting = lost_game((BREAK_MS, BREAK_MS))
    sitting.rested(1)
    sitting.now_ms += 3_600_000
    sitting.resumes()
    assert sitting.ready(1) != []
    assert sitting.rested(1) == []
    sitting.ready(2)
    assert tags(sitting.rested(2)) == ["break_ended", "game_started"]
    replays(sitting)


# On record


def test_a_record_without_the_end_of_a_break_is_refused() -> None:
    sitting = lost_game()
    sitting.rested(1)
    facts = [fact for fact in sitting.facts if not isinstance(fact, BreakEnded)]
    with pytest.raises(RecordError, match="game_started cannot follow here"):
        verify_attempt(read_attempts("x", lines(facts))[0])


def test_a_record_with_the_end_of_a_break_that_nobody_asked_for_is_refused() -> None:
    sitting = lost_game((0, 0))
    facts = [*sitting.facts[:-1], BreakEnded(at_ms=sitting.now_ms), sitting.facts[-1]]
    with pytest.raises(
        RecordError, match=r"the record says .*break_ended.*, but the replay gives .*game_started"
    ):
        verify_attempt(read_attempts("x", lines(facts))[0])


def test_a_break_does_not_end_on_record_while_a_bot_is_away() -> None:
    sitting = lost_game()
    sitting.leaves(2)
    facts = [*sitting.facts, BreakEnded(at_ms=sitting.now_ms)]
    with pytest.raises(RecordError, match="break_ended cannot follow here"):
        verify_attempt(read_attempts("x", lines(facts))[0])


def test_a_bot_says_that_it_is_ready_in_a_break_alone() -> None:
    sitting = Sitting(terms=TERMS)
    for _ in range(2):
        with pytest.raises(AssertionError, match="ReadyForGame cannot come"):
            sitting.happens(ReadyForGame(at_ms=sitting.now_ms, seat=1))
        sitting.ready()
