"""The state of the page of playing by hand: one value, the whole of what it shows."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from arena.games.result import Seat
from arena.matches.time_control import TimeControl
from arena.pages.boards import board_of, position_text
from arena.pages.contents import Board, ReplayedGame
from arena.person.continuations import Moves
from arena.person.lessons import Judgement
from arena.person.sitting import Sitting
from arena.person.sitting_state import FinishedGame
from arena.person.told import GameOver, PlayedTurn, Turned
from arena.records.rows import DecisionRow
from arena.words import Said
from protocol.client import GameStart, MatchStart

Status = Literal["choosing", "starting", "playing", "lesson"]


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A turn of the opponent, to be played on the page."""

    before: str
    position: str
    dice: Sequence[int]
    text: str
    number: int
    """Its number among the turns of the match, so that it is played once."""


class ClosedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is over, with its last turn."""

    game: GameOver
    before: str
    position: str
    log: Sequence[PlayedTurn]
    """Its turns; of games before the last one only the last turn."""
    colour: str
    """The person's colour in it, where the sides have names."""


class Clocks(msgspec.Struct, frozen=True, kw_only=True):
    """The banks of both sides, in milliseconds.

    The person's is the one before their turn; `AtTheBoard.left_ms` says what is left of it.
    """

    mine_ms: int
    theirs_ms: int
    bank_ms: int
    """All of it, as each game begins."""
    delay_ms: int
    """The time of the turn that is not taken from the bank."""


class AtTheBoard(msgspec.Struct, frozen=True, kw_only=True):
    """The board and the turn, as the person has them."""

    phase: str
    """The phase of the match; `counting` while a lesson asks for a number."""
    question: str
    ruleset: str
    board: Board
    seat: Seat
    colour: str
    """The person's colour where the sides have names (T); else empty."""
    game: int
    games: int
    position: str
    before: str
    dice: Sequence[int]
    dice_left: Sequence[int]
    moves: Moves
    text: str
    """The moves so far, for people."""
    next: Sequence[Turned]
    far: Sequence[Turned]
    """Moves of one checker by several dice."""
    whole: Sequence[tuple[Moves, str]]
    """Turns that are played only as a whole (B11.1), with their texts."""
    only: Moves | None
    """The turn that has to be played, if the roll leaves no choice."""
    is_whole: bool
    worth: int | None
    """The points that the game is worth if the turn ends it."""
    pass_clause: str
    calls: Sequence[int]
    """The numbers of dice to choose from (B11.3); empty if there is no choice now."""
    can_offer_draw: bool
    is_draw_offered: bool
    left_ms: int | None
    """The time for this answer, or that is left of the break; None if nothing is asked."""
    clocks: Clocks
    log: Sequence[PlayedTurn]
    theirs: Shown | None
    score: Sequence[int]
    over: Sequence[ClosedGame]


class MatchOver(msgspec.Struct, frozen=True, kw_only=True):
    """The match after its end."""

    result: str
    """`won`, `lost`, `drawn`, or `left`."""
    why_left: Said | None
    dice_problems: Sequence[Said] | None
    is_settled: bool
    """True if the record is complete, so that the dice can be checked."""
    is_judged: bool
    """True once the evaluator has looked at every turn, or cannot."""
    costliest: Sequence[DecisionRow] | None
    """None while they are not known, or if there is no evaluator for the game."""
    folder: str


class PlayedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """The match that is over, to be played through."""

    names: tuple[str, str]
    board: Board
    clock: TimeControl
    games: Sequence[ReplayedGame]


class PastReview(msgspec.Struct, frozen=True, kw_only=True):
    """A match that was over some time ago, to be looked at once more."""

    match: PlayedMatch
    seat: int
    """The person's."""
    costliest: Sequence[DecisionRow] | None
    """None if there is no evaluator for the game."""


class InTournament(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament that the person plays in."""

    name: str
    next_opponent: str
    """The opponent of their next match; empty if none is known."""
    may_follow: bool
    """True if rounds are still to be drawn."""
    is_expected: bool
    """True if that match has started."""
    decided: int
    """Matches that are decided; the standings change with it."""
    is_finished: bool


class PageState(msgspec.Struct, frozen=True, kw_only=True):
    """The whole state of the page."""

    version: int
    status: Status
    failure: Said | str
    """The reason why a match could not be started; empty if nothing went wrong."""
    me: str
    opponent: str
    strength: str
    table: AtTheBoard | None
    over: MatchOver | None
    no_hints: Said | str
    """The reason why there are no hints; empty if there are."""
    lesson: str
    """The lesson at the board; empty if there is none."""
    judged: Judgement
    """The judgement on its step."""
    step: int
    """The step, from 0 on."""
    is_clean: bool
    """True while the lesson can be solved in this attempt."""
    role: Literal["host", "guest", "entrant"]
    """The person who chooses the matches, a guest invited to one, or an entrant of a tournament."""
    invitation: str
    """The token of the link for the other person; empty if none is invited."""
    is_away: bool
    """True if the other person has no page open."""
    in_tournament: InTournament | None
    match: str
    """The match at whose board the person sits, and which attempt at it; empty before it begins."""


def table_of(sitting: Sitting) -> AtTheBoard | None:
    """Return what is on the board; None before the first game. The caller holds the seat."""
    rules, game, match = sitting.rules, sitting.game, sitting.match
    if game is None or match is None:
        return None
    board = board_of(rules)

    def text(position: Any) -> str:
        return position_text(rules, board, position, game.seat)

    worth: int | None = None
    if sitting.ending is not None:
        worth = sitting.ending.points
    finished = [_over(ended, text, ended.log[-1:]) for ended in sitting.finished]
    score: Sequence[int] = (0, 0)
    if sitting.finished:
        last = sitting.finished[-1]
        finished[-1] = _over(last, text, last.log)
        score = last.over.score
    return AtTheBoard(
        phase=sitting.phase,
        question=sitting.question,
        ruleset=rules.name,
        board=board,
        seat=game.seat,
        colour=sitting.colour,
        game=game.number,
        games=match.games,
        position=text(sitting.position),
        before=text(sitting.before),
        dice=sitting.dice,
        dice_left=sitting.dice_left,
        moves=sitting.moves,
        text=sitting.text,
        next=sitting.next_moves(),
        far=sitting.next_moves(range(2, 5)),
        whole=sitting.whole_turns(),
        only=sitting.only,
        is_whole=sitting.is_whole,
        worth=worth,
        pass_clause=sitting.why_pass(),
        calls=sitting.calls,
        can_offer_draw=rules.agreement is not None,
        is_draw_offered=sitting.is_draw_offered,
        left_ms=sitting.left_ms,
        clocks=_clocks(sitting, match, game),
        log=sitting.log,
        theirs=_turn_of_theirs(sitting, text),
        score=score,
        over=finished,
    )


def _clocks(sitting: Sitting, match: MatchStart, game: GameStart) -> Clocks:
    """Return both banks as the last question of the game told them."""
    bank_ms = mine_ms = theirs_ms = match.clock.bank_ms
    delay_ms = 0
    view = sitting.view
    if view is not None and view.start.number == game.number:
        mine_ms = view.clock.left_ms
        theirs_ms = view.clock.opponent_left_ms
        delay_ms = view.clock.delay_left_ms
    return Clocks(mine_ms=mine_ms, theirs_ms=theirs_ms, bank_ms=bank_ms, delay_ms=delay_ms)


def _turn_of_theirs(sitting: Sitting, text: Callable[[Any], str]) -> Shown | None:
    """Return the opponent's last turn of this game; None if it is not known."""
    if sitting.theirs is None:
        return None
    before, after = sitting.theirs
    turns = [turn for turn in sitting.story if isinstance(turn, PlayedTurn) and not turn.is_mine]
    return Shown(
        before=text(before),
        position=text(after),
        dice=turns[-1].dice,
        text=turns[-1].text,
        number=len(turns),
    )


def _over(ended: FinishedGame, text: Callable[[Any], str], log: Sequence[PlayedTurn]) -> ClosedGame:
    """Return a game that is over, with these of its turns."""
    return ClosedGame(
        game=ended.over,
        before=text(ended.before),
        position=text(ended.position),
        log=log,
        colour=ended.colour,
    )
