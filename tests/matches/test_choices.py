"""An index in place of moves: what is said of one that names no legal turn, in every game."""

from __future__ import annotations

import pytest

from arena.games import Illegal, load_game
from arena.matches.facts import TurnRejected
from arena.matches.verdicts import on_choice
from tests.matches.sitting import Sitting

VASA = load_game("vasa")


@pytest.mark.parametrize(
    ("choice", "code", "said"),
    [
        (2, "no_such_choice", "choice 2 names no legal turn; the 2 are counted from 0, from choice 0 to 1."),
        (
            1,
            "unasked_choice",
            "choice 1 is an index into `legal`, which this bot has not asked for in its login; ask for it, ",
        ),
    ],
)
def test_the_sentence_speaks_of_the_index_that_was_given(choice: int, code: str, said: str) -> None:
    verdict = on_choice(VASA, VASA.start(), (6, 2), choice)
    assert isinstance(verdict, Illegal)
    assert (verdict.code, verdict.clause, verdict.legal_turns) == (code, "B3.1", 2)
    assert verdict.message.startswith(said)


def test_where_a_pass_is_forced_the_only_choice_is_0() -> None:
    blocked = VASA.from_plain(
        {"points": [15] + [0] * 5 + [-2] + [0] * 5 + [-13] + [0] * 11, "bar": [0, 0], "off": [0, 0]}
    )
    verdict = on_choice(VASA, blocked, (6, 6), 1)
    assert isinstance(verdict, Illegal)
    assert verdict.message == "choice 1 names no legal turn; they are counted from 0, and the only one is choice 0."


def test_a_game_without_dice_has_its_own_clause() -> None:
    rules = load_game("brandubh-1")
    verdict = on_choice(rules, rules.start(), (), 1000)
    assert isinstance(verdict, Illegal)
    assert (verdict.code, verdict.clause) == ("no_such_choice", "T1")
    assert verdict.message.startswith("choice 1000 names no legal turn; the ")


def test_the_record_says_which_index_was_given() -> None:
    sitting = Sitting(dice="12 62")
    sitting.ready()
    [fact] = sitting.chooses(7)
    assert isinstance(fact, TurnRejected)
    assert (fact.choice, fact.moves, fact.code, fact.left) == (7, None, "no_such_choice", 1)
