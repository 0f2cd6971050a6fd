"""Pairs: two games at once, seats swapped, the same dice; nothing is made known before both have come as far."""

from typing import Any

import pytest
from msgspec.structs import replace

from arena.games import Game, load_game
from arena.matches.events import TimePassed
from arena.matches.facts import (
    BotLeft,
    DiceCalled,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchEnded,
    MatchVoided,
    TurnPlayed,
)
from arena.matches.match import advance
from arena.matches.state import due_ms
from tests.fixtures.caller import CALLER
from tests.fixtures.pair_matches import TERMS, forfeits, play_step, seated
from tests.fixtures.sitting import VASA, Sitting, tags

BACKGAMMON = load_game("backgammon")
BRANDUBH = load_game("brandubh-1")
FISKE = load_game("fiske")


@pytest.fixture
def sitting() -> Sitting:
    return seated()


def mirrored(fact: TurnPlayed) -> tuple[int, int, tuple[int, ...], list[Any]]:
    """A turn without what tells the halves of a pair apart."""
    return fact.turn, fact.spent_ms, tuple(fact.dice), [list(move) for move in fact.moves]


# The start


def test_both_halves_begin_at_once_with_the_seats_swapped() -> None:
    sitting = seated(dice="44 25 6133")
    started = sitting.of(GameStarted)
    assert [(fact.game, fact.starter, list(fact.opening)) for fact in started] == [
        (1, 1, [(4, 4), (2, 5)]),
        (2, 2, [(4, 4), (5, 2)]),
    ]
    assert [(game.number, game.mover, game.turn) for game in sitting.asked] == [
        (1, 1, 1),
        (2, 2, 1),
    ]


def test_backgammon_plays_the_same_throw_in_both_halves() -> None:
    """G2: the higher begins; dice in the same order, so that nothing tells the halves apart."""
    sitting = seated(BACKGAMMON, dice="25")
    assert [(game.mover, game.dice) for game in sitting.asked] == [(2, (2, 5)), (1, (2, 5))]


def test_brandubh_swaps_the_colours_within_each_pair() -> None:
    """T1: there is nothing to throw; each has Black in one half."""
    sitting = seated(BRANDUBH, terms=replace(TERMS, turn_limit=1))
    assert [(fact.game, fact.starter) for fact in sitting.of(GameStarted)] == [(1, 1), (2, 2)]
    play_step(sitting)
    assert [(fact.game, fact.starter) for fact in sitting.of(GameStarted)][2:] == [(3, 1), (4, 2)]


def test_every_pair_has_a_throw_of_its_own() -> None:
    """B2.2 is for a series; a pair must not depend on the result of another."""
    sitting = seated(terms=replace(TERMS, turn_limit=1))
    play_step(sitting)
    assert [fact.game for fact in sitting.ended] == [1, 2]
    assert [bool(fact.opening) for fact in sitting.of(GameStarted)] == [True] * 4


def test_pairs_have_an_even_number_of_games() -> None:
    with pytest.raises(ValueError, match="3 games is an odd number"):
        replace(TERMS, games=3)


# The dice and the step


@pytest.mark.parametrize(
    "rules", [VASA, BACKGAMMON, FISKE, load_game("classic")], ids=lambda one: one.name
)
def test_the_same_play_is_dealt_the_same_dice_and_ends_level(rules: Game[Any]) -> None:
    sitting = seated(rules, terms=replace(TERMS, turn_limit=300))
    while not sitting.is_over:
        play_step(sitting)
    for first in (1, 3):
        one, two = (
            [fact for fact in sitting.of(TurnPlayed) if fact.game == number]
            for number in (first, first + 1)
        )
        assert [mirrored(fact) for fact in one] == [mirrored(fact) for fact in two]
        assert all(a.seat != b.seat for a, b in zip(one, two, strict=True))
    assert sitting.match.standing.score[0] == sitting.match.standing.score[1]
    assert len(sitting.ended) == 4


@pytest.mark.parametrize("first, second", [(1, 2), (2, 1)])
def test_nothing_follows_from_an_answer_before_the_other_half_has_answered(
    sitting: Sitting, first: int, second: int
) -> None:
    assert tags(sitting.at(first).plays()) == ["turn_played"]
    assert [game.number for game in sitting.asked] == [second]
    assert sitting.asked_for == []
    assert sitting.match.game(first).dice is None
    sitting.at(second).plays()
    assert sitting.asked_for == [1, 2]
    one, two = sitting.asked
    assert one.dice == two.dice
    assert (one.turn, two.turn, one.mover, two.mover) == (2, 2, 2, 1)


def test_a_rejected_turn_is_asked_again_within_the_step(sitting: Sitting) -> None:
    sitting.at(1).plays()
    assert tags(sitting.at(2).plays_illegally()) == ["turn_rejected"]
    assert [game.number for game in sitting.asked] == [2]
    sitting.plays()
    assert [(game.turn, game.rejections) for game in sitting.asked] == [(2, (0, 0)), (2, (0, 1))]


@pytest.mark.parametrize("ended, other", [(1, 2), (2, 1)])
def test_the_end_of_a_half_is_made_known_when_the_other_has_answered(
    sitting: Sitting, ended: int, other: int
) -> None:
    forfeits(sitting, ended)
    assert sitting.ended == []
    assert [game.number for game in sitting.asked] == [other]
    sitting.at(other).plays()
    [fact] = sitting.ended
    assert (fact.game, fact.result.cause, fact.turns) == (ended, "illegal_turns", 0)
    [game] = sitting.asked
    assert (game.number, game.turn) == (other, 2)
    for _ in range(10):
        sitting.plays()
    assert sitting.asked[0].turn == 12


def test_a_half_that_goes_on_alone_has_dice_nobody_has_seen() -> None:
    """Each step has its own: those after the end of the other half were never dealt there."""
    alone, both = seated(), seated()
    forfeits(alone, 1)
    alone.at(2).plays()
    play_step(both)
    assert alone.asked[0].dice == both.asked[1].dice
    assert {fact.turn for fact in alone.of(TurnPlayed) if fact.game == 1} == set()


def test_halves_that_end_in_the_same_step_end_together(sitting: Sitting) -> None:
    forfeits(sitting, 2)
    forfeits(sitting, 1)
    assert tags(sitting.last) == [
        "turn_rejected",
        "game_ended",
        "game_ended",
        "game_started",
        "game_started",
    ]
    assert [(fact.game, fact.result.winner, fact.score) for fact in sitting.ended] == [
        (1, 2, (0, 6)),
        (2, 1, (6, 6)),
    ]
    assert [game.number for game in sitting.asked] == [3, 4]
    assert sitting.match.standing.violations == (1, 1)


def test_the_match_is_over_when_both_halves_of_the_last_pair_are(sitting: Sitting) -> None:
    for _ in range(2):
        first, second = (game.number for game in sitting.asked)
        forfeits(sitting, second)
        sitting.at(first).plays()
        assert not sitting.is_over
        forfeits(sitting, first)
    assert [fact.game for fact in sitting.ended] == [2, 1, 4, 3]
    assert isinstance(sitting.end, MatchEnded)


def test_an_agreement_in_one_half_waits_for_the_other() -> None:
    sitting = seated(load_game("brandubh-2"))
    sitting.at(1).plays(offers_draw=True)
    assert not any(game.draw_offered for game in sitting.asked)
    sitting.at(2).plays()
    assert tags(sitting.at(1).accepts_draw()) == ["draw_agreed"]
    assert sitting.ended == []
    sitting.at(2).plays()
    assert [(fact.game, fact.result.ending) for fact in sitting.ended] == [(1, "agreement")]


# Calls (B11.3)


def test_no_half_is_rolled_before_both_have_called() -> None:
    sitting = seated(CALLER)
    assert [game.calls for game in sitting.asked] == [(1, 2), (1, 2)]
    assert tags(sitting.at(1).calls(1)) == ["dice_called"]
    assert [game.number for game in sitting.asked] == [2]
    assert tags(sitting.at(2).calls(2)) == ["dice_called"]
    one, two = sitting.asked
    assert one.dice == two.dice[:1]


@pytest.mark.parametrize("calling, other", [(1, 2), (2, 1)])
def test_a_half_that_does_not_call_waits_for_the_one_that_does(calling: int, other: int) -> None:
    """At turn 3 one side has 13 checkers at home, and a choice; the other has 14, and none."""
    sitting = seated(CALLER)
    sitting.at(other).calls(1)
    sitting.at(calling).calls(2)
    sitting.plays(
        next(turn.moves for turn in sitting.legal if [point for point, _ in turn.moves] == [1, 1])
    )
    sitting.at(other).plays()
    for number in (1, 2):
        sitting.at(number).calls(1)
    play_step(sitting)
    assert sitting.asked_for == [calling]
    assert [game.dice for game in sitting.match.games] == [None, None]
    sitting.at(calling).calls(1)
    assert sitting.asked_for == [1, 2]
    assert {game.number: len(game.dice) for game in sitting.asked} == {calling: 1, other: 2}


def test_how_many_dice_one_half_takes_does_not_touch_the_dice_of_the_other() -> None:
    sittings = seated(CALLER), seated(CALLER)
    for sitting, dice in zip(sittings, (1, 2), strict=True):
        sitting.at(1).calls(dice)
        sitting.at(2).calls(2)
        play_step(sitting)
        for game in sitting.asked:
            if game.calls:
                sitting.at(game.number).calls(2)
    assert sittings[0].asked[1].dice == sittings[1].asked[1].dice
    assert sittings[0].asked[0].dice == sittings[0].asked[1].dice


def test_a_half_that_ends_over_its_call_does_not_keep_the_other_from_its_roll() -> None:
    sitting = seated(CALLER)
    sitting.at(1).calls(1)
    sitting.waits(1101)
    assert tags(sitting.last) == ["flag_fell", "game_ended"]
    [game] = sitting.asked
    assert (game.number, len(game.dice)) == (1, 1)
    assert sitting.of(DiceCalled)[0].spent_ms == 0


def test_no_clock_runs_while_a_half_waits_for_the_other(sitting: Sitting) -> None:
    sitting.waits(10)
    sitting.at(1).plays()
    sitting.waits(700)
    sitting.at(2).plays()
    one, two = sitting.asked
    assert (one.left_ms, two.left_ms) == ((1000, 1000), (1000, 390))
    assert (one.spent_ms, two.spent_ms) == ((10, 0), (0, 710))
    assert one.written_ms == two.written_ms == sitting.now_ms


def test_a_flag_that_falls_lets_the_other_half_go_on(sitting: Sitting) -> None:
    sitting.at(1).plays()
    assert sitting.waits(1100) == []
    assert tags(sitting.waits(1)) == ["flag_fell", "game_ended"]
    assert [(game.number, game.turn) for game in sitting.asked] == [(1, 2)]


def test_a_flag_is_kept_back_while_the_other_half_thinks(sitting: Sitting) -> None:
    sitting.waits(1050)
    sitting.at(1).plays()
    sitting.waits(51)
    play = sitting.of(FlagFell)
    assert [(fact.game, fact.spent_ms) for fact in play] == [(2, 1101)]
    slow = seated()
    slow.at(2).plays_illegally()
    slow.waits(1101)
    assert tags(slow.last) == [
        "flag_fell",
        "flag_fell",
        "game_ended",
        "game_ended",
        "game_started",
        "game_started",
    ]


def test_of_two_halves_that_are_overdue_only_the_one_that_ran_out_first_is_judged(
    sitting: Sitting,
) -> None:
    """20 ms apart; a check after both cannot know whether the first half was answered in time."""
    sitting.waits(100)
    sitting.at(1).plays()
    sitting.waits(20)
    sitting.at(2).plays()
    play_step(sitting)
    written_ms = sitting.now_ms
    assert [(game.number, game.left_ms[game.mover - 1]) for game in sitting.asked] == [
        (1, 1000),
        (2, 980),
    ]
    assert due_ms(sitting.match) == written_ms + 1081
    late = advance(sitting.match, TimePassed(at_ms=written_ms + 1130, lag_ms=40))
    assert [fact.game for fact in late.facts if isinstance(fact, FlagFell)] == [2]
    assert due_ms(late.match) == written_ms + 1101
    later = advance(sitting.match, TimePassed(at_ms=written_ms + 1130))
    assert [fact.game for fact in later.facts if isinstance(fact, FlagFell)] == [2, 1]


def test_halves_that_ran_out_in_the_same_millisecond_are_judged_in_the_order_of_their_numbers(
    sitting: Sitting,
) -> None:
    sitting.waits(2000)
    assert [fact.game for fact in sitting.of(FlagFell)] == [1, 2]


# Bots that are gone


@pytest.mark.parametrize(
    "moment", ["before an answer", "after its answer", "after the other's answer", "alone"]
)
@pytest.mark.parametrize("seat", [1, 2])
def test_a_bot_that_stays_away_forfeits_what_is_open_in_both_halves(
    sitting: Sitting, moment: str, seat: Any
) -> None:
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


def test_what_was_decided_in_a_half_stands_when_its_bot_goes(sitting: Sitting) -> None:
    forfeits(sitting, 1)
    sitting.leaves(1, grace_ms=0)
    assert [(fact.game, fact.result.cause) for fact in sitting.ended] == [
        (1, "illegal_turns"),
        (2, "disconnect"),
    ]
    assert sitting.match.standing.score == (0, 12)


def test_a_bot_that_comes_back_in_time_goes_on_in_both_halves(sitting: Sitting) -> None:
    sitting.leaves(1, grace_ms=500)
    sitting.at(2).plays()
    sitting.waits(300)
    assert tags(sitting.ready(1)) == ["bot_returned"]
    sitting.at(1).plays()
    assert sitting.at(1).game.left_ms == (800, 1000)
    assert sitting.at(2).game.left_ms == (1000, 1000)


def test_a_pair_both_have_left_is_void(sitting: Sitting) -> None:
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
    assert [
        (fact.game, fact.result.winner, fact.result.cause) for fact in sitting.of(GameEnded)
    ] == [(number, 1, "no_show") for number in (1, 2, 3, 4)]
    assert sitting.match.standing.violations == (0, 1)
