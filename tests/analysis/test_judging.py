"""What is said of decisions and rolls, whatever the evaluator thinks."""

from __future__ import annotations

import pytest

from arena.analysis import analyse
from arena.analysis.judging import Question, chances_of, evaluate_questions, mark_of
from arena.games import load_game
from arena.records.analysed import Losses
from arena.records.lines import RecordError, read_attempts
from arena.records.replay import find_turn
from tests.fixtures.caller import CALLER, by_these_rules
from tests.fixtures.forgeries import setting
from tests.fixtures.report_runs import run
from tests.fixtures.sitting import VASA
from tests.fixtures.small_evaluators import flat, small
from tests.fixtures.small_run import (
    RECORD,
    attempt_record,
    called_attempt,
    forge,
    pairs_attempt,
    small_run,
)


@pytest.mark.parametrize("ruleset", ["vasa", "classic", "fiske", "swedish-tables", "backgammon"])
@pytest.mark.parametrize("dice", [1, 2])
def test_luck_has_the_mean_zero(ruleset: str, dice: int) -> None:
    game = load_game(ruleset)
    chances = chances_of(dice)
    [looked] = evaluate_questions(game, small(ruleset), [Question(game.start(), chances)])
    assert sum(chance * looked.luck(roll) for roll, chance in chances.items()) == pytest.approx(
        0, abs=1e-12
    )


def test_the_throw_for_the_start_is_one_of_fifteen() -> None:
    """G2: what is thrown is played, and it is no double."""
    chances = chances_of(2, is_opening=True)
    assert len(chances) == 15
    assert all(chance == pytest.approx(1 / 15) for chance in chances.values())
    assert all(one != two for one, two in chances)


def test_luck_by_hand() -> None:
    """One checker six pips from off: 27 of 36 rolls win a point at once, and what comes after the others is level.

    1-1, 1-2, 1-3, 1-4 and 2-3 do not reach: nine of 36.
    """
    game = load_game("backgammon")
    [looked] = evaluate_questions(
        game, flat("backgammon"), [Question(game.parse_position("6:1 | opp 19:2"), chances_of(2))]
    )
    assert looked.mean == pytest.approx(27 / 36)
    assert {roll for roll in looked.best if looked.luck(roll) < 0} == {
        (1, 1),
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 3),
    }
    assert looked.luck((1, 6)) == pytest.approx(1 - 27 / 36)
    assert looked.luck((1, 1)) == pytest.approx(-27 / 36)


@pytest.mark.parametrize("ruleset", ["vasa", "backgammon", "fiske"])
@pytest.mark.parametrize(
    "plies", [1, *(pytest.param(plies, marks=pytest.mark.soak) for plies in (2, 3))]
)
def test_no_decision_gains_and_the_best_loses_nothing(ruleset: str, plies: int) -> None:
    found = analyse(RECORD, run(ruleset)[RECORD], small(ruleset), plies)
    assert found.head.broken == ""
    assert min(one.loss for one in found.decisions) == 0
    assert any(one.loss > 0 for one in found.decisions)
    for one in found.decisions:
        assert one.loss == pytest.approx(1000 * (one.best_value - one.value), abs=0.2)
        assert one.forced == (one.choices == 1)
        assert (one.best == one.played) or one.loss >= 0
        assert not one.forced or (one.loss, one.best, one.mark) == (0, one.played, None)
        assert one.mark == mark_of(one.loss)
    assert [(one.game, one.turn, one.dice) for one in found.rolls] == [
        (one.game, one.turn, one.dice) for one in found.decisions
    ]
    for roll in found.rolls:
        assert roll.luck == pytest.approx(roll.best_value - roll.mean, abs=2e-6)
        assert roll.opening == (ruleset == "backgammon" and roll.turn == 1)


def test_one_turn_ahead_the_best_turn_is_that_of_the_luck() -> None:
    found = analyse(RECORD, run()[RECORD], small())
    best = [one.best_value for one in found.rolls]
    assert [one.best_value for one in found.decisions] == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize(
    ("loss", "mark"),
    [
        (0, None),
        (19.9, None),
        (20, "doubtful"),
        (59.9, "doubtful"),
        (60, "bad"),
        (120, "blunder"),
        (4000, "blunder"),
    ],
)
def test_marks(loss: float, mark: str | None) -> None:
    assert mark_of(loss) == mark


def test_what_is_forfeited_is_judged_as_far_as_it_was_played() -> None:
    found = analyse(RECORD, small_run()[RECORD], small())
    assert found.head.void == (1,)
    assert {one.attempt for one in found.rolls} == {1, 2}
    decisions, rolls = found.counted
    assert {one.attempt for one in (*decisions, *rolls)} == {2}
    turns = {(one.game, one.turn) for one in decisions}
    assert {(one.game, one.turn) for one in rolls} > turns
    assert {one.game for one in rolls} == {1, 2, 3}
    counting = Losses()
    counting.add(found)
    losses = counting.ranked()
    assert sum(bot.rolls for bot in losses) == len(rolls)
    assert sum(bot.decisions.total() for bot in losses) == sum(not one.forced for one in decisions)
    assert sum(bot.luck for bot in losses) == pytest.approx(sum(one.luck for one in rolls))


def test_both_halves_of_a_pair_have_their_luck() -> None:
    found = analyse(RECORD, attempt_record(pairs_attempt()), small())
    first = {one.game: one for one in found.rolls if one.turn == 1 and one.game in (1, 2)}
    assert first[1].dice == first[2].dice
    assert first[1].luck == pytest.approx(first[2].luck)
    assert first[1].bot != first[2].bot


def test_a_call_for_dice_is_a_decision() -> None:
    """B11.3: a number of dice is worth the mean over its rolls; the luck of the roll is against that mean."""
    with by_these_rules(CALLER):
        found = analyse(RECORD, attempt_record(called_attempt()), small())
        calls = [one for one in found.decisions if one.kind == "call"]
        [attempt] = read_attempts(RECORD, attempt_record(called_attempt()))
        positions = [find_turn(attempt, call.game, call.turn)[1].position for call in calls]
    assert found.head.broken == ""
    assert [one.played for one in calls] == ["1", "2", "1"]
    rolls = {(one.game, one.turn): one for one in found.rolls}
    for call, position in zip(calls, positions, strict=True):
        assert (call.choices, call.forced, call.dice) == (2, False, [])
        roll = rolls[call.game, call.turn]
        assert roll.mean == pytest.approx(call.value, abs=1e-4)
        assert len(roll.dice) == int(call.played)
        [looked] = evaluate_questions(
            VASA, small(), [Question(position, chances_of(int(call.played)))]
        )
        assert call.value == pytest.approx(looked.mean, abs=1e-4)


def test_a_record_is_judged_up_to_where_it_is_wrong() -> None:
    whole = analyse(RECORD, run()[RECORD], small())
    lines = run()[RECORD].split(b"\n")
    damaged = {
        "lines": [*lines[:30], b"nonsense", *lines[31:]],
        "closing": [*lines[:-2], lines[-2].replace(b'sha256":"', b'sha256":"0')[:-3] + b'"}', b""],
    }
    for kind, changed in damaged.items():
        found = analyse(RECORD, b"\n".join(changed), small())
        assert found.head.broken.startswith(
            f"{RECORD}:{31 if kind == 'lines' else len(lines) - 1}: "
        )
        assert found.decisions == whole.decisions[: len(found.decisions)]
        assert (len(found.decisions) == len(whole.decisions)) == (kind == "closing")
    forged = forge(run(), RECORD, setting("turn_played", 9, spent_ms=99_999))
    found = analyse(RECORD, forged[RECORD], small())
    assert "the replay gives" in found.head.broken or "cannot follow" in found.head.broken
    assert 0 < len(found.decisions) <= 10


def test_a_record_of_which_nothing_can_be_read_is_refused() -> None:
    with pytest.raises(RecordError):
        analyse(RECORD, b"nonsense\n", small())
    with pytest.raises(RecordError):
        analyse(RECORD, b"", small())
