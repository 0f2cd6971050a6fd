"""Positions to try: the game in five minutes (docs/the-game.md), with the checkers in your own hand.

A lesson is a turn at a board without an opponent. It is judged by the referee's rules like any other.
"""

from typing import Final, Literal

import msgspec

from arena.games import load_game, ruleset_record
from arena.matches.time_control import TimeControl
from arena.person.sitting import Sitting
from protocol.client import GameStart, MatchStart, TurnView
from protocol.messages import ClockTerms, Opponent, Turn, TurnClock

Judgement = Literal["open", "reached", "missed"]


class Lesson(msgspec.Struct, frozen=True):
    """A position to try; the catalogue has title, text, and words for a turn that reaches or misses its goal."""

    name: str
    position: str
    """A literal, from the person's side."""
    dice: tuple[int, ...]
    goal: str = ""
    """The ending that the turn has to bring about; empty if any legal turn will do."""
    hits: bool = False
    """True if the turn has to hit or strike."""


LESSONS: Final = (
    Lesson("start", "1:15 | opp 13:15", (6, 4)),
    Lesson("singles", "1:13 5:1 9:1 | opp 13:15", (4, 2)),
    Lesson("closed", "1:11 7:1 12:2 14:1 | opp 13:11 18:4", (6, 1)),
    Lesson("hit", "1:12 2:1 12:2 | opp 8:1 13:14", (6, 2), hits=True),
    Lesson("enter", "bar:1 1:8 6:1 12:5 | opp 4:2 13:13", (6, 3)),
    Lesson("jan", "1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3", (5, 4), goal="jan"),
    Lesson("forced-jan", "bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3", (6, 5), goal="forced_jan"),
    Lesson("handsome", "19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15", (4, 1), goal="single_crown"),
    Lesson("off", "20:1 22:1 off:13 | opp 13:15", (5, 3), goal="bearing_off"),
)
"""In the order of docs/the-game.md."""


def sitting_for(lesson: Lesson) -> Sitting:
    """A seat at the board of a lesson, with the turn to play."""
    game = load_game("vasa")
    match = MatchStart(
        match=f"lesson-{lesson.name}",
        ruleset=ruleset_record(game),
        games=1,
        seat=1,
        opponent=Opponent(name="", version=""),
        clock=msgspec.convert(TimeControl(), ClockTerms, from_attributes=True),
        rejections=0,
        dice_commitment=bytes(32),
    )
    start = GameStart(game=0, match=match.match, number=1, seat=1, starts=True)
    position = game.to_plain(game.parse_position(lesson.position))
    sitting = Sitting()
    sitting.match_started(match)
    sitting.game_started(start)
    clock = TurnClock(left_ms=0, opponent_left_ms=0, spent_ms=0, delay_left_ms=0)
    turn = Turn(game=0, turn=1, dice=lesson.dice, position=position, clock=clock)
    sitting.asked(TurnView(turn, start, match))
    return sitting


def judged(lesson: Lesson, sitting: Sitting) -> Judgement:
    """Return whether the turn on the board is not whole yet, does what the lesson asks for, or misses it."""
    if not sitting.is_whole:
        return "open"
    ending, rules = sitting.ending, sitting.rules
    is_hit = rules is not None and any(rules.count_hits(sitting.start, sitting.moves))
    is_missed = (lesson.goal and (ending is None or ending.name != lesson.goal)) or (lesson.hits and not is_hit)
    return "missed" if is_missed else "reached"
