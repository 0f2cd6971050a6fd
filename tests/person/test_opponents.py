"""Which sample bots a person is offered under which ruleset."""

from __future__ import annotations

import pytest

from arena.games.rulesets import ruleset_names
from arena.person.opponents import OPPONENTS, default_opponent, opponents_for
from tests.end_to_end.runs import arena

BRANDUBH = ["random", "brandubh-easy", "brandubh"]


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_only_bots_that_play_it_are_offered(ruleset: str) -> None:
    """`lookahead` leaves where the sides travel opposite ways, so it is none for backgammon."""
    brade = ["random", "greedy", "lookahead", "neural"]
    wanted = {"backgammon": ["random", "greedy", "neural"], "brandubh-1": BRANDUBH, "brandubh-2": BRANDUBH}
    offered = opponents_for(ruleset)
    assert [one.name for one in offered] == wanted.get(ruleset, brade)
    assert default_opponent(ruleset) in offered
    assert set(offered) <= set(OPPONENTS)


def test_a_bot_that_does_not_play_the_game_is_refused_with_those_that_do() -> None:
    result = arena("play", "lookahead", "--ruleset", "backgammon", "--terminal")
    assert result.returncode == 2
    assert "lookahead does not play backgammon; choose one of random, greedy, neural" in result.stderr
