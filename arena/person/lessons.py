"""Positions to try by hand: the game in five minutes (docs/the-game.md), and a sound game.

A lesson is a turn at a board without an opponent. It is judged by the referee's rules like any
other.
"""

from collections.abc import Callable
from typing import Final, Literal

import msgspec

from arena.games import load_game, ruleset_record
from arena.games.playing import rolls
from arena.matches.time_control import TimeControl
from arena.person.sitting import Sitting
from protocol.client import GameStart, MatchStart, TurnView
from protocol.messages import ClockTerms, Opponent, Turn, TurnClock

Judgement = Literal["open", "reached", "missed"]


def worth(sitting: Sitting) -> int:
    """Return the points that the turn wins (B10); 0 if the game goes on."""
    ending = sitting.ending
    if ending is None:
        return 0
    return ending.points


def sent(sitting: Sitting) -> int:
    """Return how many checkers the turn sends to the opponent's bar."""
    plain = sitting.rules.to_plain
    _, now = plain(sitting.position)["bar"]
    _, before = plain(sitting.start)["bar"]
    return int(now - before)


def prime(sitting: Sitting) -> int:
    """Return the length of the person's longest prime (B6.1); 0 if it may be struck (B6.3)."""
    points = sitting.rules.to_plain(sitting.position)["points"]
    longest = length = 0
    for count in [*points[12:], *points[:12]]:
        length = length + 1 if count > 1 else 0
        longest = max(longest, length)
    if longest >= sitting.rules.rules.strikeable_prime:
        return 0
    return longest


def room(sitting: Sitting) -> int:
    """Return how many checkers more the person's bar can take without a jan (B9.1)."""
    plain = sitting.rules.to_plain(sitting.position)
    bar, _ = plain["bar"]
    open_points = sum(count <= 0 for count in plain["points"][:6])
    return int(open_points - bar)


def safe(sitting: Sitting) -> int:
    """Return with how many of the 21 rolls the opponent cannot win in its next turn."""
    rules = sitting.rules
    theirs = rules.flip(sitting.position)
    count = 0
    for roll in rolls(2):
        if not any(turn.ending for turn in rules.legal_turns(theirs, roll)):
            count += 1
    return count


class Lesson(msgspec.Struct, frozen=True):
    """A position to try.

    The catalogue has its title, its text, and words for a turn that reaches or misses the goal.
    """

    name: str
    position: str
    """A literal, from the person's side."""
    dice: tuple[int, ...]
    measure: Callable[[Sitting], int] | None = None
    """The measure of the goal; None if any legal turn will do."""
    least: int = 1
    """The goal: the least that the turn has to reach by that measure."""


FIRST_STEPS: Final = (
    Lesson("start", "1:15 | opp 13:15", (6, 4)),
    Lesson("singles", "1:13 5:1 9:1 | opp 13:15", (4, 2)),
    Lesson("closed", "1:11 7:1 12:2 14:1 | opp 8:4 13:11", (6, 1)),
    Lesson("hit", "1:13 2:1 12:1 | opp 8:1 13:14", (6, 2), sent),
    Lesson("enter", "bar:1 1:8 6:1 12:5 | opp 4:2 13:13", (6, 3)),
    Lesson("off", "20:1 22:1 off:13 | opp 13:15", (5, 3)),
    Lesson("handsome", "19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15", (4, 1), worth, 2),
    Lesson("jan", "1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3", (5, 4), worth, 4),
)
SOUND_GAME: Final = (
    Lesson("build", "1:4 11:1 12:4 14:2 15:2 17:2 | opp 13:12 24:3", (5, 4), prime, 4),
    Lesson("prime", "1:1 12:2 14:2 15:2 16:2 17:3 18:2 19:1 | opp 13:12 24:3", (6, 2), prime, 5),
    Lesson(
        "room", "bar:1 1:3 3:1 4:1 6:1 12:4 14:2 17:2 | opp 2:2 10:2 13:8 24:3", (5, 4), room, 2
    ),
    Lesson(
        "escape",
        "1:2 2:1 3:1 4:1 5:1 6:1 12:3 15:2 17:1 19:2 | opp 10:2 11:2 13:8 24:3",
        (2, 1),
        safe,
        21,
    ),
    Lesson("strike", "bar:1 1:6 3:1 12:5 16:2 | opp 2:2 4:2 5:2 6:3 13:5 24:1", (6, 4), sent, 3),
    Lesson("forced-jan", "bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3", (6, 5), worth, 6),
    Lesson(
        "door",
        "1:1 2:1 3:1 4:1 5:1 11:1 12:3 14:2 15:2 16:2 | opp bar:2 10:3 13:7 24:3",
        (6, 5),
        safe,
        21,
    ),
    Lesson("staircase", "19:1 22:3 23:5 24:6 | opp 10:3 11:5 12:5 13:1 20:1", (6, 5), worth, 2),
    Lesson("monk", "20:1 off:14 | opp 10:3 11:4 12:4 22:1 off:3", (5, 2), worth, 2),
)
"""Positions in which the habits of backgammon mislead. The best turn, by the evaluator, reaches the
goal."""

LESSONS: Final = FIRST_STEPS + SOUND_GAME


def sitting_for(lesson: Lesson) -> Sitting:
    """Return a seat at the board of a lesson, with the turn to play."""
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
    start = GameStart(
        game=0,
        match=match.match,
        number=1,
        seat=1,
        starts=True,
    )
    position = game.to_plain(game.parse_position(lesson.position))
    sitting = Sitting()
    sitting.match_started(match)
    sitting.game_started(start)
    clock = TurnClock(
        left_ms=0,
        opponent_left_ms=0,
        spent_ms=0,
        delay_left_ms=0,
    )
    turn = Turn(
        game=0,
        turn=1,
        dice=lesson.dice,
        position=position,
        clock=clock,
    )
    sitting.asked(TurnView(turn, start, match))
    return sitting


def judged(lesson: Lesson, sitting: Sitting) -> Judgement:
    """Judge the turn on the board by the goal of the lesson; it is open until the turn is whole."""
    if not sitting.is_whole:
        return "open"
    if lesson.measure is None or lesson.measure(sitting) >= lesson.least:
        return "reached"
    return "missed"
