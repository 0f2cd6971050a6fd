"""Pairs: clocks that stand while the other half thinks, and bots that are gone."""

from __future__ import annotations

from typing import Any

import pytest

from arena.matches.events import TimePassed
from arena.matches.facts import BotLeft, FlagFell, GameEnded, MatchVoided
from arena.matches.match import advance, due_ms
from tests.matches.pairs import TERMS, forfeits, play_step, seated
from tests.matches.sitting import Sitting, tags


def test_no_clock_runs_while_a_half_waits_for_the_other() -> None:
    sitting = seated()
    sitting.waits(10)
    sitting.at(1).plays()
    sitting.waits(700)
    sitting.at(2).plays()
    one, two = sitting.asked
    assert (one.left_ms, two.left_ms) == ((1000, 1000), (1000, 390))
    assert (one.spent_ms, two.spent_ms) == ((10, 0), (0, 710))
    assert one.written_ms == two.written_ms == sitting.now_ms


def test_a_flag_that_falls_lets_the_other_half_go_on() -> None:
    sitting = seated()
    sitting.at(1).plays()
    assert sitting.waits(1100) == []
    assert tags(sitting.waits(1)) == ["flag_fell", "game_ended"]
    assert [(game.number, game.turn) for game in sitting.asked] == [(1, 2)]


def test_a_flag_is_kept_back_while_the_other_half_thinks() -> None:
    sitting = seated()
    sitting.waits(1050)
    sitting.at(1).plays()
    sitting.waits(51)
    play = sitting.of(FlagFell)
    assert [(fact.game, fact.spent_ms) for fact in play] == [(2, 1101)]
    slow = seated()
    slow.at(2).plays_illegally()
    slow.waits(1101)
    assert tags(slow.last) == ["flag_fell", "flag_fell", "game_ended", "game_ended", "game_started", "game_started"]


def test_of_two_halves_that_are_overdue_only_the_one_that_ran_out_first_is_judged() -> None:
    """20 ms apart; a check after both cannot know whether the first half was answered in time."""
    sitting = seated()
    sitting.waits(100)
    sitting.at(1).plays()
    sitting.waits(20)
    sitting.at(2).plays()
    play_step(sitting)
    written_ms = sitting.now_ms
    assert [(game.number, game.left_ms[game.mover - 1]) for game in sitting.asked] == [(1, 1000), (2, 980)]
    assert due_ms(sitting.match) == written_ms + 1081
    late = advance(sitting.match, TimePassed(at_ms=written_ms + 1130, lag_ms=40))
    assert [fact.game for fact in late.facts if isinstance(fact, FlagFell)] == [2]
    assert due_ms(late.match) == written_ms + 1101
    later = advance(sitting.match, TimePassed(at_ms=written_ms + 1130))
    assert [fact.game for fact in later.facts if isinstance(fact, FlagFell)] == [2, 1]


def test_halves_that_ran_out_in_the_same_millisecond_are_judged_in_the_order_of_their_numbers() -> None:
    sitting = seated()
    sitting.waits(2000)
    assert [fact.game for fact in sitting.of(FlagFell)] == [1, 2]


# Bots that are gone


@pytest.mark.parametrize("moment", ["before an answer", "after its answer", "after the other's answer", "alone"])
@pytest.mark.parametrize("seat", [1, 2])
def test_a_bot_that_stays_away_forfeits_what_is_open_in_both_halves(moment: str, seat: Any) -> None:
    sitting = seated()
    mine, theirs = (1, 2) if seat == 1 else (2, 1)
    if moment == "after its answer":
        sitting.at(mine).plays()
    elif moment == "after the other's answer":
        sitting.at(theirs).plays()
    elif moment == "alone":
        forfeits(sitting, theirs)
        sitting.at(mine).plays()
    sitting.leaves(seat, grace_ms=50)
    sitting.waits(51)
    assert {fact.game for fact in sitting.ended} == {1, 2}
    causes = [fact.result.cause for fact in sitting.ended]
    assert causes == (["illegal_turns", "disconnect"] if moment == "alone" else ["disconnect"] * 2)
    assert sitting.match.standing.phase == "waiting"
    assert sitting.match.standing.violations[seat - 1] == len(sitting.of(BotLeft)) == 1
    sitting.ready(seat)
    assert [game.number for game in sitting.asked] == [3, 4]


def test_what_was_decided_in_a_half_stands_when_its_bot_goes() -> None:
    sitting = seated()
    forfeits(sitting, 1)
    sitting.leaves(1, grace_ms=0)
    assert [(fact.game, fact.result.cause) for fact in sitting.ended] == [(1, "illegal_turns"), (2, "disconnect")]
    assert sitting.match.standing.score == (0, 12)


def test_a_bot_that_comes_back_in_time_goes_on_in_both_halves() -> None:
    sitting = seated()
    sitting.leaves(1, grace_ms=500)
    sitting.at(2).plays()
    sitting.waits(300)
    assert tags(sitting.ready(1)) == ["bot_returned"]
    sitting.at(1).plays()
    assert sitting.at(1).game.left_ms == (800, 1000)
    assert sitting.at(2).game.left_ms == (1000, 1000)


def test_a_pair_both_have_left_is_void() -> None:
    sitting = seated()
    forfeits(sitting, 1)
    sitting.leaves(1, grace_ms=500)
    sitting.leaves(2, grace_ms=500)
    sitting.waits(501)
    assert isinstance(sitting.end, MatchVoided)
    assert sitting.ended == []


def test_a_bot_that_never_comes_forfeits_every_half_of_every_pair() -> None:
    sitting = Sitting(terms=TERMS)
    sitting.ready(1)
    sitting.waits(5001)
    assert [(fact.game, fact.result.winner, fact.result.cause) for fact in sitting.of(GameEnded)] == [
        (number, 1, "no_show") for number in (1, 2, 3, 4)
    ]
    assert sitting.match.standing.violations == (0, 1)


def test_an_arena_that_is_stopped_voids_both_halves() -> None:
    sitting = seated()
    sitting.at(1).plays()
    assert tags(sitting.void()) == ["match_voided"]
    assert sitting.match.games == ()
