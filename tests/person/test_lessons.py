"""The lessons: each can be solved and missed, and random clicks solve none."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise

import pytest

from arena.analysis import evaluator_for, rank
from arena.person.lessons import MEASURES, Lesson, Practice, Step, lessons
from arena.person.told import Refusal

LESSONS = list(lessons().by_name.values())
STEPS = [(lesson, place) for lesson in LESSONS for place in range(len(lesson.steps))]
SOUND_TURNS = [
    (lesson, place)
    for lesson in lessons().sound_game
    for place, step in enumerate(lesson.steps)
    if step.count is None
]
CLICKS = 150
"""The clicks of one visitor at one lesson."""
MOST_LIKELY = 1 / 250
"""The chance of an attempt at a lesson by random turns and answers."""


def named(step: tuple[Lesson, int]) -> str:
    lesson, place = step
    return f"{lesson.name}-{place + 1}"


def test_there_are_seventeen() -> None:
    assert (len(lessons().first_steps), len(lessons().sound_game)) == (8, 9)


@pytest.mark.parametrize("step", STEPS, ids=named)
def test_a_step_can_come_about_and_has_one_goal(step: tuple[Lesson, int]) -> None:
    lesson, place = step
    practice = Practice(lesson, place)
    rules, start, task = practice.rules, practice.start, practice.step
    for side in (start, rules.flip(start)):  # B4.3, and no side has lost yet (B9.1)
        plain = rules.to_plain(side)
        assert max(plain["points"][1:11]) < 2
        assert plain["bar"][0] <= sum(count <= 0 for count in plain["points"][:6])
        on_points = sum(count for count in plain["points"] if count > 0)
        assert on_points + plain["bar"][0] + plain["off"][0] == 15
    goals = (task.turn != "", task.measure != "", bool(task.refused), task.count is not None)
    assert sum(goals) == 1
    assert task.measure in ("", *MEASURES)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_is_solved_step_by_step(lesson: Lesson) -> None:
    practice = Practice(lesson)
    for place in range(len(lesson.steps)):
        practice = practice.other_step(lesson, place)
        solve(practice)
        assert practice.judgement == "reached"
    assert practice.is_clean


def solve(practice: Practice) -> None:
    step = practice.step
    if step.count is not None:
        practice.answer(step.count)
    elif step.refused:
        for move in step.refused:
            with pytest.raises(Refusal):
                practice.move(practice.question, [move])
    else:
        practice.move(practice.question, solution(practice), is_whole=True)
        practice.play(practice.question)


def solution(practice: Practice) -> list[tuple[int, int]]:
    for turn in practice.rules.legal_turns(practice.start, practice.dice):
        practice.move(practice.question, turn.moves, is_whole=True)
        if practice._reaches_goal():
            return [*turn.moves]
    raise AssertionError("no turn reaches the goal")


@pytest.mark.parametrize("step", SOUND_TURNS, ids=named)
def test_the_best_turn_by_the_evaluator_reaches_the_goal(step: tuple[Lesson, int]) -> None:
    """The numbers that the page shows after the hint do not speak against the lesson."""
    practice = Practice(*step)
    rules, start = practice.rules, practice.start
    best = next(iter(rank(rules, evaluator_for(rules), start, practice.dice, plies=2)))
    turns = rules.legal_turns(start, practice.dice)
    practice.move(practice.question, turns[best.place].moves, is_whole=True)
    practice.play(practice.question)
    assert practice.judgement == "reached"


@pytest.mark.parametrize(
    ("name", "place", "reached", "missed"),
    [
        ("start", 2, "9/12 12/13", "12/15 12/13"),  # the way from 12 to 13
        ("hit", 0, "2/8* 12/14", "2/8* 8/10"),
        ("build", 1, "11/16 12/16", "12/17 11/15"),
        ("prime", 1, "14/20 17/19", "1/7 17/19"),  # the sixth may be struck: B6.3
        ("escape", 1, "17/19 6/7", "17/19 19/20"),
        ("strike", 1, "bar/6** 12/16", "bar/4** 12/18"),
        ("forced-jan", 1, "bar/6* bar/5**", "bar/5** bar/6*"),  # for four points: B9.2
        ("door", 1, "4/9 9/15", "11/17 12/17"),  # a strike in 32 of 36 rolls: B5.5
        ("staircase", 1, "19/24", "19/off 22/off"),
        ("monk", 2, "17/19* 19/20", "17/18 18/20"),
    ],
)
def test_a_goal_tells_the_turn_from_the_temptation(
    name: str, place: int, reached: str, missed: str
) -> None:
    for text, judgement in ((reached, "reached"), (missed, "missed")):
        practice = Practice(lessons().by_name[name], place)
        practice.typed(practice.question, text)
        practice.play(practice.question)
        assert (practice.judgement, practice.is_clean) == (judgement, judgement == "reached")


def test_a_part_of_a_turn_cannot_be_played_and_undo_opens_a_step_again() -> None:
    practice = Practice(lessons().by_name["start"])
    practice.move(practice.question, [(1, 7)])
    with pytest.raises(Refusal) as refused:
        practice.play(practice.question)
    assert refused.value.clause == "B3.3"
    practice.move(practice.question, [(7, 11)])
    practice.play(practice.question)
    assert practice.judgement == "missed"
    practice.undo(practice.question)
    assert practice.judgement == "open"


def test_a_step_asks_for_one_thing() -> None:
    singles = lessons().by_name["singles"]
    refused, _, number, _ = (Practice(singles, place) for place in range(4))
    with pytest.raises(Refusal):
        refused.move(refused.question, [(9, 24)])  # another refusal than the one to hear
    assert refused.judgement == "open"
    refused.move(refused.question, [(3, 7), (1, 3)])
    refused.play(refused.question)
    assert refused.judgement == "missed"
    refused.answer(4)
    assert refused.judgement == "missed"
    number.answer(3)
    assert number.judgement == "missed"


def test_an_attempt_is_over_with_a_miss_or_a_step_that_is_left_out() -> None:
    jan = lessons().by_name["jan"]
    practice = Practice(jan)
    practice.answer(6)
    practice.answer(3)
    assert practice.judgement == "reached"
    assert not practice.other_step(jan, 1).is_clean
    assert practice.other_step(jan, 0).is_clean
    assert not Practice(jan).other_step(jan, 1).is_clean
    solved = Practice(jan)
    solved.answer(3)
    assert solved.other_step(jan, 1).is_clean
    assert solved.other_step(jan, 1).other_step(jan, 1).is_clean
    assert not solved.other_step(lessons().by_name["hit"], 1).is_clean


# Random clicks


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_an_attempt_by_chance_hardly_ever_solves_a_lesson(lesson: Lesson) -> None:
    chance = 1.0
    for place, step in enumerate(lesson.steps):
        chance *= chance_of(step, Practice(lesson, place))
    assert 0 < chance < MOST_LIKELY


def chance_of(step: Step, practice: Practice) -> float:
    """The chance that a random answer, or a turn of random moves, is right."""
    if step.count is not None:
        return 1 / 7
    if step.refused:
        return 1
    return sum(chance for chance, moves in random_turns(practice) if is_right(practice, moves))


def random_turns(
    practice: Practice, moves: tuple[tuple[int, int], ...] = (), chance: float = 1
) -> Iterator[tuple[float, tuple[tuple[int, int], ...]]]:
    choices = practice._phase.choices  # type: ignore[union-attr]  # a turn is open
    following = choices.after(moves)
    if not following:
        yield chance, moves
    for move in following:
        yield from random_turns(practice, (*moves, move), chance / len(following))


def is_right(practice: Practice, moves: tuple[tuple[int, int], ...]) -> bool:
    practice.move(practice.question, moves, is_whole=True)
    return practice._reaches_goal()


class Visitor:
    """Someone who clicks anywhere on the page of a lesson, and goes on as soon as they may."""

    def __init__(self, lesson: Lesson, seed: int) -> None:
        self.lesson = lesson
        self.practice = Practice(lesson)
        self.chance = random.Random(f"{lesson.name} {seed}")

    @property
    def has_solved(self) -> bool:
        practice = self.practice
        is_last = practice.place == len(self.lesson.steps) - 1
        return is_last and practice.is_clean and practice.judgement == "reached"

    def click(self) -> None:
        practice = self.practice
        deeds = [self.play, self.undo, self.other_step]
        deeds += [self.answer] * 7 if practice.step.count is not None else [self.move] * 12
        with suppress(Refusal):
            self.chance.choice(deeds)()

    def move(self) -> None:
        """Mostly a checker that the page marks, to where it marks a place; else anywhere."""
        practice = self.practice
        moves = [(move.start, move.target) for move in practice.next_moves()]
        if moves and self.chance.random() < 0.7:
            move = self.chance.choice(moves)
        else:
            start = self.chance.randrange(25)
            move = (start, min(25, start + self.chance.choice(practice.dice)))
        practice.move(practice.question, [move])

    def play(self) -> None:
        self.practice.play(self.practice.question)

    def undo(self) -> None:
        self.practice.undo(self.practice.question)

    def answer(self) -> None:
        self.practice.answer(self.chance.randrange(7))

    def other_step(self) -> None:
        """Return the button that leads on, else the one back to the beginning."""
        place = self.practice.place + 1
        if self.practice.judgement != "reached" or place == len(self.lesson.steps):
            place = 0
        self.practice = self.practice.other_step(self.lesson, place)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_random_clicks_solve_no_lesson(lesson: Lesson, seed: int) -> None:
    visitor = Visitor(lesson, seed)
    for _ in range(CLICKS):
        visitor.click()
        assert not visitor.has_solved


def test_clicks_at_random_do_miss_and_go_on() -> None:
    """The visitor is no straw man: many get to later steps, and play whole turns."""
    furthest, judgements = 0, set()
    visitor = Visitor(lessons().by_name["start"], 1)
    for _ in range(10 * CLICKS):
        visitor.click()
        furthest = max(furthest, visitor.practice.place)
        judgements.add(visitor.practice.judgement)
    assert furthest > 0
    assert judgements == {"open", "reached", "missed"}


def test_terms_are_told_before_they_are_used() -> None:
    """Each word of the game stands in the lesson that explains it before any later one uses it."""
    from arena.words import catalogue

    explained = {
        "head": "singles.2",
        "prime": "closed.3",
        "blot": "hit.1",
        "quarter": "enter.2",
        "jan": "jan.2",
        "strike": "strike.2",
        "monk": "off.done",
    }
    places = {name: number for number, name in enumerate(lessons().by_name)}
    for word, where in explained.items():
        name, part = where.split(".")
        first = (places[name], int(part) if part.isdigit() else 99)
        for code, words in catalogue("en").items():
            if not code.startswith("lesson.") or code.endswith(".title"):
                continue
            _, of, *rest = code.split(".")
            told = (places[of], int(rest[0]) if rest[0].isdigit() else 99)
            if told < first:
                assert word not in str(words).lower().split(), (word, code)


def test_doubles_both_dice_and_the_way_around_have_their_place() -> None:
    first = lessons().by_name
    assert any(len(set(step.dice)) == 1 for step in first["start"].steps)
    assert any(step.turn == "9/12 12/13" for step in first["start"].steps)
    refused = Practice(first["closed"], 4)
    with pytest.raises(Refusal) as told:
        refused.move(refused.question, refused.step.refused)
    assert told.value.clause == "B3.3"
    for one, other in pairwise(("enter", "jan")):
        assert any(step.count is not None for step in first[one].steps + first[other].steps)
