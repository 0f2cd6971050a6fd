"""B11.3: a side that has the choice says how many dice it wants before they are rolled."""

import pytest
from msgspec.structs import replace

from arena.games import load_game
from arena.matches.events import CallAnswered
from arena.matches.facts import DiceCalled, FlagFell, Terms
from arena.matches.game import spent_ms
from arena.matches.match import advance, written
from arena.matches.state import due_ms, with_game
from arena.matches.time_control import TimeControl
from tests.fixtures.caller import CALLER
from tests.fixtures.sitting import VASA, Sitting, tags

TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=1000),
    rejections=2,
    turn_limit=1000,
    startup_ms=5000,
)


def seated(dice: str = "12" + "6543" * 20, terms: Terms = TERMS) -> Sitting:
    """Seat 1 begins, with a choice of dice."""
    sitting = Sitting(rules=CALLER, terms=terms, dice=dice)
    sitting.ready()
    return sitting


@pytest.fixture
def sitting() -> Sitting:
    return seated()


def test_B11_3_the_machine_asks_for_a_call_before_anything_is_rolled(sitting: Sitting) -> None:
    assert (sitting.game.calls, sitting.game.dice, sitting.game.turn) == ((1, 2), None, 1)
    assert sitting.asked_for == [1]
    assert len(sitting.script.left) == 80
    [fact] = sitting.calls(1)
    assert isinstance(fact, DiceCalled)
    assert (fact.game, fact.turn, fact.seat, fact.dice, fact.spent_ms) == (1, 1, 1, 1, 0)
    assert (sitting.game.calls, sitting.game.dice) == ((), (6,))
    assert sitting.plays([[1, 7]])[0].dice == (6,)
    assert (sitting.game.mover, sitting.game.calls, sitting.game.dice) == (2, (1, 2), None)
    sitting.calls(2)
    assert sitting.game.dice == (5, 4)


def test_B11_3_where_there_is_no_choice_the_dice_are_rolled_at_once(sitting: Sitting) -> None:
    sitting.calls(1)
    sitting.plays([[1, 7]])
    sitting.calls(1)
    sitting.plays([[1, 6]])
    assert (sitting.game.mover, sitting.game.turn, sitting.game.calls) == (1, 3, ())
    assert sitting.game.dice == (4, 3)
    plain = Sitting()
    plain.ready()
    assert plain.game.calls == ()
    assert plain.game.dice is not None


def test_B11_3_who_does_not_want_to_be_asked_rolls_two_dice_in_no_time(sitting: Sitting) -> None:
    """The record says so as of any call; nothing of the clock is used."""
    sitting.match = with_game(sitting.match, replace(sitting.game, written_ms=None, due_ms=None))
    sitting.now_ms += 40
    [fact] = sitting.waives_call()
    assert isinstance(fact, DiceCalled)
    assert (fact.seat, fact.turn, fact.dice, fact.spent_ms) == (1, 1, 2, 0)
    assert sitting.game.dice == (6, 5)


def test_B11_3_who_comes_back_and_does_not_want_to_be_asked_any_more_keeps_its_clock(
    sitting: Sitting,
) -> None:
    """From when it was asked; and its flag falls when its time was over."""
    sitting.now_ms += 1100
    [fact] = sitting.waives_call()
    assert isinstance(fact, DiceCalled)
    assert (fact.dice, fact.spent_ms) == (2, 1100)
    late = seated()
    late.now_ms += 1101
    flag, *_ = late.waives_call()
    assert isinstance(flag, FlagFell)


@pytest.mark.parametrize("dice", [0, 3, 6, 2**53])
def test_B11_3_a_call_for_another_number_is_rejected_like_an_illegal_turn(
    sitting: Sitting, dice: int
) -> None:
    sitting.waits(30)
    [fact] = sitting.calls(dice)
    assert (fact.code, fact.clause, fact.left, fact.legal_turns) == ("no_such_call", "B11.3", 1, 2)
    assert (fact.call, fact.moves, fact.dice, fact.spent_ms) == (dice, None, (), 30)
    assert fact.message == f"you may not call for {dice} dice here; call for 1 or 2."
    assert (sitting.game.calls, sitting.game.dice) == ((1, 2), None)
    assert tags(sitting.calls(1)) == ["dice_called"]


def test_B11_3_calls_and_turns_share_what_is_forgiven(sitting: Sitting) -> None:
    sitting.calls(3)
    sitting.calls(1)
    sitting.plays_illegally()
    assert tags(sitting.plays_illegally())[:2] == ["turn_rejected", "game_ended"]
    assert sitting.ended[0].result.winner == 2
    sitting = seated()
    for left in (1, 0):
        assert sitting.calls(0)[0].left == left
    rejected, ended, *_ = sitting.calls(0)
    assert (rejected.left, ended.result.cause, ended.turns) == (-1, "illegal_turns", 0)


def test_B11_3_call_and_turn_have_one_delay_and_one_bank(sitting: Sitting) -> None:
    sitting.waits(60)
    sitting.calls(2)
    sitting.waits(90)
    assert TERMS.clock.left(1000, spent_ms(sitting.game, sitting.now_ms)) == 950
    [played] = sitting.plays()
    assert (played.spent_ms, played.left_ms) == (150, 950)
    assert sitting.game.spent_ms == (150, 0)
    assert sitting.game.earlier_ms == 0


def test_B11_3_the_deadline_of_a_call_is_that_of_its_turn(sitting: Sitting) -> None:
    """On the very millisecond it is in time, and then nothing is left for the turn; one later the flag falls."""
    assert due_ms(sitting.match) == sitting.now_ms + 1101
    sitting.now_ms += 1100
    assert tags(sitting.calls(1)) == ["dice_called"]
    assert due_ms(sitting.match) == sitting.now_ms + 1
    assert tags(sitting.plays()) == ["turn_played"]
    sitting = seated()
    flag, ended, *_ = sitting.waits(1101)
    assert isinstance(flag, FlagFell)
    assert (flag.dice, flag.turn, flag.spent_ms, flag.seat) == ((), 1, 1101, 1)
    assert (ended.result.winner, ended.result.cause, ended.turns) == (2, "time", 0)


def test_B11_3_the_flag_of_a_turn_after_a_call_tells_the_time_of_both(sitting: Sitting) -> None:
    sitting.waits(700)
    sitting.calls(1)
    assert sitting.waits(400) == []
    [flag] = [fact for fact in sitting.waits(1) if isinstance(fact, FlagFell)]
    assert (flag.dice, flag.spent_ms) == ((6,), 1101)


def test_B11_3_a_call_that_comes_too_late_is_the_flag() -> None:
    for dice in (1, 7):
        sitting = seated()
        sitting.now_ms += 1101
        assert tags(sitting.calls(dice))[:2] == ["flag_fell", "game_ended"]


def test_B11_3_between_call_and_turn_no_clock_runs(sitting: Sitting) -> None:
    sitting.waits(300)
    called = advance(sitting.match, CallAnswered(at_ms=sitting.now_ms, game=1, dice=2)).match
    assert due_ms(called) is None
    assert TERMS.clock.left(1000, spent_ms(called.game(1), sitting.now_ms + 9999)) == 800
    for later_ms in (0, 5000):
        _, due = written(called, 1, sitting.now_ms + later_ms)
        assert due == sitting.now_ms + later_ms + 800 + 1


def test_B11_3_what_is_not_asked_for_cannot_be_said(sitting: Sitting) -> None:
    with pytest.raises(AssertionError, match="its dice called for, before it is answered"):
        sitting.plays([[1, 7]])
    with pytest.raises(AssertionError, match="its dice called for, before it is answered"):
        sitting.accepts_draw()
    sitting.calls(2)
    with pytest.raises(AssertionError, match="no choice of dice"):
        sitting.calls(2)
    plain = Sitting(rules=VASA)
    plain.ready()
    with pytest.raises(AssertionError, match="no choice of dice"):
        plain.calls(2)


def test_B11_3_a_bot_that_leaves_before_it_has_called_loses_by_its_clock_or_its_grace(
    sitting: Sitting,
) -> None:
    sitting.leaves(1, grace_ms=0)
    assert (sitting.ended[0].result.winner, sitting.ended[0].result.cause) == (2, "disconnect")
    sitting = seated()
    sitting.leaves(1, grace_ms=5000)
    assert isinstance(sitting.waits(1101)[0], FlagFell)


def one_die_before_a_crown(dice: str) -> Sitting:
    """`classic` with `one_die`: the side to move needs a single 6 for a crown, and has been asked."""
    rules = load_game("classic", ["one_die"])
    sitting = Sitting(rules=rules, terms=TERMS, dice="12" + "21" + dice)
    sitting.ready()
    before = rules.flip(rules.parse_position("18:1 20:3 21:3 22:3 23:3 24:2 | opp 13:15"))
    assert rules.dice_to_call(before) == ()
    sitting.match = with_game(sitting.match, replace(sitting.game, position=before))
    sitting.plays()
    assert (sitting.game.mover, sitting.game.calls) == (2, (1, 2))
    return sitting


def test_B11_3_with_the_option_a_die_that_does_not_complete_it_binds_the_side_for_as_many_turns() -> (
    None
):
    """A 2: in the next two turns of that side one die is rolled without a choice, and then two again."""
    sitting = one_die_before_a_crown("2" + "65" + "1" + "65" + "1" + "65")
    sitting.calls(1)
    for number, (dice, move) in enumerate([((2,), [18, 20]), ((1,), [20, 21]), ((1,), [21, 22])]):
        assert (sitting.game.mover, sitting.game.calls, sitting.game.dice) == (2, (), dice), number
        assert tags(sitting.plays([move])) == ["turn_played"]
        sitting.plays()
    assert (sitting.game.mover, sitting.game.turn) == (2, 8)
    assert (sitting.game.calls, sitting.rules.dice_to_roll(sitting.game.position)) == ((1, 2), 2)
