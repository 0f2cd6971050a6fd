"""The positions to try can be solved, and their goals come about only as they say."""

import pytest

from arena.person.lessons import LESSONS, is_reached, sitting_for


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_can_be_solved(lesson):
    sitting = sitting_for(lesson)
    assert not is_reached(lesson, sitting)
    solved = 0
    for turn in sitting.rules.legal_turns(sitting.start, lesson.dice):
        sitting.begin_again(sitting.question)
        sitting.move(sitting.question, [tuple(move) for move in turn.moves])
        solved += is_reached(lesson, sitting)
        if lesson.goal:
            assert is_reached(lesson, sitting) == (turn.ending is not None and turn.ending.name == lesson.goal)
    assert solved
