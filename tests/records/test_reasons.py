"""Every way a game can end has its sentence."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from arena.games.result import Cause, Result, Seat
from arena.games.tables import endings
from arena.records.reasons import reason
from arena.records.timeline import why_ended
from arena.words import DEFAULT, catalogue, say
from tests.records.small_run import TERMS


def result(ending: str, cause: Any = None, *, monk: bool = False) -> Result:
    winner: Seat | None = None if ending == "turn_limit" else 1
    return Result(winner=winner, ending=ending, clause="B9.1", points=1, monk=monk, rank=1, cause=cause)


def test_every_ending_over_the_board_has_its_sentence() -> None:
    known = {*get_args(endings.EndingName), *get_args(endings.BorneOff)}
    known |= {"king_captured", "king_escaped", "repetition", "no_move", "agreement"}
    assert {f"{kind}.{name}" for name in known for kind in ("why", "ending")} <= set(catalogue(DEFAULT))


@pytest.mark.parametrize("cause", get_args(Cause))
def test_every_cause_of_a_forfeit_has_its_sentence(cause: Cause) -> None:
    said = reason(why_ended(result("forfeit", cause), TERMS))
    assert said is not None
    done, _, worth = say(said).partition("; ")
    assert done
    assert worth == "a forfeit pays the most the ruleset can"


def test_a_monk_is_told_and_so_is_the_limit_of_turns() -> None:
    """An ending of a game of another package has no sentence."""
    assert say(reason(why_ended(result("tower", monk=True), TERMS))) == (
        "a handsome game: the winner's 15 checkers all stand on 24, and the loser has a checker on the bar (monk)"
    )
    assert say(reason(why_ended(result("turn_limit"), TERMS))) == f"no result after {TERMS.turn_limit} turns"
    assert reason(why_ended(result("checkmate", monk=True), TERMS)) is None
