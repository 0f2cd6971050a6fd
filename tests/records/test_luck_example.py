"""The game that docs/statistics.md works through by hand: its rolls, sums and result are those of the record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.analysis import analyse, evaluator_named
from arena.records.lines import read_attempts
from arena.records.luck import luck_of
from arena.shipped import shipped
from arena.tournaments.statistics.luck import points_of

DATA = (Path(__file__).parent / "luck_example.jsonl").read_bytes()
PAGE = (shipped("docs") / "statistics.md").read_text(encoding="utf-8")


def test_the_game_worked_through_by_hand_is_that_of_the_record() -> None:
    found = analyse("matches/r1-anna-v-bo.jsonl", DATA, evaluator_named("brade-vasa-1"))
    assert found.head.broken == ""
    rows = re.findall(r"^\| (\d+) \| (\w+) \| (\d)-(\d) \| (\S+) \| (\S+) \| (\S+) \|$", PAGE, re.MULTILINE)
    assert [int(row[0]) for row in rows] == [57, 58, 59, 60, 61] == [one.turn for one in found.rolls[-5:]]
    for (_, bot, *dice, best, mean, luck), roll in zip(rows, found.rolls[-5:], strict=True):
        assert (bot, list(map(int, dice))) == (roll.bot, roll.dice)
        told = [float(best), float(mean), float(luck)]
        assert told == pytest.approx([roll.best_value, roll.mean, roll.luck], abs=2e-3)
    sums = {bot: sum(roll.luck for roll in found.rolls if roll.bot == bot) for bot in ("anna", "bo")}
    assert f"adds up to {sums['anna']:.3f}, and that of bo's to {sums['bo']:+.3f}" in PAGE
    [game] = read_attempts("matches/r1-anna-v-bo.jsonl", DATA)[0].games
    given = luck_of(found.rolls).points
    assert given == pytest.approx(sums["anna"] - sums["bo"])
    assert f"= {points_of(game)} + {-given:.3f} = {points_of(game) - given:.3f}*" in PAGE
