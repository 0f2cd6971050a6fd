"""A person at a seat: what the arena says to them, and what they do; no input, output or clock.

The kit's messages come in, and so does what the person does. Answers and exceptions come out: a
`Refusal` is something the person tried that cannot be done now, with a sentence that says why.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import msgspec

from arena.games import Dice, Ending, GameError, Illegal, Move, game_of_record
from arena.games.result import Cause, Result
from arena.matches.facts import Terms
from arena.matches.time_control import TimeControl
from arena.person.continuations import Moves, choices_of, for_people, paths_of, why_not
from arena.person.phases import (
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
from arena.person.sitting_state import BoardOfGame, FinishedGame, SittingState, StartedMatch
from arena.person.told import GameOver, PlayedTurn, Refusal
from arena.records.reasons import explain_end
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


class Sitting(SittingState):
    """One match of a person."""

    # What the arena says

    def match_started(self, match: MatchStart) -> None:
        """Expect the person at the table, for the first time or again.

        Forget what was played before: it is told once more.
        """
        self._match = StartedMatch(start=match, rules=game_of_record(match.ruleset))
        self._board = None
        self.finished = []
        self.story = []
        if not isinstance(self._phase, Over | Left):
            self._phase = Arriving()

    def game_started(self, start: GameStart) -> None:
        """Begin a game, or go on with it after the connection was lost."""
        if self._has_ended(start.number):
            return
        if self._board is not None and self._board.start.number == start.number:
            self._board = replace(self._board, start=start)
            self._phase = Waiting(answered=self._question)
            return
        position = self.rules.start()
        self._board = BoardOfGame(
            start=start,
            position=position,
            before=position,
            before_theirs=None if start.starts else position,
        )
        self._phase = Waiting()

    def rests(self, pause: Break) -> None:
        """Begin a break before the next game, or go on with it."""
        self._phase = Resting(pause=pause)

    def asked(self, view: TurnView | CallView) -> None:
        """Give the person the turn, or the choice of a number of dice."""
        if self._has_ended(view.start.number):
            return
        self._hear_last(view.last)
        rules = self.rules
        board = self.board
        position = rules.from_plain(view.position)
        if rules.to_plain(board.position) == rules.to_plain(position):
            position = board.position  # which knows how often it has come up (T9)
        before = board.before
        if view.last is None:  # nothing has been moved before it
            before = position
        if isinstance(view, CallView):
            self._phase = Calling(view=view, start=position)
            self._board = replace(
                board,
                position=position,
                before=before,
                dice=(),
            )
            return
        dice = tuple(view.dice)
        choices = choices_of(rules, position, dice)
        start = choices.position(())
        self._phase = Turning(
            view=view,
            start=start,
            choices=choices,
        )
        self._board = replace(
            board,
            position=start,
            before=before,
            dice=dice,
        )

    def _has_ended(self, number: int) -> bool:
        """Return whether a game is over already.

        The record may have told so before a message that was under way.
        """
        return any(game.over.number == number for game in self.finished)

    def _hear_last(self, last: Last | None) -> None:
        """Take the opponent's last turn, unless it was heard before."""
        if last is None:
            return
        if self._board is not None and self.log and not self.log[-1].is_mine:
            return
        self.turn_played(last.dice, last.moves, is_mine=False)

    def turn_played(
        self,
        rolled: Sequence[int],
        moves: Sequence[Move],
        *,
        is_mine: bool,
    ) -> None:
        """Take a turn of either side."""
        rules = self.rules
        board = self.board
        dice = tuple(rolled)
        turn = _as_moves(moves)
        before = board.position if is_mine else board.before_theirs
        board = replace(board, before_theirs=None)
        verdict: Any = None
        if before is not None:
            verdict = rules.judge(before, dice, turn)
        if verdict is None or isinstance(verdict, Illegal):
            # something was missed; the bare moves are right in any case
            self._board = board
            self._note(
                turn,
                dice,
                None,
                None,
                is_mine=is_mine,
            )
            return
        after = rules.flip(verdict.position)
        if is_mine:
            self._board = replace(
                board, before=before, position=verdict.position, before_theirs=after
            )
        else:
            flipped = rules.flip(before)
            self._board = replace(
                board,
                before=flipped,
                position=after,
                theirs=(flipped, after),
            )
        self._note(
            turn,
            dice,
            before,
            verdict.ending,
            is_mine=is_mine,
        )

    def _note(
        self,
        moves: Moves,
        dice: Dice,
        before: Position | None,
        ending: Ending | None,
        *,
        is_mine: bool,
    ) -> None:
        """Add a turn to the log and to the story."""
        hits = strikes = 0
        if before is not None:
            hits, strikes = self.rules.count_hits(before, moves)
        text = self.rules.format_turn(moves, before, ending)
        played = PlayedTurn(
            is_mine=is_mine,
            dice=dice,
            text=text,
            hits=hits,
            strikes=strikes,
        )
        self._board = replace(self.board, log=(*self.log, played))
        self.story.append(played)

    def rejected(self, problem: Said) -> None:
        """Open the turn again: the referee did not take the answer.

        It cannot happen where the rules are the same.
        """
        self._rejection = problem
        if isinstance(self._phase, Waiting) and self._phase.answered is not None:
            self._phase = self._phase.answered
        if self._board is not None and self.log and self.log[-1].is_mine:
            self._board = replace(self._board, log=self._board.log[:-1])
            self.story.pop()

    def game_ended(self, end: GameEnd) -> None:
        """End a game, with its last turn."""
        if self._has_ended(end.number):
            return
        self._hear_last(end.last)
        over = msgspec.convert(end, GameOver, from_attributes=True)
        self.game_over(msgspec.structs.replace(over, why=self._why_ended(end)))

    def game_over(self, over: GameOver) -> None:
        """End a game whose last turn was told."""
        if self._board is None:  # it was forfeited before it began
            position = before = self.rules.start()
            log: tuple[PlayedTurn, ...] = ()
        else:
            position, before, log = self._board.position, self._board.before, self._board.log
        finished = FinishedGame(
            over=over,
            before=before,
            position=position,
            log=log,
            colour=self.colour,
        )
        self.finished.append(finished)
        self.story.append(over)
        self._phase = Waiting()

    def _why_ended(self, end: GameEnd) -> Said | None:
        assert self.match is not None, "a match has started"
        turn = 0
        if self.view is not None:
            turn = self.view.message.turn
        if not turn and end.ending == "turn_limit":
            return None
        cause = cast("Cause | None", end.cause or None)
        ended = Result(
            winner=None,
            ending=end.ending,
            clause=end.clause,
            points=end.points,
            monk=end.monk,
            cause=cause,
        )
        terms = Terms(
            games=self.match.games,
            clock=msgspec.convert(self.match.clock, TimeControl, from_attributes=True),
            rejections=self.match.rejections,
            turn_limit=turn + (end.last is not None),
            startup_ms=0,
        )
        return explain_end(Why(result=ended, terms=terms))

    def dice_distrusted(self, problems: Sequence[Said]) -> None:
        """Note that the dice of the match were not as promised."""
        self._dice_problems = [*problems]

    def match_ended(self, end: MatchEnd) -> None:
        """End the match."""
        self._phase = Over(end=end)

    def connection_ended(self, reason: Said | None) -> None:
        """Note that the kit has left: at the end of a match, or because the arena is gone."""
        if not isinstance(self._phase, Over | Left):
            self._phase = Left(reason=reason)

    # What the person does; each raises `Refusal`

    def move(
        self,
        question: str,
        moves: Sequence[Move],
        *,
        is_whole: bool = False,
    ) -> None:
        """Add moves to the turn, or with `is_whole` put them in place of the others.

        A move may take one checker farther than a die goes, by several of them. Raises `Refusal`
        with the referee's own sentence.
        """
        turn = self._turn_due(question)
        so_far = () if is_whole else turn.moves
        tried = _as_moves(moves)
        if not so_far and tried in turn.choices.whole_turns:
            self._put(turn, tried)
            return
        for move in tried:
            steps = paths_of(turn.choices, so_far, move[0]).get(move)
            if not steps:
                wrong = why_not(
                    self.rules,
                    turn.start,
                    self.dice,
                    turn.choices,
                    so_far,
                    move,
                )
                raise Refusal(for_people(wrong), wrong.clause)
            so_far = (*so_far, *steps)
        self._put(turn, so_far)

    def typed(self, question: str, text: str) -> None:
        """Add the moves that were typed: `1/7 12/15`. Raises `Refusal`."""
        turn = self._turn_due(question)
        try:
            if turn.moves:  # what goes on with a turn is written in full
                moves = self.rules.parse_turn(text)
            else:  # a whole turn may leave out where a checker lands on its way
                moves = self.rules.parse_turn(text, turn.start, self.dice)
        except GameError as error:
            raise Refusal(error.problems[0]) from error
        if not moves and not self.is_whole:
            raise Refusal(Said("refusal.no_pass"), "B3.3")
        self.move(question, moves)

    def restore(self, moves: Sequence[Move]) -> None:
        """Make the moves again that the person had made of this turn before a kill."""
        turn = self._turn_due(self.question)
        kept = _as_moves(moves)
        with suppress(Refusal):  # the file was changed
            if kept in turn.choices.whole_turns:
                self.move(self.question, kept)
                return
            for move in kept:
                self.move(self.question, [move])

    def undo(self, question: str) -> None:
        """Take back the last move of the turn, or the whole turn if it is played as a whole."""
        turn = self._turn_due(question)
        if not turn.moves:
            raise Refusal(Said("refusal.nothing_to_undo"))
        moves = turn.moves[:-1]
        if turn.moves in turn.choices.whole_turns:
            moves = ()
        self._put(turn, moves)

    def _put(self, turn: Turning, moves: Moves) -> None:
        """Put these moves on the board, in place of those of the turn so far."""
        before = turn.start
        if len(moves) > len(turn.moves):
            before = turn.choices.position(turn.moves)
        self._board = replace(
            self.board,
            before=before,
            position=turn.choices.position(moves),
        )
        self._phase = replace(turn, moves=moves)

    def confirm(self, question: str, *, offers_draw: bool = False) -> Reply:
        """Play the turn as it is. Raises `Refusal` if it is not whole yet."""
        turn = self._turn_due(question)
        if not self.is_whole:
            illegal = self._verdict()
            raise Refusal(illegal.said, illegal.clause)
        if offers_draw and self.rules.agreement is None:
            raise Refusal(Said("refusal.no_draws", {"ruleset": self.rules.name}))
        self._phase = Waiting(answered=replace(turn, moves=()))
        self._board = replace(self.board, position=turn.start)
        self.turn_played(self.dice, turn.moves, is_mine=True)
        return Played(
            [list(move) for move in turn.moves],
            offers_draw=offers_draw,
        )

    def accept_draw(self, question: str) -> Reply:
        """Accept the draw that the opponent offered. Raises `Refusal` if it did not."""
        turn = self._turn_due(question)
        if not self.is_draw_offered:
            raise Refusal(Said("refusal.no_draw_offered"))
        self._phase = Waiting(answered=replace(turn, moves=()))
        return AcceptDraw()

    def call(self, question: str, dice: int) -> int:
        """Call for a number of dice (B11.3). Raises `Refusal`."""
        self.due("call", question)
        if dice not in self.calls:
            first, *_, last = self.calls
            choices = Said("list.or", {"first": first, "last": last})
            raise Refusal(Said("refusal.no_such_call", {"dice": dice, "choices": choices}), "B11.3")
        self._phase = Waiting(answered=self._question)
        return dice

    def ready(self, question: str) -> GameReady:
        """End the break for the person. Raises `Refusal`."""
        self.due("break", question)
        assert isinstance(self._phase, Resting), "there is a break"
        pause = self._phase.pause
        self._phase = Ready(pause=pause)
        return GameReady(match=pause.match, number=pause.number)

    def leave(self) -> None:
        """Leave the match for good."""
        if isinstance(self._phase, Over):
            raise Refusal(Said("not_due.over"))
        self._phase = Left(reason=Said("left.resigned"))

    def _turn_due(self, question: str) -> Turning:
        """Return the turn that is put together, if this is its question."""
        self.due("turn", question)
        assert isinstance(self._phase, Turning), "a turn is open"
        return self._phase

    def due(self, phase: Phase, question: str) -> None:
        """Raise `Refusal` unless this is the open question."""
        if self.phase != phase:
            raise Refusal(Said(f"not_due.{self.phase}"))
        if question != self.question:
            raise Refusal(Said("refusal.another_turn"))


def _as_moves(moves: Sequence[Move]) -> Moves:
    return tuple(tuple(move) for move in moves)
