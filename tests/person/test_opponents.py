"""The opponents of a person, and the mark of a person in records."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.games.rulesets import ruleset_names
from arena.sample_opponents import OPPONENTS, default_opponent, opponents_for
from arena.server.setup.tournament_file import parse_plan

BRANDUBH = ["random", "brandubh-easy", "brandubh"]


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_only_bots_that_play_it_are_offered(ruleset: str) -> None:
    """`lookahead` leaves where the sides travel opposite ways, so it is none for backgammon."""
    brade = ["random", "greedy", "lookahead", "neural"]
    wanted = {
        "backgammon": ["random", "greedy", "neural"],
        "brandubh-1": BRANDUBH,
        "brandubh-2": BRANDUBH,
    }
    offered = opponents_for(ruleset)
    assert [one.name for one in offered] == wanted.get(ruleset, brade)
    assert default_opponent(ruleset) in offered
    assert set(offered) <= set(OPPONENTS)
    assert all(Path(one.command().split()[1]).is_file() for one in offered)


# A person is marked in the tournament file and in the record


def test_a_person_is_a_remote_entrant_with_an_hour_to_come() -> None:
    bots = '[[bot]]\nname = "a"\nperson = true\n[[bot]]\nname = "b"\ncommand = "x"\n'
    plan = parse_plan(f"[clock]\nbank_ms = 900000\n{bots}")
    assert (plan.bot[0].remote, plan.limits.join_ms, plan.by_pages) == (
        True,
        3_600_000,
        [plan.bot[0]],
    )
    own = parse_plan(f'[listen]\npages = ""\n{bots}')  # a program of their own, and any clock
    assert (own.bot[0].remote, own.limits.join_ms, own.by_pages) == (True, 120_000, [])
