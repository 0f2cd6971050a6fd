"""The game in five minutes (docs/the-game.md), and a sound game: positions to try by hand.

A lesson is a row of steps at a board without an opponent, by the rules of the referee. A step asks
for a turn, for a move that the referee refuses, or for a number. A lesson is solved if every step
is right at the first attempt; so chance solves none.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import msgspec

from arena.games import Move, load_game, ruleset_record
from arena.games.playing import rolls
from arena.matches.time_control import TimeControl
from arena.person.sitting import Sitting
from arena.person.told import Refusal
from protocol.client import GameStart, MatchStart, TurnView
from protocol.messages import ClockTerms, Opponent, Turn, TurnClock

Judgement = Literal["open", "reached", "missed"]


def worth(sitting: Sitting) -> int:
    """Return the points that the turn wins (B10); 0 if the game goes on."""
    ending = sitting.ending
    if ending is None:
        return 0
    return ending.points


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


def safe(sitting: Sitting) -> int:
    """Return with how many of the 21 rolls the opponent cannot win in its next turn."""
    rules = sitting.rules
    theirs = rules.flip(sitting.position)
    count = 0
    for roll in rolls(2):
        if not any(turn.ending for turn in rules.legal_turns(theirs, roll)):
            count += 1
    return count


MEASURES: Final[Mapping[str, Callable[[Sitting], int]]] = {
    "worth": worth,
    "prime": prime,
    "safe": safe,
}


class Step(msgspec.Struct, frozen=True):
    """A task of a lesson: a turn, a move that is refused, or a number to count.

    The catalogue has its text and a hint.
    """

    position: str
    """A literal, from the person's side."""
    dice: tuple[int, ...]
    turn: str = ""
    """The turn to play; any turn with the same result will do."""
    measure: str = ""
    """The name of one of `MEASURES`."""
    least: int = 1
    """The least that the turn has to reach by the measure, where there is no `turn`."""
    refused: tuple[tuple[int, int], ...] = ()
    """Moves to try: the step is right when the referee refuses one of them."""
    count: int | None = None
    """The number that answers the question of the step."""


class Lesson(msgspec.Struct, frozen=True):
    """Steps one after the other. The catalogue has its title, and words for its end."""

    name: str
    steps: tuple[Step, ...]


class Lessons(msgspec.Struct, frozen=True):
    """The lessons of the file."""

    first_steps: tuple[Lesson, ...]
    sound_game: tuple[Lesson, ...]

    @property
    def by_name(self) -> dict[str, Lesson]:
        """All lessons, in their order."""
        names: dict[str, Lesson] = {}
        for lesson in (*self.first_steps, *self.sound_game):
            names[lesson.name] = lesson
        return names


@cache
def lessons() -> Lessons:
    """Return the lessons that ship with the arena."""
    text = (files("arena.person") / "lessons.json").read_bytes()
    return msgspec.json.decode(text, type=Lessons)


class Practice(Sitting):
    """The board of a step, with the turn to play."""

    def __init__(self, lesson: Lesson, place: int = 0, *, is_clean: bool = True) -> None:
        """Put a step of a lesson on the board; `place` counts from 0."""
        super().__init__()
        self.lesson = lesson
        self.place = place
        self.step = lesson.steps[place]
        self.is_clean = is_clean
        """True while every step of the lesson was right at the first attempt, without numbers of
        the evaluator."""
        self.judgement: Judgement = "open"
        self._begin()

    def _begin(self) -> None:
        game = load_game("vasa")
        match = MatchStart(
            match=f"lesson-{self.lesson.name}-{self.place + 1}",
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
        position = game.to_plain(game.parse_position(self.step.position))
        self.match_started(match)
        self.game_started(start)
        clock = TurnClock(
            left_ms=0,
            opponent_left_ms=0,
            spent_ms=0,
            delay_left_ms=0,
        )
        turn = Turn(
            game=0,
            turn=1,
            dice=self.step.dice,
            position=position,
            clock=clock,
        )
        self.asked(TurnView(turn, start, match))

    def other_step(self, lesson: Lesson, place: int) -> "Practice":
        """Return the board of another step.

        It goes on with this attempt at the lesson if it is an earlier step, or the next one after
        a step that is right. The first step begins another attempt.
        """
        if place == 0:
            return Practice(lesson)
        may_follow = place <= self.place + (self.judgement == "reached")
        is_clean = lesson == self.lesson and may_follow and self.is_clean
        return Practice(lesson, place, is_clean=is_clean)

    def move(self, question: str, moves: Sequence[Move], *, is_whole: bool = False) -> None:
        """Add moves to the turn. Raises `Refusal`, which may be what the step asks for."""
        try:
            super().move(question, moves, is_whole=is_whole)
        except Refusal:
            if any(tuple(move) in self.step.refused for move in moves):
                self.judgement = "reached"
            raise

    def undo(self, question: str) -> None:
        """Take back the last move; the step is open again. Raises `Refusal`."""
        super().undo(question)
        self.judgement = "open"

    def play(self, question: str) -> None:
        """Play the turn, and judge it. Raises `Refusal` if it is not whole yet."""
        self._turn_due(question)
        if not self.is_whole:
            illegal = self._verdict()
            raise Refusal(illegal.said, illegal.clause)
        self._judge(self._reaches_goal())

    def answer(self, number: int) -> None:
        """Answer the question of the step by a number."""
        self._judge(number == self.step.count)

    def _reaches_goal(self) -> bool:
        step = self.step
        if step.measure:
            return MEASURES[step.measure](self) >= step.least
        if not step.turn:
            return False
        turn = self.rules.parse_turn(step.turn, self.start, self.dice)
        wanted = self.rules.judge(self.start, self.dice, turn)
        return bool(wanted.position == self.position)

    def _judge(self, is_right: bool) -> None:  # noqa: FBT001 - the judgement itself
        self.judgement = "reached"
        if not is_right:
            self.judgement = "missed"
            self.is_clean = False
