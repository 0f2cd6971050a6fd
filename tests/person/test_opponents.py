"""The opponents of a person, the lessons, and the mark of a person in records."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.analysis import evaluator_for, rank
from arena.games.rulesets import ruleset_names
from arena.person.lessons import LESSONS, judged, sitting_for
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


# The positions to try can be solved, and their goals come about only as they say


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_can_be_solved_and_missed_and_the_best_turn_solves_it(lesson):
    sitting = sitting_for(lesson)
    rules, start = sitting.rules, sitting.start
    for side in (
        start,
        rules.flip(start),
    ):  # it can come about: B4.3, and nobody has lost yet (B9.1)
        plain = rules.to_plain(side)
        assert max(plain["points"][1:11]) < 2
        assert plain["bar"][0] <= sum(count <= 0 for count in plain["points"][:6])
    found = [judged(lesson, sitting)]
    for place, _ in rank(rules, evaluator_for(rules), start, lesson.dice, plies=2):
        sitting.move(
            sitting.question, rules.legal_turns(start, lesson.dice)[place].moves, is_whole=True
        )
        found.append(judged(lesson, sitting))
    assert found[:2] == ["open", "reached"]
    assert ("missed" in found) == (lesson.measure is not None)


@pytest.mark.parametrize(
    ("name", "reached", "missed"),
    [
        ("hit", "2/8* 1/3", "1/7 7/9"),
        ("build", "11/16 12/16", "12/17 11/15"),
        ("prime", "14/20 17/19", "1/7 17/19"),  # the sixth may be struck: B6.3
        ("prime", "12/18 12/14", "15/21 17/19"),
        ("room", "bar/5 3/7", "bar/5 12/16"),
        ("escape", "17/19 6/7", "17/19 19/20"),
        ("strike", "bar/6** 12/16", "bar/4** 12/18"),
        (
            "forced-jan",
            "bar/6* bar/5**",
            "bar/5** bar/6*",
        ),  # the same checkers, for four points: B9.2
        ("door", "1/7 7/12", "11/17 12/17"),  # the shut-out, a strike in 32 of 36 rolls: B5.5
        ("staircase", "19/24", "19/off 22/off"),
        ("monk", "20/22* 22/off", "20/off"),
    ],
)
def test_a_goal_tells_the_turn_from_the_temptation(name, reached, missed):
    lesson = next(one for one in LESSONS if one.name == name)
    for text, judgement in ((reached, "reached"), (missed, "missed")):
        sitting = sitting_for(lesson)
        sitting.typed(sitting.question, text)
        assert judged(lesson, sitting) == judgement


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
