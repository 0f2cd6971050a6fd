"""The opponents of a person, the lessons, and the mark of a person in records."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.games.rulesets import ruleset_names
from arena.person.lessons import LESSONS, judged, sitting_for
from arena.person.opponents import OPPONENTS, default_opponent, opponents_for
from arena.records.facts import EntrantsAdded
from arena.records.state import names_of
from arena.server.setup.tournament_file import PlanError, parse_plan
from arena.tournaments import TournamentError

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
    assert all(Path(one.command().split()[1]).is_file() for one in offered)


# The positions to try can be solved, and their goals come about only as they say


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_can_be_solved(lesson):
    sitting = sitting_for(lesson)
    assert judged(lesson, sitting) == "open"
    solved = 0
    for turn in sitting.rules.legal_turns(sitting.start, lesson.dice):
        sitting.move(sitting.question, turn.moves, is_whole=True)
        solved += judged(lesson, sitting) == "reached"
        if lesson.goal:
            is_goal = turn.ending is not None and turn.ending.name == lesson.goal
            assert judged(lesson, sitting) == ("reached" if is_goal else "missed")
    assert solved


# A person is marked in the tournament file and in the record


def test_a_person_is_a_remote_entrant() -> None:
    with pytest.raises(PlanError, match="bot a: a person plays from outside the arena; give remote = true"):
        parse_plan('[[bot]]\nname = "a"\ncommand = "x"\nperson = true\n[[bot]]\nname = "b"\ncommand = "x"\n')


def test_only_who_has_entered_is_a_person() -> None:
    fact = EntrantsAdded(at_ms=0, entrants=["a"], people=["a"], file_sha256="00" * 32)
    assert names_of(fact) == {"a": "a"}
    with pytest.raises(TournamentError, match="b did not enter, and cannot be a person"):
        names_of(EntrantsAdded(at_ms=0, entrants=["a"], people=["b"], file_sha256="00" * 32))
