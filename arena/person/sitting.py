"""State of a person at a seat, and what they may do: a machine without input, output or a clock.

The kit's messages come in, and so does what the person does. `answer`, `view` and exceptions come
out: a `Refusal` is something the person tried that cannot be done now, with a sentence that says
why.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Literal, cast

from msgspec import convert
from msgspec.structs import replace

from arena.games import Dice, Ending, GameError, Illegal, Move, game_of_record
from arena.games.result import Cause, Result
from arena.matches.facts import Terms
from arena.matches.time_control import TimeControl
from arena.person.continuations import Choices, Moves, choices_of, why_not
from arena.person.told import GameOver, PlayedTurn, Refusal, Turned
from arena.records.reasons import reason
from arena.records.timeline import Why
from arena.words import Said
from protocol.client import (
    AcceptDraw,
    CallView,
    GameEnd,
    GameStart,
    MatchEnd,
    MatchStart,
    Reply,
    TurnView,
)
from protocol.client import Moves as Played
from protocol.messages import Break, GameReady, Last

Phase = Literal["arriving", "call", "turn", "waiting", "break", "ready", "over", "left"]
"""The opponent is coming, the person calls or plays, the opponent plays; between two games the
person rests, or is ready and waits for the opponent; the match is over, or left."""

INFO: Final = {"person": True}
"""Kept in the record with every turn that was played by hand."""


class Sitting:
    """One match of a person."""

    def __init__(self) -> None:
        self.phase: Phase = "arriving"
        self.why_left: Said | None = None
        """The reason why the seat was left; None if it was not."""
        self.match: MatchStart | None = None
        self.game: GameStart | None = None
        self.rules: Any = None
        """The game, once the match has started."""
        self.position: Any = None
        """The board, as the person sees it; in the middle of a turn, with the moves so far."""
        self.before: Any = None
        """The board before the last turn or move."""
        self.dice: Dice = ()
        self.moves: Moves = ()
        self.log: list[PlayedTurn] = []
        self.over: list[GameOver] = []
        self.finals: list[tuple[Any, Any, Sequence[PlayedTurn], str]] = []
        """The board before the last turn of each game that is over, and after it; and its turns."""
        self.story: list[PlayedTurn | GameOver] = []
        """The turns and endings of the match, game after game."""
        self.end: MatchEnd | None = None
        self.dice_problems: list[Said] | None = None
        """Faults of the dice of the match, empty if they were as promised; None before its end."""
        self.theirs: tuple[Any, Any] | None = None
        """The board before the opponent's last turn and after it, as the person sees it; None if
        that is not known."""
        self.view: TurnView | CallView | None = None
        """The question that is open, as the kit gave it."""
        self.pause: Break | None = None
        """The break between two games, as the arena told of it; None while there is none."""
        self._choices: Choices | None = None
        """The choices of the last turn that was asked."""
        self.start: Any = None
        """The position before the turn that is being put together, or before the call."""
        self._known: Any = None
        """The position before the opponent's turn, as the opponent sees it; None if it is not
        known."""

    # What the arena says

    def match_started(self, match: MatchStart) -> None:
        """The person is expected at the table, for the first time or again: what was played before is told anew."""
        self.match, self.rules = match, game_of_record(match.ruleset)
        self.game, self.view, self.pause, self.moves = None, None, None, ()
        self.log, self.over, self.story, self.finals = [], [], [], []

    def game_started(self, start: GameStart) -> None:
        """A game begins, or goes on after the connection was lost."""
        if self._has_ended(start.number):
            return
        is_new = self.game is None or self.game.number != start.number
        self.game, self.pause = start, None
        if is_new:
            self.log, self.moves, self.dice, self.view, self.theirs = [], (), (), None, None
            begin = self.rules.start()
            self.position = self.before = begin
            self._known = None if start.starts else begin
        self.phase = "waiting"

    def rests(self, pause: Break) -> None:
        """A break before the next game has begun, or goes on."""
        self.pause, self.phase = pause, "break"

    def asked(self, view: TurnView | CallView) -> None:
        """It is the person's turn, or they may call for a number of dice."""
        if self._has_ended(view.start.number):
            return
        self.view = view
        self.phase = "turn" if isinstance(view, TurnView) else "call"
        self._hear_last(view.last)
        position = self.rules.from_plain(view.position)
        if self.rules.to_plain(self.position) == self.rules.to_plain(position):
            position = self.position  # which knows how often it has come up (T9)
        self.start = self.position = position
        if view.last is None:  # nothing has been moved before it
            self.before = position
        self.moves = ()
        self.dice = tuple(view.dice) if isinstance(view, TurnView) else ()
        if isinstance(view, TurnView):
            self._choices = choices_of(self.rules, position, self.dice)
            self.start = self.position = self._choices.position(())

    def _has_ended(self, number: int) -> bool:
        """Return whether a game is over already: the record has told so before a message that was under way."""
        return any(over.number == number for over in self.over)

    def _hear_last(self, last: Last | None) -> None:
        if last is not None and not (self.log and not self.log[-1].is_mine):
            self.turn_played(last.dice, last.moves, is_mine=False)

    def turn_played(self, rolled: Sequence[int], moves: Sequence[Move], *, is_mine: bool) -> None:
        """Take a turn of either side."""
        rules, dice, moves = self.rules, tuple(rolled), [tuple(move) for move in moves]
        before = self.position if is_mine else self._known
        self._known = None
        verdict: Any = None if before is None else rules.judge(before, dice, moves)
        if verdict is None or isinstance(verdict, Illegal):
            # something was missed; the bare moves are right in any case
            self._note(moves, dice, None, None, is_mine=is_mine)
            return
        flipped = rules.flip(verdict.position)
        if is_mine:
            self.before, self.position = before, verdict.position
            self._known = flipped
        else:
            self.before, self.position = rules.flip(before), flipped
            self.theirs = self.before, self.position
        self._note(moves, dice, before, verdict.ending, is_mine=is_mine)

    def _note(
        self,
        moves: Sequence[Move],
        dice: Dice,
        before: Any,
        ending: Ending | None,
        *,
        is_mine: bool,
    ) -> None:
        hits, strikes = (0, 0) if before is None else self.rules.count_hits(before, moves)
        text = self.rules.format_turn(moves, before, ending)
        played = PlayedTurn(is_mine=is_mine, dice=dice, text=text, hits=hits, strikes=strikes)
        self.log.append(played)
        self.story.append(played)

    def _take_back(self) -> None:
        if self.log and self.log[-1].is_mine:
            self.log.pop()
            self.story.pop()

    def rejected(self, said: Said) -> None:
        """The referee did not take an answer: the turn is open again.

        It cannot happen where the rules are the same.
        """
        self.why_left = said
        self.phase = "turn" if isinstance(self.view, TurnView) else "call"
        self._take_back()

    def game_ended(self, end: GameEnd) -> None:
        """A game is over."""
        if not self._has_ended(end.number):
            self._hear_last(end.last)
            self.game_over(
                replace(convert(end, GameOver, from_attributes=True), why=self._why_ended(end))
            )

    def game_over(self, over: GameOver) -> None:
        """A game is over, and its last turn was told."""
        self.view, self.pause, self.moves = None, None, ()
        self.over.append(over)
        self.finals.append((self.before, self.position, self.log, self.colour))
        self.story.append(over)
        self.phase = "waiting"

    def _why_ended(self, end: GameEnd) -> Said | None:
        assert self.match is not None
        asked = 0 if self.view is None else self.view.message.turn
        if not asked and end.ending == "turn_limit":
            return None
        result = Result(
            winner=None,
            ending=end.ending,
            clause=end.clause,
            points=end.points,
            monk=end.monk,
            cause=cast("Cause", end.cause) if end.cause else None,
        )
        terms = Terms(
            games=self.match.games,
            clock=convert(self.match.clock, TimeControl, from_attributes=True),
            rejections=self.match.rejections,
            turn_limit=asked + (end.last is not None),
            startup_ms=0,
        )
        return reason(Why(result=result, terms=terms))

    def match_ended(self, end: MatchEnd) -> None:
        """The match is over."""
        self.end, self.view = end, None
        self.dice_problems = self.dice_problems or []
        self.phase = "over"

    def connection_ended(self, reason: Said | None) -> None:
        """The kit has left: at the end of a match, or because the arena is gone."""
        if self.phase not in ("over", "left"):
            self.phase, self.why_left = "left", reason
            self.view = None

    # What the person does

    @property
    def question(self) -> str:
        """The name of what is asked; an answer has to name it, so that none is taken for another turn."""
        if self.phase == "break" and self.pause is not None and self.match is not None:
            return f"{self.pause.match}.{self.match.attempt}.{self.pause.number}"
        return "" if self.view is None else key_of(self.view)

    @property
    def left_ms(self) -> int | None:
        """The time for the answer, or of the break, when it was told; None if nothing has to happen in a time."""
        if self.phase in ("break", "ready") and self.pause is not None:
            return self.pause.left_ms
        return (
            self.view.limit_ms if self.phase in ("turn", "call") and self.view is not None else None
        )

    @property
    def _open(self) -> Choices | None:
        """The choices of the turn that is being put together; None if none is."""
        return self._choices if self.phase == "turn" else None

    def next_moves(self) -> list[Turned]:
        """The moves with which a legal turn can go on."""
        if self._open is None:
            return []
        return [
            Turned(
                start=move[0], target=move[1], text=self.rules.format_turn([move], self.position)
            )
            for move in self._open.after(self.moves)
        ]

    def whole_turns(self) -> list[tuple[Moves, str]]:
        """Turns that are played only as a whole, with their text; none once a move is made."""
        if self._open is None or self.moves:
            return []
        return [
            (moves, self.rules.format_turn(moves, self.start)) for moves in self._open.whole_turns
        ]

    @property
    def only(self) -> Moves | None:
        """The turn that has to be played, if the roll leaves no choice; a pass is empty."""
        return None if self._open is None else self._open.only

    @property
    def colour(self) -> str:
        """The person's colour in this game, where the sides have names (T1); else empty."""
        if self.game is None or self.rules.colours is None:
            return ""
        return str(self.rules.colours[0 if self.game.starts else 1])

    @property
    def is_whole(self) -> bool:
        """True if the moves so far are a legal turn."""
        return self._open is not None and self._open.is_whole(self.moves)

    @property
    def dice_left(self) -> Dice:
        """The dice that are left, in the order in which they were rolled."""
        return self.dice if self._open is None else self._open.dice_left(self.moves)

    @property
    def ending(self) -> Ending | None:
        """Ending of the game if the turn is confirmed as it is."""
        if not self.is_whole:
            return None
        verdict: Any = self.rules.judge(self.start, self.dice, [*self.moves])
        return None if isinstance(verdict, Illegal) else verdict.ending

    @property
    def text(self) -> str:
        """The moves so far, for people; empty without any."""
        if not self.moves:
            return ""
        return str(self.rules.format_turn(self.moves, self.start, self.ending))

    def why_pass(self) -> str:
        """The clause under which nothing can be played; empty if something can."""
        return "B3.5" if not self.moves and self.is_whole else ""

    def move(self, question: str, moves: Sequence[Move], *, is_whole: bool = False) -> None:
        """Add moves to the turn, or with `is_whole` put them in place of the others.

        Raises `Refusal` with the referee's own sentence.
        """
        choices = self._due("turn", question)
        so_far = () if is_whole else self.moves
        given = tuple(tuple(move) for move in moves)
        if not so_far and given in choices.whole_turns:
            self._put(given)
            return
        for move in given:
            if move not in choices.after(so_far):
                wrong = why_not(self.rules, self.start, self.dice, choices, so_far, move)
                raise Refusal(wrong.said, wrong.clause)
            so_far = (*so_far, move)
        self._put(so_far)

    def typed(self, question: str, text: str) -> None:
        """Add the moves that were typed: `1/7 12/15`. Raises `Refusal`."""
        self._due("turn", question)
        try:
            # a whole turn may leave out where a checker lands on its way; what goes on with a turn
            # is written in full
            whole = () if self.moves else (self.start, self.dice)
            moves = self.rules.parse_turn(text, *whole)
        except GameError as error:
            raise Refusal(error.problems[0]) from error
        if not moves and not self.is_whole:
            raise Refusal(Said("refusal.no_pass"), "B3.3")
        self.move(question, [tuple(move) for move in moves])

    def restore(self, moves: Sequence[Move]) -> None:
        """Make the moves again that the person had made of this turn before everything was gone."""
        is_whole = tuple(map(tuple, moves)) in self._due("turn", self.question).whole_turns
        with suppress(Refusal):  # the file was changed
            for part in [moves] if is_whole else [[move] for move in moves]:
                self.move(self.question, part)

    def undo(self, question: str) -> None:
        """Take back the last move of the turn; a turn that is played as a whole goes back as a whole."""
        choices = self._due("turn", question)
        if not self.moves:
            raise Refusal(Said("refusal.nothing_to_undo"))
        self._put(() if self.moves in choices.whole_turns else self.moves[:-1])

    def _put(self, moves: Moves) -> None:
        assert self._choices is not None
        self.before = (
            self._choices.position(self.moves) if len(moves) > len(self.moves) else self.start
        )
        self.moves = moves
        self.position = self._choices.position(moves)

    def confirm(self, question: str, *, offers_draw: bool = False) -> Reply:
        """Play the turn as it is. Raises `Refusal` if it is not whole yet."""
        self._due("turn", question)
        if not self.is_whole:
            illegal: Any = self.rules.judge(self.start, self.dice, [*self.moves])
            raise Refusal(illegal.said, illegal.clause)
        if offers_draw and self.rules.agreement is None:
            raise Refusal(Said("refusal.no_draws", {"ruleset": self.rules.name}))
        moves, self.moves, self.position = self.moves, (), self.start
        self.turn_played(self.dice, moves, is_mine=True)
        self.phase = "waiting"
        return Played([list(move) for move in moves], info=INFO, offers_draw=offers_draw)

    def accept_draw(self, question: str) -> Reply:
        """Accept the draw that the opponent offered. Raises `Refusal` if it did not."""
        self._due("turn", question)
        if not self.is_draw_offered:
            raise Refusal(Said("refusal.no_draw_offered"))
        self.phase = "waiting"
        return AcceptDraw(info=INFO)

    @property
    def is_draw_offered(self) -> bool:
        """True if the opponent has offered a draw with its last turn."""
        return isinstance(self.view, TurnView) and self.view.draw_offered

    @property
    def calls(self) -> Sequence[int]:
        """The numbers of dice that can be called for (B11.3); empty if there is no choice now."""
        return self.view.choices if self.phase == "call" and isinstance(self.view, CallView) else ()

    def call(self, question: str, dice: int) -> int:
        """Call for a number of dice (B11.3). Raises `Refusal`."""
        self._due("call", question)
        if dice not in self.calls:
            first, *_, last = self.calls
            choices = Said("list.or", {"first": first, "last": last})
            raise Refusal(Said("refusal.no_such_call", {"dice": dice, "choices": choices}), "B11.3")
        self.phase = "waiting"
        return dice

    def ready(self, question: str) -> GameReady:
        """End the break for the person. Raises `Refusal`."""
        self._due("break", question)
        assert self.pause is not None, "there is a break"
        self.phase = "ready"
        return GameReady(match=self.pause.match, number=self.pause.number)

    def leave(self) -> None:
        """Leave the match for good."""
        if self.phase == "over":
            raise Refusal(Said("not_due.over"))
        self.phase, self.why_left, self.view = "left", Said("left.resigned"), None

    def _due(self, phase: Phase, question: str) -> Any:
        """The choices, if this is what is asked now."""
        if self.phase != phase:
            raise Refusal(Said(f"not_due.{self.phase}"))
        if question != self.question:
            raise Refusal(Said("refusal.another_turn"))
        return self._choices


def key_of(view: TurnView | CallView) -> str:
    """The name of a question: match, attempt, game and turn."""
    return f"{view.match.match}.{view.match.attempt}.{view.start.number}.{view.message.turn}"
