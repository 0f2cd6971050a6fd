"""Clocks: delay and bank, the last millisecond, the flag (section "Clocks" of the protocol)."""

import pytest
from msgspec.structs import replace

from arena.matches.events import BotMeasured, TimePassed
from arena.matches.facts import FlagFell, Measured, TurnPlayed, TurnRejected
from arena.matches.match import advance, written
from arena.matches.state import due_ms, with_game
from arena.matches.time_control import TimeControl
from arena.words import say
from tests.fixtures.sitting import TERMS, Sitting, tags


def seated(**changes: int) -> Sitting:
    """Both ready, the first turn on the clock; delay 100 ms, bank 1,000 ms unless changed."""
    sitting = Sitting(terms=replace(TERMS, clock=replace(TERMS.clock, **changes)))
    sitting.ready()
    return sitting


@pytest.fixture
def sitting() -> Sitting:
    return seated()


@pytest.mark.parametrize(
    ("spent", "left"),
    [(0, 1000), (1, 1000), (99, 1000), (100, 1000), (101, 999), (600, 500), (1099, 1), (1100, 0)],
)
def test_the_delay_is_free_and_the_rest_comes_out_of_the_bank(
    sitting: Sitting, spent: int, left: int
) -> None:
    mover = sitting.game.mover
    sitting.waits(spent)
    [played] = sitting.plays()
    assert (played.spent_ms, played.left_ms) == (spent, left)
    assert (
        sitting.match.games[0].left_ms[mover - 1],
        sitting.match.games[0].spent_ms[mover - 1],
    ) == (left, spent)


def test_the_bank_goes_down_turn_by_turn_and_only_the_movers(sitting: Sitting) -> None:
    left = [1000, 1000]
    for spent in (300, 50, 450, 250, 100, 900):
        mover = sitting.game.mover
        left[mover - 1] -= max(0, spent - 100)
        sitting.waits(spent)
        sitting.plays()
        assert sitting.game.left_ms == tuple(left)


def test_an_answer_at_the_deadline_is_in_time_and_the_flag_falls_one_millisecond_later(
    sitting: Sitting,
) -> None:
    written_ms = sitting.now_ms
    assert due_ms(sitting.match) == written_ms + 1101
    assert sitting.waits(1100) == []
    assert advance(sitting.match, TimePassed(at_ms=sitting.now_ms)).facts == ()
    late = advance(sitting.match, TimePassed(at_ms=sitting.now_ms + 1))
    assert tags(late.facts[:2]) == ["flag_fell", "game_ended"]
    assert isinstance(sitting.plays()[0], TurnPlayed)


def test_a_flag_forfeits_the_game_at_once_with_a_violation(sitting: Sitting) -> None:
    mover = sitting.game.mover
    facts = sitting.waits(1101)
    assert tags(facts) == ["flag_fell", "game_ended", "game_started"]
    flag, ended, _ = facts
    assert isinstance(flag, FlagFell)
    assert (flag.seat, flag.turn, flag.spent_ms, flag.at_ms) == (mover, 1, 1101, sitting.now_ms)
    result = ended.result
    assert (result.winner, result.points, result.cause, result.clause) == (
        3 - mover,
        6,
        "time",
        "B10.2",
    )
    assert ended.turns == 0
    assert sitting.match.standing.violations[mover - 1] == 1
    assert sitting.match.standing.violations[2 - mover] == 0


@pytest.mark.parametrize("late_by", [1, 2, 5000])
def test_an_answer_that_comes_too_late_is_the_flag_even_before_anybody_looked_at_the_clock(
    sitting: Sitting, late_by: int
) -> None:
    sitting.now_ms += 1100 + late_by
    facts = sitting.plays()
    assert tags(facts) == ["flag_fell", "game_ended", "game_started"]
    assert facts[0].spent_ms == 1100 + late_by


def test_an_illegal_answer_that_comes_too_late_is_the_flag_and_no_rejection(
    sitting: Sitting,
) -> None:
    sitting.now_ms += 1101
    assert tags(sitting.plays_illegally())[:2] == ["flag_fell", "game_ended"]


def test_a_rejected_turn_keeps_its_dice_and_its_clock(sitting: Sitting) -> None:
    dice, due = sitting.game.dice, due_ms(sitting.match)
    sitting.waits(600)
    [rejected] = sitting.plays_illegally()
    assert isinstance(rejected, TurnRejected)
    assert rejected.spent_ms == 600
    assert (sitting.game.dice, due_ms(sitting.match)) == (dice, due)
    sitting.waits(400)
    [played] = sitting.plays()
    assert (played.spent_ms, played.left_ms, played.dice) == (1000, 100, dice)


def test_every_game_begins_with_a_full_bank(sitting: Sitting) -> None:
    sitting.waits(900)
    sitting.plays()
    sitting.waits(1101)
    assert sitting.game.number == 2
    assert (sitting.game.left_ms, sitting.game.spent_ms) == ((1000, 1000), (0, 0))


def test_without_delay_and_bank_an_answer_in_the_same_millisecond_is_in_time() -> None:
    sitting = seated(delay_ms=0, bank_ms=0)
    assert tags(sitting.plays()) == ["turn_played"]
    assert tags(sitting.waits(1))[0] == "flag_fell"


def test_the_increment_comes_after_each_turn_of_its_bot_and_after_no_other_answer() -> None:
    sitting = seated(delay_ms=0, bank_ms=500, increment_ms=200)
    mover = sitting.game.mover
    sitting.waits(300)
    [rejected] = sitting.plays_illegally()
    assert isinstance(rejected, TurnRejected)
    assert sitting.game.left_ms == (500, 500)
    sitting.waits(199)
    [played] = sitting.plays()
    assert (played.spent_ms, played.left_ms) == (499, 201)
    assert sitting.game.left_ms[mover - 1] == 201
    assert sitting.game.left_ms[2 - mover] == 500
    sitting.plays()
    assert sitting.game.left_ms[2 - mover] == 700, "beyond what it was at the beginning"


def test_the_increment_saves_nobody_whose_flag_has_fallen() -> None:
    sitting = seated(delay_ms=0, bank_ms=500, increment_ms=200)
    sitting.waits(500)
    sitting.now_ms += 1
    assert tags(sitting.plays())[0] == "flag_fell"


@pytest.mark.parametrize(
    ("control", "words"),
    [
        (TimeControl(), "1000 ms a turn and 60000 ms a game"),
        (TimeControl(delay_ms=0, increment_ms=5), "60000 ms a game and 5 ms more after each turn"),
        (
            TimeControl(increment_ms=5),
            "1000 ms a turn, 60000 ms a game and 5 ms more after each turn",
        ),
        (TimeControl(bank_ms=0), "1000 ms a turn"),
    ],
)
def test_its_words_name_the_times_that_there_are(control: TimeControl, words: str) -> None:
    assert say(control.said) == words


@pytest.mark.parametrize(("pace_ms", "lasts"), [(27, True), (28, False)])
def test_the_pace_is_the_longest_at_which_the_clock_lasts_for_so_many_turns(
    pace_ms: int, *, lasts: bool
) -> None:
    control = TimeControl(delay_ms=10, bank_ms=100, increment_ms=6)
    assert control.pace_ms(8) == 27
    left: int | None = control.bank_ms
    for _ in range(8):
        left = None if left is None else control.after_turn(left, pace_ms)
    assert (left is not None) == lasts


def test_no_clock_runs_before_the_turn_is_written(sitting: Sitting) -> None:
    waiting = with_game(sitting.match, replace(sitting.game, written_ms=None, due_ms=None))
    assert due_ms(waiting) is None
    assert advance(waiting, TimePassed(at_ms=sitting.now_ms + 10**9)).facts == ()


def test_a_turn_that_is_written_again_keeps_its_clock(sitting: Sitting) -> None:
    due = due_ms(sitting.match)
    again, later = written(sitting.match, 1, sitting.now_ms + 700)
    assert later is None
    assert due_ms(again) == due == sitting.now_ms + 1101


def measured(starved_ms: int) -> Measured:
    return Measured(cpu_ms=600, starved_ms=starved_ms, steal_ms=0, pressure_ms=900)


def test_the_time_for_which_the_machine_starved_a_bot_is_not_its_own(sitting: Sitting) -> None:
    """The clock goes on as if it had begun later by so much; the answer is charged without it."""
    sitting.now_ms += 1101
    [extended] = sitting.happens(BotMeasured(at_ms=sitting.now_ms, game=1, measured=measured(400)))
    assert (extended.spent_ms, extended.extended_ms) == (1101, 400)
    assert due_ms(sitting.match) == sitting.now_ms + 400
    assert sitting.waits(99) == []
    [played] = sitting.plays()
    assert (played.spent_ms, played.left_ms) == (800, 300)


def test_a_flag_that_falls_all_the_same_has_the_measurement_beside_it(sitting: Sitting) -> None:
    """What was given back once is not given back again, and a few milliseconds are noise."""
    sitting.now_ms += 1101
    assert tags(
        sitting.happens(BotMeasured(at_ms=sitting.now_ms, game=1, measured=measured(50)))
    ) == ["clock_extended"]
    sitting.now_ms += 50
    assert sitting.happens(BotMeasured(at_ms=sitting.now_ms, game=1, measured=measured(59))) == []
    flag, *_ = sitting.happens(TimePassed(at_ms=sitting.now_ms))
    assert isinstance(flag, FlagFell)
    assert (flag.spent_ms, flag.measured) == (1101, measured(59))


def test_no_more_is_given_back_than_was_taken(sitting: Sitting) -> None:
    sitting.now_ms += 1101
    [extended] = sitting.happens(BotMeasured(at_ms=sitting.now_ms, game=1, measured=measured(5000)))
    assert extended.extended_ms == 1101
    assert due_ms(sitting.match) == sitting.now_ms + 1101
    assert sitting.game.left_ms == (1000, 1000)


def test_what_a_bank_has_lost_while_the_machine_starved_the_bot_is_given_back_too(
    sitting: Sitting,
) -> None:
    """A bot that was starved in earlier turns has lost its bank to the machine, and only now its flag is to fall."""
    mover = sitting.game.mover
    for spent in (1000, 0):
        sitting.waits(spent)
        sitting.plays()
    assert sitting.game.left_ms[mover - 1] == 100
    sitting.now_ms += 201
    [extended] = sitting.happens(BotMeasured(at_ms=sitting.now_ms, game=1, measured=measured(700)))
    assert (extended.spent_ms, extended.extended_ms) == (201, 700)
    assert sitting.game.left_ms[mover - 1] == 100 + 700 - 201
    [played] = sitting.plays()
    assert (played.spent_ms, played.left_ms) == (0, 599)


def test_what_was_given_back_in_one_turn_is_not_given_back_in_the_next(sitting: Sitting) -> None:
    mover = sitting.game.mover
    sitting.now_ms += 1101
    sitting.happens(BotMeasured(at_ms=sitting.now_ms, game=1, measured=measured(400)))
    sitting.plays()
    assert sitting.game.starved_ms[mover - 1] == 400
    sitting.now_ms += 1101
    [other] = sitting.happens(BotMeasured(at_ms=sitting.now_ms, game=1, measured=measured(300)))
    assert other.extended_ms == 300
    sitting.plays()
    sitting.now_ms += 1101
    [again] = sitting.happens(BotMeasured(at_ms=sitting.now_ms, game=1, measured=measured(450)))
    assert again.extended_ms == 50
