"""A match whose arena was gone: both bots come back, or one, or none; nobody is to blame for the interruption."""

import pytest

from arena.matches.facts import GameEnded, MatchResumed, Terms
from arena.matches.state import can_go_on
from arena.matches.time_control import TimeControl
from arena.words import Said
from tests.fixtures.sitting import TERMS, Sitting, tags

EXITED = Said("lost.program", {"how": Said("program.exit", {"status": 1})})

PAIRS = Terms(
    form="pairs",
    games=4,
    clock=TimeControl(delay_ms=100, bank_ms=1000),
    rejections=0,
    turn_limit=1000,
    startup_ms=5000,
)


def resumed(sitting: Sitting) -> Sitting:
    """The arena was gone for an hour."""
    sitting.now_ms += 3_600_000
    sitting.resumes()
    assert tags(sitting.last) == ["match_resumed"]
    return sitting


def in_mid_game(terms: Terms = TERMS) -> Sitting:
    """Two turns into the first game of a match."""
    sitting = Sitting(terms=terms)
    sitting.ready()
    for _ in range(2):
        sitting.at(1).waits(60)
        sitting.plays()
    return sitting


def test_nothing_goes_on_before_both_are_back_and_then_the_same_turn_is_put_with_a_new_clock() -> (
    None
):
    sitting = in_mid_game()
    sitting.waits(70)
    before = sitting.game
    resumed(sitting)
    sitting.ready(before.mover)
    assert sitting.asked == []
    sitting.waits(400)
    sitting.ready(3 - before.mover)
    assert tags(sitting.last) == ["bot_returned"]
    [game] = sitting.asked
    assert (game.dice, game.position, game.left_ms) == (
        before.dice,
        before.position,
        before.left_ms,
    )
    assert game.written_ms == sitting.now_ms
    assert sitting.match.standing.violations == (0, 0)


def test_a_bot_that_does_not_come_back_forfeits_this_game_and_all_that_are_left() -> None:
    sitting = resumed(in_mid_game())
    sitting.ready(2)
    sitting.waits(TERMS.startup_ms)
    assert not sitting.is_over
    sitting.waits(1)
    over = [fact for fact in sitting.last if isinstance(fact, GameEnded)]
    ended = [(fact.game, fact.turns, fact.result.winner, fact.result.cause) for fact in over]
    assert ended == [(1, 2, 2, "no_show"), (2, 0, 2, "no_show"), (3, 0, 2, "no_show")]
    assert sitting.match.standing.violations == (1, 0)
    assert tags(sitting.last)[-1] == "match_ended"


def test_a_program_that_ends_before_it_is_back_forfeits_at_once() -> None:
    sitting = resumed(in_mid_game())
    sitting.ready(2)
    sitting.leaves(1, grace_ms=0, reason=EXITED)
    assert tags(sitting.last) == ["bot_missing", *["game_ended"] * 3, "match_ended"]
    assert sitting.match.standing.violations == (1, 0)


def test_when_neither_comes_back_the_match_is_void() -> None:
    sitting = resumed(in_mid_game())
    sitting.waits(TERMS.startup_ms + 1)
    assert tags(sitting.last) == ["match_voided"]
    assert sitting.match.standing.violations == (0, 0)


def test_a_bot_that_was_away_when_the_arena_went_has_its_start_up_time_as_the_other() -> None:
    sitting = in_mid_game()
    sitting.leaves(1, grace_ms=500)
    resumed(sitting)
    sitting.ready(2)
    sitting.waits(TERMS.startup_ms)
    sitting.ready(1)
    assert len(sitting.asked) == 1
    assert sitting.match.standing.violations == (1, 0)


def test_a_bot_that_leaves_again_before_the_other_is_back_gets_a_violation_as_between_games() -> (
    None
):
    sitting = resumed(in_mid_game())
    sitting.ready(1)
    sitting.leaves(1, grace_ms=500)
    assert tags(sitting.last) == ["bot_left"]
    sitting.ready()
    assert len(sitting.asked) == 1
    assert sitting.match.standing.violations == (1, 0)


@pytest.mark.parametrize(
    "said", ["nothing", "one has no entropy", "one has committed", "one has revealed"]
)
def test_it_does_not_go_on_before_the_dice_are_settled(said: str) -> None:
    """A program that is started again cannot know what it committed to; the match is played again instead."""
    sitting = Sitting()
    if said == "one has no entropy":
        sitting.ready(1)
    elif said != "nothing":
        sitting.commits(1, "aa")
    if said == "one has revealed":
        sitting.commits(2, "bb")
        sitting.reveals(1, "aa")
    assert not can_go_on(sitting.match)
    with pytest.raises(AssertionError, match="played again"):
        resumed(sitting)


def test_a_half_that_is_decided_stands_when_a_bot_does_not_come_back() -> None:
    sitting = Sitting(terms=PAIRS)
    sitting.ready()
    number = next(game.number for game in sitting.match.games if game.mover == 1)
    sitting.at(number).plays_illegally()
    assert sitting.ended == []
    resumed(sitting)
    sitting.ready(1)
    sitting.waits(PAIRS.startup_ms + 1)
    ended = {fact.game: (fact.result.winner, fact.result.cause) for fact in sitting.ended}
    assert ended[number] == (2, "illegal_turns")
    assert ended[3 - number] == (1, "no_show")


def test_a_match_that_is_over_is_not_resumed() -> None:
    sitting = Sitting()
    sitting.waits(TERMS.startup_ms + 1)
    with pytest.raises(AssertionError, match="is over"):
        resumed(sitting)


def test_the_fact_says_when() -> None:
    sitting = resumed(in_mid_game())
    assert sitting.last == [MatchResumed(at_ms=sitting.now_ms)]
