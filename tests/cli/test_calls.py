"""Calls for dice (B11.3) at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.cli.rules.lines import LineError, RulesQuestion
from tests.cli.conftest import Arena, lay_out
from tests.matches.caller import CALLER, by_these_rules
from tests.records.small_run import RECORD, called_attempt, opened_tournament, run_of


def test_calls_are_shown_before_the_turns_they_belong_to(arena: Arena, here: Path) -> None:
    sitting = called_attempt()
    folder = lay_out(here / "run", run_of(opened_tournament(sitting.opened.terms), sitting))
    with by_these_rules(CALLER):
        lines = arena("show", "--no-boards", folder / RECORD).stdout.splitlines()
    assert lines[4:9] == [
        "game 1: anna starts (throws 1-6)",
        "   1 O anna calls for 1 die   (40 ms)",
        "   1 O anna rolls 1: 1/2   (130 ms, 170 ms left)",
        "   2 X bo; REJECTED (no_such_call, B11.3; 0 left): 3 dice may not be called for here; call for 1 or 2.",
        "   2 X bo calls for 2 dice   (10 ms)",
    ]
    assert "   1 X bo does not answer in time (301 ms)" in lines
    assert "   1 X bo rolls 6 and does not answer in time (301 ms)" in lines


@pytest.mark.parametrize("dice", [[6], [6, 5]])
def test_a_question_to_the_rules_may_have_as_many_dice_as_may_be_called_for(dice: list[int]) -> None:
    line = {"position": CALLER.to_plain(CALLER.start()), "dice": dice}
    assert RulesQuestion(line, CALLER).dice() == tuple(dice)


@pytest.mark.parametrize("dice", [[], [1, 2, 3], [0], 6])
def test_other_numbers_of_dice_are_refused_naming_the_choice(dice: object) -> None:
    line = {"position": CALLER.to_plain(CALLER.start()), "dice": dice}
    with pytest.raises(LineError, match="expected a list of 1 or 2 whole numbers from 1 to 6"):
        RulesQuestion(line, CALLER).dice()
