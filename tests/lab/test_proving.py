"""Proofs in Brandubh: they agree with the engine where it sees the end, and losses follow from them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from arena.analysis.examination import in_order
from arena.games.brandubh.game import BrandubhGame
from arena.games.brandubh.moves import ending_of, legal_moves, play
from arena.games.brandubh.position import BrandubhPosition
from arena.games.brandubh.ruleset import BRANDUBH_1, BRANDUBH_2, BrandubhRuleset
from arena.lab import proving
from arena.lab.positions import PlayedDecision
from arena.lab.proofs import Prover, can_win
from arena.lab.proving import Proving, floor_of, phase_of, play_game

IN_BOTH = pytest.mark.parametrize("rules", [BRANDUBH_1, BRANDUBH_2], ids=lambda rules: rules.name)
GAMES = {rules.name: BrandubhGame(rules) for rules in (BRANDUBH_1, BRANDUBH_2)}
WIN = "......./b...b../b....../k....../......./b..w.../..w.... white"
"""Black threatens f6-a3. The king takes the warrior of a2 from a3, by the corner, and cannot be
kept from a1."""
AT_ONCE = "......./b....b./b....../kw...../.....b./......./..w.... white"
"""Black threatens f3-a3, and a1 is open."""


def walks(rules: BrandubhRuleset, seed: int, number: int) -> Iterator[BrandubhPosition]:
    """Positions of games by chance."""
    chance, position = Random(seed), GAMES[rules.name].start()
    for _ in range(number):
        if ending_of(rules, position) is not None:
            position = GAMES[rules.name].start()
        yield position
        position = play(rules, position, chance.choice(legal_moves(position)))


def wins(rules: BrandubhRuleset, position: BrandubhPosition, plies: int) -> bool:
    """Return whether the side to move wins by force with so many turns of both sides, by the engine alone."""
    for move in legal_moves(position):
        after = play(rules, position, move)
        ending = ending_of(rules, after)
        if ending is not None and not ending.is_drawn:
            return True
        if ending is None and plies > 1:
            answers = [play(rules, after, answer) for answer in legal_moves(after)]
            if all(
                ending_of(rules, one) is None and wins(rules, one, plies - 2) for one in answers
            ):
                return True
    return False


@IN_BOTH
def test_a_win_with_the_next_move_is_seen(rules: BrandubhRuleset) -> None:
    seen = [(can_win(rules, one), wins(rules, one, 1)) for one in walks(rules, 1, 600)]
    assert all(found == real for found, real in seen)
    assert 20 < sum(real for _, real in seen) < 580


@IN_BOTH
def test_what_the_engine_can_force_is_proved_and_only_one_side_is_proved_to_win(
    rules: BrandubhRuleset,
) -> None:
    asked = [one for one in walks(rules, 2, 400) if not can_win(rules, one)][:30:2]
    found = 0
    for one in asked:
        other = "white" if one.to_move == "black" else "black"
        is_proved = Prover(rules, one.to_move).proves(one, 100)
        assert is_proved or not wins(rules, one, 3)
        assert not (is_proved and Prover(rules, other).proves(one, 100))
        found += is_proved
    assert found


@pytest.mark.parametrize(("text", "phase"), [(WIN, "win"), (AT_ONCE, "win at once")])
def test_a_position_has_a_phase(text: str, phase: str) -> None:
    assert phase_of(BRANDUBH_1, GAMES["brandubh-1"].parse_position(text)) == phase


def test_without_a_threat_and_before_many_turns_that_meet_it_nothing_is_at_stake() -> None:
    game = GAMES["brandubh-1"]
    assert phase_of(BRANDUBH_1, game.start()) is None
    assert phase_of(BRANDUBH_1, game.parse_position(WIN.replace("b....../k", "......./k"))) is None


def test_a_turn_loses_what_the_position_is_worth_beyond_it() -> None:
    game = GAMES["brandubh-1"]
    decision = PlayedDecision(game.parse_position(WIN), (), 41, None)
    turns = game.legal_turns(decision.position)
    found = Proving(game, looks=400).examine((0, decision, "win"), 1)
    losses = dict(zip(in_order(game, turns), found.losses, strict=True))
    texts = {
        game.format_turn(turn.moves, decision.position): losses[place]
        for place, turn in enumerate(turns)
    }
    assert found.value == 1
    assert texts["a4-a3xa2"] == 0
    assert texts["c1-d1"] == 2000, "it does not meet the threat"
    assert set(texts.values()) <= {0, 1000, 2000}


def test_decisions_are_those_of_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "PLAYERS", ((0, 0.0), (1, 0.5)))
    monkeypatch.setattr(proving, "FIRST_LOOKS", 5)
    game = GAMES["brandubh-2"]
    found = [one for number in range(8) for one in play_game(game, 1, number)]
    assert len(found) >= 8
    for one, phase in found:
        assert phase == phase_of(game.rules, one.position)
        assert one.position.to_move == ("black" if one.turn % 2 else "white")
        assert one.last is None or len(one.last[1]) == 1


def test_the_floor_is_what_hidden_wins_and_losses_would_be_charged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proving, "HIDDEN_LOSSES", 0.5)
    monkeypatch.setattr(proving, "HIDDEN_WINS", 0.25)
    assert floor_of([1, -1, -1]) == floor_of([-1, -1]) == 0
    assert floor_of([1, 0, 0, 0, 0]) == 1 / 2, (
        "one hidden win is expected, beside the one that is proved"
    )
    assert floor_of([0, -1]) == 0.5 / 2, "if all turns are lost, half of them are charged"
    assert floor_of([0, 0, -1, -1]) == 0.25 / 2
