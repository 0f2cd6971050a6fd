"""Positions to try: the game in five minutes (docs/the-game.md), with the checkers in your own hand.

A lesson is a turn at a board without an opponent. It is judged by the referee's rules like any other.
"""

from __future__ import annotations

from typing import Final

import msgspec

from arena.games import load_game, ruleset_record
from arena.person.sitting import Sitting
from protocol.client import GameStart, MatchStart, TurnView
from protocol.messages import ClockTerms, Opponent, Turn, TurnClock


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """A position to try. `title`, `text` and `done` are words for the catalogue of the pages."""

    name: str
    title: str
    text: str
    done: str
    position: str
    """A literal, from the person's side."""
    dice: tuple[int, ...]
    goal: str = ""
    """The ending that the turn has to bring about; empty if any legal turn will do."""
    hits: bool = False
    """True if the turn has to hit or strike."""


LESSONS: Final = (
    Lesson(
        name="start",
        title="The start",
        text="All your checkers begin at home, on your point 1, and run counter-clockwise. Play the roll 6-4: each die "
        "moves one checker, and one checker may take both.",
        done="Right. On points 2 to 11 your checkers stay single: that is why a second one may not join them (B4.3).",
        position="1:15 | opp 13:15",
        dice=(6, 4),
    ),
    Lesson(
        name="singles",
        title="Single on the first half",
        text="The board has an own checker on 5. Try to move a second one there with the 4: the referee says why not. "
        "Then find a legal turn.",
        done="Right. Before the head, point 12, two of your checkers never stand together.",
        position="1:13 5:1 9:1 | opp 13:15",
        dice=(4, 2),
    ),
    Lesson(
        name="closed",
        title="Closed points",
        text="Two or more checkers of the opponent close a point. You may jump over it, and not land on it. The "
        "opponent has closed your 13 and your 18: find a way around.",
        done="Right. Consecutive closed points are a prime, which is hard to get past (B6).",
        position="1:11 7:1 12:2 14:1 | opp 13:11 18:4",
        dice=(6, 1),
    ),
    Lesson(
        name="hit",
        title="Hit a blot",
        text="A single checker is a blot. Land on the dark one on your point 8: it goes to the bar, and has to begin "
        "its lap again.",
        done="Right. The star in 2/8* marks the hit. A checker on the bar enters on the points 1 to 6.",
        position="1:12 2:1 12:2 | opp 8:1 13:14",
        dice=(6, 2),
        hits=True,
    ),
    Lesson(
        name="enter",
        title="From the bar",
        text="You have a checker on the bar. It must enter before any other moves, on the point of a die. Where the "
        "opponent has closed the point, or an own checker stands, it cannot.",
        done="Right. If no die lets it enter, the turn is a pass (B3.5).",
        position="bar:1 1:8 6:1 12:5 | opp 4:2 13:13",
        dice=(6, 3),
    ),
    Lesson(
        name="jan",
        title="Jan",
        text="The opponent has three checkers on the bar, and just room for three more points of its own. A hit with "
        "the checker on 3 outside its first quarter overfills the bar: play it and win at once.",
        done="Jan! Four points. Overfill the bar by a strike, and it is a forced jan: six points (B9.2).",
        position="1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3",
        dice=(5, 4),
        goal="jan",
    ),
    Lesson(
        name="forced-jan",
        title="A strike",
        text="Two of your checkers are on the bar, and points 2 to 5 are closed. You may strike: with more checkers on "
        "the bar than free points a closed point can be taken. Enter on 6 first, then strike 5.",
        done="Forced jan! Six points, the most a game can be worth. ** marks the strike.",
        position="bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3",
        dice=(6, 5),
        goal="forced_jan",
    ),
    Lesson(
        name="handsome",
        title="A handsome game",
        text="Three checkers on each of 20 to 24 are the single crown, one of four handsome games. One move is "
        "missing. Find it.",
        done="A handsome game! Two points, and three if the opponent has a checker on the bar (B10.1).",
        position="19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15",
        dice=(4, 1),
        goal="single_crown",
    ),
    Lesson(
        name="off",
        title="Bearing off",
        text="All your checkers are in the last quarter, and they may leave the board. The rearmost goes first, and no "
        "die may waste more than it has to (B7.6). Bear off the last two and win.",
        done="Won by bearing off: one point, and two if the opponent has a checker on the bar, a monk.",
        position="20:1 22:1 off:13 | opp 13:15",
        dice=(5, 3),
        goal="bearing_off",
    ),
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
        clock=ClockTerms(delay_ms=0, bank_ms=0),
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


def is_reached(lesson: Lesson, sitting: Sitting) -> bool:
    """Return whether the turn on the board is whole, and what the lesson asks for."""
    if not sitting.is_whole:
        return False
    ending = sitting.ending
    if lesson.goal:
        return ending is not None and ending.name == lesson.goal
    if lesson.hits:
        return sitting.rules is not None and any(sitting.rules.count_hits(sitting.start, sitting.moves))
    return True
