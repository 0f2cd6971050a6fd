"""Hints: the best turns under every ruleset, and what is said where nobody gives any."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arena.games import load_game
from arena.person import advice
from arena.person.advice import MOST, hints, judged
from arena.person.told import Refusal
from arena.shipped import shipped

KING_BESIDE_A_CORNER = {
    "board": [".......", ".......", ".......", "..b....", ".......", "....b..", ".k.b..."],
    "to_move": "white",
}


@pytest.mark.parametrize(("ruleset", "dice"), [("vasa", (6, 5)), ("backgammon", (3, 1))])
def test_an_evaluator_names_legal_turns_of_tables_games(
    ruleset: str, dice: tuple[int, int]
) -> None:
    rules = load_game(ruleset)
    found = hints(rules, rules.start(), dice)
    assert [one.worth for one in found] == sorted((one.worth for one in found), reverse=True)
    legal = {
        tuple(tuple(move) for move in turn.moves) for turn in rules.legal_turns(rules.start(), dice)
    }
    assert {one.moves for one in found} <= legal
    assert len(found) == min(MOST, len(legal))


@pytest.mark.parametrize(
    "ruleset", ["brandubh-1", pytest.param("brandubh-2", marks=pytest.mark.soak)]
)
def test_the_search_names_legal_moves_of_brandubh(ruleset: str) -> None:
    rules = load_game(ruleset)
    found = hints(rules, rules.start(), ())
    assert found == hints(rules, rules.start(), ())
    assert [one.worth for one in found] == sorted((one.worth for one in found), reverse=True)
    assert {(one.unit, one.sure) for one in found} == {("warriors", "")}
    legal = {
        tuple(tuple(move) for move in turn.moves) for turn in rules.legal_turns(rules.start(), ())
    }
    assert {one.moves for one in found} <= legal
    assert len(found) == MOST


def test_a_move_that_wins_is_told_as_such() -> None:
    """T8: the king is a step from a corner."""
    rules = load_game("brandubh-2")
    [found] = hints(rules, rules.from_plain(KING_BESIDE_A_CORNER), ())
    assert (found.text.rstrip("#"), found.sure) == ("b1-a1", "wins")


def test_a_search_that_fails_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copytree(shipped("sample_bots") / "brandubh", tmp_path / "brandubh")
    (tmp_path / "brandubh" / "search.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    monkeypatch.setattr(advice, "shipped", lambda _: tmp_path)
    rules = load_game("brandubh-1")
    with pytest.raises(Refusal, match=r"the search of the bot brandubh failed .* exit status 3"):
        hints(rules, rules.start(), ())


def test_nobody_judges_whole_matches_of_brandubh(tmp_path: Path) -> None:
    assert judged(load_game("brandubh-1"), tmp_path / "r1-me-v-it.jsonl") is None
