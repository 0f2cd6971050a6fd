"""Boards as the page must tell them, worked out by the rules from the record alone."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from arena.records.lines import read_attempts
from tests.pages.report.report_runs import games_to_play, long_run
from tests.records.small_run import RECORD, Files

SEED = bytes([4] * 32)
"""With these dice anna begins, and the second game of vasa ends in a jan."""


@cache
def _run(ruleset: str) -> tuple[tuple[str, bytes], ...]:
    return tuple(long_run(games_to_play()[ruleset], seed=SEED, turn_limit=40).items())


def run(ruleset: str = "vasa") -> Files:
    """A run of two games of some 40 turns, with hostile names."""
    return dict(_run(ruleset))


def words(rules: Any, plain: dict[str, Any]) -> str:
    """A position from seat 1's side as the page tells it, each side in its own numbering."""
    told = []
    for name, sign, view in (("anna", 1, plain), ("bo", 1, rules.to_plain(rules.flip(rules.from_plain(plain))))):
        points = [(25 - p if rules.ruleset["facing"] == "opposite_ways" else p, sign * n) for p, n in points_of(view)]
        stands = [f"{number} on {point}" for point, number in sorted(points) if number > 0]
        told.append(f"{name}: " + ", ".join([*stands, f"{view['bar'][0]} on the bar", f"{view['off'][0]} off"]))
    return "; ".join(told)


def points_of(view: dict[str, Any]) -> list[tuple[int, int]]:
    return list(enumerate(view["points"], start=1))


def positions(rules: Any, files: Files) -> list[dict[str, Any]]:
    """The positions of game 1 from seat 1's side, worked out from its moves by the rules alone."""
    [attempt] = read_attempts(RECORD, files[RECORD])
    facts = [json.loads(line) for line in files[RECORD].splitlines()]
    turns = [fact for fact in facts if fact.get("event") == "turn_played" and fact["game"] == 1]
    assert attempt.seed is not None
    position, found = rules.start(), []
    for fact in turns:
        after = rules.judge(position, tuple(fact["dice"]), fact["moves"]).position
        found.append(rules.to_plain(after if fact["seat"] == 1 else rules.flip(after)))
        position = rules.flip(after)
    return found
