"""State of a person at a seat: what is on the board, and which question is open.

It has four parts. Each is a frozen value, or a list of them, that a message of the arena or an act
of the person (`sitting.py`) replaces: the match, the board of the present game, the games that are
over, and the phase. Nothing else changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.games import Dice, Ending, Game
from arena.person.continuations import Moves, paths_of
from arena.person.phases import (
    AnyPhase,
    Arriving,
    Calling,
    Left,
    Over,
    Phase,
    Position,
    Ready,
    Resting,
    Turning,
    Waiting,
)
from arena.person.told import GameOver, PlayedTurn, Turned
from arena.words import Said
from protocol.client import CallView, GameStart, MatchEnd, MatchStart, TurnView
from protocol.messages import Break


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedMatch:
    """A match that has started, with the rules of its games."""

    start: MatchStart
    rules: Game[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardOfGame:
    """The board of a game that has started, and its turns so far."""

    start: GameStart
    position: Position
    """The board, as the person sees it; in the middle of a turn, with the moves so far."""
    before: Position
    """The board before the last turn or move."""
    before_theirs: Position | None
    """The position before the opponent's turn, as the opponent sees it; None if it is not known."""
    theirs: tuple[Position, Position] | None = None
    """The board before the opponent's last turn and after it, as the person sees it; None if that
    is not known."""
    dice: Dice = ()
    """The person's last roll."""
    log: tuple[PlayedTurn, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedGame:
    """A game that is over, with its last turn on the board."""

    over: GameOver
    before: Position
    """The board before the last turn."""
    position: Position
    log: tuple[PlayedTurn, ...]
    colour: str
    """The person's colour in it, where the sides have names (T1); else empty."""


class SittingState:
    """The part of a match that a person at a seat can see."""

    def __init__(self) -> None:
        self._match: StartedMatch | None = None
        self._board: BoardOfGame | None = None
        self._phase: AnyPhase = Arriving()
        self.finished: list[FinishedGame] = []
        """The games that are over."""
        self.story: list[PlayedTurn | GameOver] = []
        """The turns and endings of the match, game after game."""
        self._rejection: Said | None = None
        """The reason why the referee did not take the last answer that it rejected."""
        self._dice_problems: list[Said] = []

    # The match, the game and the board

    @property
    def phase(self) -> Phase:
        """The name of the present phase."""
        return self._phase.name

    @property
    def match(self) -> MatchStart | None:
        """The match; None before it has started."""
        if self._match is None:
            return None
        return self._match.start

    @property
    def rules(self) -> Any:
        """The game of the match's ruleset; None before the match has started."""
        if self._match is None:
            return None
        return self._match.rules

    @property
    def game(self) -> GameStart | None:
        """The present game, or the last one; None before the first."""
        if self._board is None:
            return None
        return self._board.start

    @property
    def board(self) -> BoardOfGame:
        """The board of the present game, or of the last one; a game must have started."""
        assert self._board is not None, "a game has started"
        return self._board

    @property
    def position(self) -> Position:
        """The board, as the person sees it; in the middle of a turn, with the moves so far."""
        return self.board.position

    @property
    def before(self) -> Position:
        """The board before the last turn or move."""
        return self.board.before

    @property
    def theirs(self) -> tuple[Position, Position] | None:
        """The board before the opponent's last turn and after it; None if that is not known."""
        return self.board.theirs

    @property
    def dice(self) -> Dice:
        """The person's last roll in this game; empty before it."""
        return self.board.dice

    @property
    def log(self) -> Sequence[PlayedTurn]:
        """The turns of the game so far."""
        return self.board.log

    @property
    def colour(self) -> str:
        """The person's colour in this game, where the sides have names (T1); else empty."""
        if self.game is None or self.rules.colours is None:
            return ""
        first, second = self.rules.colours
        return str(first if self.game.starts else second)

    @property
    def over(self) -> Sequence[GameOver]:
        """The ends of the games that are over."""
        return [game.over for game in self.finished]

    @property
    def end(self) -> MatchEnd | None:
        """The end of the match; None before it."""
        if isinstance(self._phase, Over):
            return self._phase.end
        return None

    @property
    def dice_problems(self) -> Sequence[Said] | None:
        """Faults of the dice of the match, empty if they were as promised; None before its end."""
        if isinstance(self._phase, Over):
            return self._dice_problems
        return None

    @property
    def why_left(self) -> Said | None:
        """The reason why the seat was left, or an answer rejected; None if there is none."""
        if isinstance(self._phase, Left):
            return self._phase.reason
        return self._rejection

    # The question that is open, and the turn so far

    @property
    def _question(self) -> Calling | Turning | None:
        """The question that is open, or was answered last in this game."""
        if isinstance(self._phase, Calling | Turning):
            return self._phase
        if isinstance(self._phase, Waiting):
            return self._phase.answered
        return None

    @property
    def view(self) -> TurnView | CallView | None:
        """The question, as the kit gave it."""
        question = self._question
        if question is None:
            return None
        return question.view

    @property
    def start(self) -> Position:
        """The position before the turn that is put together, or before the call."""
        assert isinstance(self._phase, Calling | Turning), "a question is open"
        return self._phase.start

    @property
    def pause(self) -> Break | None:
        """The break between two games, as the arena told of it; None while there is none."""
        if isinstance(self._phase, Resting | Ready):
            return self._phase.pause
        return None

    @property
    def question(self) -> str:
        """The name of the question: an answer has to name it, and is to no other turn."""
        if isinstance(self._phase, Resting) and self.match is not None:
            pause = self._phase.pause
            return f"{pause.match}.{self.match.attempt}.{pause.number}"
        if self.view is None:
            return ""
        return key_of(self.view)

    @property
    def left_ms(self) -> int | None:
        """The time for the answer, or of the break, when it was told; None if none is running."""
        if self.pause is not None:
            return self.pause.left_ms
        if isinstance(self._phase, Calling | Turning):
            return self._phase.view.limit_ms
        return None

    @property
    def moves(self) -> Moves:
        """The moves of the turn so far; empty if none is put together."""
        if isinstance(self._phase, Turning):
            return self._phase.moves
        return ()

    def next_moves(self, counts: Sequence[int] = (1,)) -> list[Turned]:
        """Return where one checker can go on in a legal turn, by one of these counts of dice."""
        if not isinstance(self._phase, Turning):
            return []
        moves = []
        for move, path in paths_of(self._phase.choices, self._phase.moves).items():
            if len(path) in counts:
                start, target = move
                text = self.rules.format_turn(path, self.position)
                moves.append(Turned(start=start, target=target, text=text))
        return moves

    def whole_turns(self) -> list[tuple[Moves, str]]:
        """Return turns that are played only as a whole, with their text; none after a move."""
        if not isinstance(self._phase, Turning) or self._phase.moves:
            return []
        whole_turns = self._phase.choices.whole_turns
        return [(moves, self.rules.format_turn(moves, self.start)) for moves in whole_turns]

    @property
    def only(self) -> Moves | None:
        """The turn that has to be played, if the roll leaves no choice; a pass is empty."""
        if isinstance(self._phase, Turning):
            return self._phase.choices.only
        return None

    @property
    def is_whole(self) -> bool:
        """True if the moves so far are a legal turn."""
        if not isinstance(self._phase, Turning):
            return False
        return self._phase.choices.is_whole(self._phase.moves)

    @property
    def dice_left(self) -> Dice:
        """The dice that are left, in the order in which they were rolled."""
        if isinstance(self._phase, Turning):
            return self._phase.choices.dice_left(self._phase.moves)
        return self.dice

    @property
    def ending(self) -> Ending | None:
        """Ending of the game if the turn is confirmed as it is."""
        if not self.is_whole:
            return None
        ending: Ending | None = self._verdict().ending
        return ending

    def _verdict(self) -> Any:
        """Return the referee's verdict on the turn as it is."""
        return self.rules.judge(self.start, self.dice, [*self.moves])

    @property
    def text(self) -> str:
        """The moves so far, for people; empty without any."""
        if not self.moves:
            return ""
        return str(self.rules.format_turn(self.moves, self.start, self.ending))

    @property
    def is_draw_offered(self) -> bool:
        """True if the opponent has offered a draw with its last turn."""
        return isinstance(self.view, TurnView) and self.view.draw_offered

    @property
    def calls(self) -> Sequence[int]:
        """The numbers of dice that can be called for (B11.3); empty if there is no choice now."""
        if isinstance(self._phase, Calling):
            return self._phase.view.choices
        return ()

    def why_pass(self) -> str:
        """Return the clause under which nothing can be played; empty if something can."""
        if self.is_whole and not self.moves:
            return "B3.5"
        return ""


def key_of(view: TurnView | CallView) -> str:
    """Return the name of a question: match, attempt, game and turn."""
    return f"{view.match.match}.{view.match.attempt}.{view.start.number}.{view.message.turn}"
