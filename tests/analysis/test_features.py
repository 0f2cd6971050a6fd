"""What networks are told, against what the engine says."""

from __future__ import annotations

import numpy as np
import pytest

from arena.analysis import features
from arena.analysis.arrays import counts_of, has_contact, phases_of, sides_of
from arena.analysis.evaluator import ways_of
from arena.analysis.hits import dice_that_hit
from arena.games.tables.endings import HANDSOME
from arena.games.tables.position import from_state
from tests.fixtures.small_evaluators import afterwards, tables_game

RULESETS = ("vasa", "classic", "fiske", "backgammon")


@pytest.mark.parametrize("ruleset", RULESETS)
def test_shots_are_the_dice_with_which_the_engine_hits(ruleset: str) -> None:
    game = tables_game(ruleset)
    found = list(afterwards(game, 300))
    sides = sides_of(counts_of([after.state for after in found]), game.rules.facing)
    told = np.array(dice_that_hit(sides.others, sides.blots_for_them))[:, 0].T
    for after, dice in zip(found, told, strict=True):
        for die in range(1, 7):
            hits = any(
                game.count_hits(after.next, turn.moves)[0]
                for turn in game.legal_turns(after.next, (die,))
            )
            assert hits == bool(dice[die - 1]), (game.format_position(after.next), die)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_rolls_that_hit_are_those_with_which_the_engine_hits(ruleset: str) -> None:
    game = tables_game(ruleset)
    found = list(afterwards(game, 120))
    sides = sides_of(counts_of([after.state for after in found]), game.rules.facing)
    told = next(features.rolls_that_hit(sides, game.rules))[0] * 36
    counted = np.zeros(len(found))
    for place, after in enumerate(found):
        for one in range(1, 7):
            for two in range(one, 7):
                turns = game.legal_turns(after.next, (two, one))
                if any(game.count_hits(after.next, turn.moves)[0] for turn in turns):
                    counted[place] += 1 if one == two else 2
    assert (told > counted - 0.01).all()
    assert (np.abs(told - counted) < 0.01).mean() > 0.98
    assert counted.any()


def features_of(text: str, group: features.Group, ruleset: str = "backgammon") -> list[float]:
    """Return what a group says of the side that has just moved in a position."""
    game = tables_game(ruleset)
    sides = sides_of(counts_of([game.parse_position(text).state]), game.rules.facing)
    return [float(row[0, 0]) for row in group(sides, game.rules)]


def test_the_pips_that_a_hit_costs_are_those_of_the_checker_that_has_come_furthest() -> None:
    """A blot on the own 5 point (20 pips from the bar) is 4 away: 11 rolls with a 4, and 3-1, 1-3, 2-2, 1-1."""
    told = features_of("6:14 5:1 | opp 1:1 19:14", features.rolls_that_hit)
    assert told == pytest.approx([15 / 36, 15 / 36, 0, 15 / 36 * 20 / 24])


def test_hits_outside_q1_and_two_of_them_are_told_apart() -> None:
    """B9.1: blots 2, 6 and 7 away, the first in Q1.

    A 6, 5-1, 4-2, 3-3, 2-2, 5-2 and 4-3 hit outside; 6-1 hits both.
    """
    told = features_of("5:1 9:1 10:1 14:12 | opp 3:1 12:14", features.rolls_that_hit, "vasa")
    assert told == pytest.approx([26 / 36, 21 / 36, 2 / 36])


def test_passing_counts_the_pips_to_the_rearmost_checker_of_the_other_side() -> None:
    """G1: it stands on the own 4 point, 16 pips from two checkers on 20; 13 checkers have passed it."""
    told = features_of("20:2 3:13 | opp 4:1 24:14", features.passing)
    assert told == pytest.approx([2 * 16 / 150, 13 * 3 / 100])


def test_anchors_and_checkers_back() -> None:
    one = features_of("20:2 24:1 6:12 | opp 19:15", features.anchors)
    assert one == pytest.approx([5 / 6, 5 / 6, 0, 3 / 8, 0, 3 / 8])
    two = features_of("21:2 24:3 6:10 | opp 19:15", features.anchors)
    assert two == pytest.approx([1 / 6, 4 / 6, 1, 0, 2 / 4, 5 / 8])


def test_timing_counts_what_is_free_to_move() -> None:
    """G3: of three on 20 one is free, with 14 pips to the 6 point; of four on the 6 point two may go to the 3 point."""
    told = features_of("20:3 6:4 3:2 2:6 | opp 19:15", features.timing)
    assert told[0] == pytest.approx((14 + 2 * 3) / 100)
    assert features_of("6:15 | opp 19:15", features.timing)[1] == 0


def test_escapes_are_rolls_that_take_a_checker_all_the_way() -> None:
    game = tables_game("backgammon")
    found = list(afterwards(game, 300))
    sides = sides_of(counts_of([after.state for after in found]), game.rules.facing)
    told = np.array(list(features.escapes(sides, game.rules)))[:, 0].T
    closed_by_them = sides.closed_for_them[1]
    for row, held, on_bar, closed in zip(
        told, sides.held[0], sides.bar[0], closed_by_them, strict=True
    ):
        shut = {point for point in range(1, 25) if closed >> point & 1}

        def chance(start: int, shut: set[int] = shut) -> float:
            rolls = [(one, two) for one in range(1, 7) for two in range(1, 7)]
            open_rolls = [
                (one, two)
                for one, two in rolls
                if start + one + two not in shut and not {start + one, start + two} <= shut
            ]
            return len(open_rolls) / 36

        rear = 0 if on_bar else next(point for point in range(1, 25) if held >> point & 1)
        assert row[0] == pytest.approx(chance(rear))
        assert row[1] == pytest.approx(min(chance(point) for point in range(12)))
        assert row[2] == pytest.approx(min(chance(point) for point in range(7)))


@pytest.mark.parametrize("ruleset", RULESETS)
def test_without_contact_nobody_can_be_hit_any_more(ruleset: str) -> None:
    game = tables_game(ruleset)
    found = list(afterwards(game, 4000))
    contact = has_contact(counts_of([after.state for after in found]), game.rules.facing)
    assert contact.any()
    for after, meets in zip(found, contact, strict=True):
        position = after.next
        for _ in range(0 if meets else 60):
            turns = game.legal_turns(position, (6, 5))
            turn = turns[len(turns) // 2]
            assert game.count_hits(position, turn.moves) == (0, 0)
            if turn.ending:
                break
            position = game.flip(turn.position)


def test_sides_that_have_passed_each_other_have_no_contact() -> None:
    """In Bräde both beyond their 12, in backgammon behind each other's rearmost."""
    for ruleset, race, contact in (
        ("vasa", "13:15 | opp 1:15", "12:1 13:14 | opp 1:15"),
        ("backgammon", "6:15 | opp 19:15", "20:1 6:14 | opp 19:15"),
    ):
        game = tables_game(ruleset)
        states = [game.parse_position(text).state for text in (race, contact)]
        assert has_contact(counts_of(states), game.rules.facing).tolist() == [False, True]


def test_a_handsome_game_that_stands_lacks_nothing() -> None:
    """B8.1: no pips, no checkers; and those that lie before it cannot stand any more."""
    game = tables_game("vasa")
    sides = sides_of(counts_of([*HANDSOME]), "same_way")
    told = np.array(list(features.handsome(sides, game.rules)))[:, 0].T.reshape(
        len(HANDSOME), len(HANDSOME), 4
    )
    for place in range(len(HANDSOME)):
        assert told[place, place].tolist() == [1, 1, 1, 1]
        assert not told[place, :place].any()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_feature_is_a_number_of_moderate_size(ruleset: str) -> None:
    """Networks learn badly from others; and the same position gives the same numbers."""
    game = tables_game(ruleset)
    counts = counts_of([after.state for after in afterwards(game, 300)])
    for phase in phases_of(game.rules.facing):
        told = features.inputs_of(counts, game.rules, phase)
        assert told.dtype == np.float32
        assert np.isfinite(told).all()
        assert np.abs(told).max() <= 4


def test_the_twelve_ways_to_win() -> None:
    assert len(ways_of(tables_game("vasa").rules)) == 12
    assert len(ways_of(tables_game("fiske").rules)) == 10
    assert len(ways_of(tables_game("backgammon").rules)) == 3
    assert [way.ending for way in ways_of(tables_game("backgammon", "no_gammons").rules)] == [
        "bearing_off"
    ]


def test_counts_are_those_of_the_engine() -> None:
    game = tables_game("vasa")
    for after in afterwards(game, 20):
        counts = counts_of([after.state]).reshape(-1).tolist()
        assert counts == [after.state >> 4 * slot & 15 for slot in range(56)]
        assert from_state(after.state, game.rules.layout).own_points == sum(
            1 << slot for slot in range(1, 25) if counts[slot]
        )
