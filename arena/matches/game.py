"""One game at the table: whose turn it is, the dice, the clocks, rejections and the end.

```
            thrown (first game)                 rolled              written
  opened ---------------------> to roll ----------------> to play ----------> on the clock
                                   ^                         answered, legal       |  |
                                   +-----------------------------------------------+  |
                          answered, illegal: stays on the clock   <-------------------+
       an ending, an agreement, the turn limit, one rejection too many, a fallen flag, a lost bot ---> over

  with a choice of dice (B11.3), before to roll:
                      written                    called
           to call -------------> on the clock -----------> to roll
```

Every function takes a game and gives a new one with the facts that follow; nothing waits, rolls or writes.
Laws: the clock of a turn starts when it is written and stops with a legal answer; an answer at the very
millisecond of the deadline is in time; a rejected turn keeps its dice and its clock; an offer of a draw stands
until the next legal turn; a turn that is put again after the arena was interrupted starts its clock anew, with what the
record knows it to have taken. A call runs on the clock of its turn: both together have one delay and one bank.
`lag_ms`, the time an answer may have lain unread while the arena was busy, is nobody's: it is taken off, but never
more than has passed since the writing.
"""

from __future__ import annotations

from typing import Any, Literal, cast

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arena.games import Game, Illegal
from arena.games.interface import Ending, Turn
from arena.matches import verdicts
from arena.matches.facts import (
    Cause,
    DiceCalled,
    DrawAgreed,
    FlagFell,
    GameEnded,
    Pair,
    Seat,
    Terms,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.verdicts import NoTurn


class LastTurn(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The turn before this one."""

    dice: tuple[int, ...]
    moves: Turn


class Result(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a game ended, as far as the game itself knows; the match adds the score."""

    winner: Seat | None
    ending: str
    clause: str
    points: int
    monk: bool = False
    rank: int | None = None
    cause: Cause | None = None


class Held(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A half of a pair that has come as far as it can alone, and what is kept back until the other has as well."""

    dice: int | None = None
    """How many dice it wants, where it waits with its roll for the other half to call."""
    result: Result | None = None
    """How it ended, if it has."""


class GameState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A game that is being played."""

    number: int
    """Its number in the match, from 1."""
    starter: Seat
    mover: Seat
    """Whose turn it is."""
    position: Any
    """From the mover's view."""
    turn: int
    """The number of the turn to be played, from 1, both sides counted together."""
    left_ms: Pair
    """What is left of the banks."""
    spent_ms: Pair = (0, 0)
    """What each side's last turn took."""
    rejections: Pair = (0, 0)
    """Illegal turns so far."""
    dice: tuple[int, ...] | None = None
    """The roll to be played; None until it is rolled."""
    calls: tuple[int, ...] = ()
    """B11.3: the numbers of dice the mover may call for; empty where it has no choice, or has called."""
    earlier_ms: int = 0
    """What this turn had taken before its clock began: its call for dice, or what is known from before a resumption."""
    rejected_ms: int = 0
    """What this turn had taken when it was last answered illegally."""
    written_ms: int | None = None
    """When the turn, or the call before it, was put to the bot; None while it has not been."""
    last: LastTurn | None = None
    draw_offered: bool = False
    """T9: whether the opponent has offered a draw with its last turn."""
    held: Held | None = None
    """In pairs: set while it waits for the other half."""


def other(seat: Seat) -> Seat:
    """The seat across the table."""
    return 2 if seat == 1 else 1


def open_game(rules: Game[Any], terms: Terms, *, number: int, starter: Seat) -> GameState:
    """A game before its first roll."""
    return GameState(
        number=number,
        starter=starter,
        mover=starter,
        position=rules.start(),
        turn=1,
        left_ms=(terms.bank_ms, terms.bank_ms),
    )


def rolled(game: GameState, dice: tuple[int, ...]) -> GameState:
    """The side to move has its dice."""
    assert game.dice is None, "a turn is rolled once"
    return replace(game, dice=dice, calls=())


def written(game: GameState, now_ms: int) -> GameState:
    """The turn, or the call before it, has been put to the bot: its clock runs from now."""
    assert game.dice is not None or game.calls, "a turn is rolled before it is written"
    assert game.held is None, "the half waits for the other"
    return replace(game, written_ms=now_ms)


def deadline(game: GameState, terms: Terms) -> int | None:
    """The last millisecond at which an answer is in time; None while no clock runs."""
    if game.written_ms is None:
        return None
    return game.written_ms - game.earlier_ms + terms.delay_ms + game.left_ms[game.mover - 1]


def spent_ms(game: GameState, now_ms: int) -> int:
    """What the turn has taken until now, with all that came before its clock began."""
    return game.earlier_ms + (0 if game.written_ms is None else now_ms - game.written_ms)


def _charged(game: GameState, now_ms: int, lag_ms: int) -> tuple[int, int]:
    """What an answer has taken of the bot's time, and how much of the lag was taken off for it."""
    assert game.written_ms is not None, "a turn or call is written before it is answered"
    passed_ms = now_ms - game.written_ms
    lag_ms = min(lag_ms, passed_ms)
    return game.earlier_ms + passed_ms - lag_ms, lag_ms


def called(
    rules: Game[Any], terms: Terms, game: GameState, dice: int, *, now_ms: int, lag_ms: int = 0
) -> tuple[GameState, DiceCalled | TurnRejected | FlagFell, Result | None]:
    """The bot to move has called for so many dice (B11.3): the game, the fact, and the result if it is over."""
    assert game.calls, "there is no choice of dice here"
    spent, lag_ms = _charged(game, now_ms, lag_ms)
    if spent > terms.delay_ms + game.left_ms[game.mover - 1]:
        return flag(rules, game, now_ms)
    refused = verdicts.on_call(game.calls, dice)
    if refused is not None:
        return _rejected(rules, terms, game, None, refused, now_ms, lag_ms, call=dice)
    fact = DiceCalled(
        at_ms=now_ms,
        game=game.number,
        turn=game.turn,
        seat=game.mover,
        dice=dice,
        spent_ms=spent,
        lag_ms=lag_ms or UNSET,
    )
    return replace(game, calls=(), earlier_ms=spent, written_ms=None), fact, None


def answered(
    rules: Game[Any],
    terms: Terms,
    game: GameState,
    moves: Turn | NoTurn,
    *,
    info: object,
    now_ms: int,
    lag_ms: int = 0,
    offers_draw: bool = False,
) -> tuple[GameState, TurnPlayed | TurnRejected | FlagFell, Result | None]:
    """The bot to move has answered: the game after it, the fact, and the result if the game is over."""
    assert game.dice is not None, "a turn is rolled, or its dice called for, before it is answered"
    spent, lag_ms = _charged(game, now_ms, lag_ms)
    left = game.left_ms[game.mover - 1] - max(0, spent - terms.delay_ms)
    if left < 0:
        return flag(rules, game, now_ms)
    if offers_draw and (refused := verdicts.on_offer(rules, game.position, game.dice)):
        return _rejected(rules, terms, game, moves, refused, now_ms, lag_ms, draw="offer")
    verdict = verdicts.on_turn(rules, game.position, game.dice, moves)
    if isinstance(verdict, Illegal):
        return _rejected(rules, terms, game, moves, verdict, now_ms, lag_ms, draw="offer" if offers_draw else UNSET)
    mover, moves = game.mover, cast("Turn", moves)
    fact = TurnPlayed(
        at_ms=now_ms,
        game=game.number,
        turn=game.turn,
        seat=mover,
        dice=game.dice,
        moves=moves,
        spent_ms=spent,
        left_ms=left,
        info=info,
        draw_offered=True if offers_draw else UNSET,
        lag_ms=lag_ms or UNSET,
    )
    after = GameState(
        number=game.number,
        starter=game.starter,
        mover=other(mover),
        position=rules.flip(verdict.position),
        turn=game.turn + 1,
        left_ms=(left, game.left_ms[1]) if mover == 1 else (game.left_ms[0], left),
        spent_ms=(spent, game.spent_ms[1]) if mover == 1 else (game.spent_ms[0], spent),
        rejections=game.rejections,
        last=LastTurn(dice=game.dice, moves=moves),
        draw_offered=offers_draw,
    )
    if verdict.ending is not None:
        return after, fact, _won_or_drawn(verdict.ending, mover)
    if game.turn >= terms.turn_limit:
        return after, fact, Result(winner=None, ending="turn_limit", clause="B10.3", points=0)
    return after, fact, None


def _won_or_drawn(ending: Ending, mover: Seat) -> Result:
    """The result of a game that a turn of the mover has ended over the board."""
    return Result(
        winner=None if ending.is_drawn else mover,
        ending=ending.name,
        clause=ending.clause,
        points=ending.points,
        monk=ending.monk,
        rank=ending.rank,
    )


def draw_accepted(
    rules: Game[Any], terms: Terms, game: GameState, *, info: object, now_ms: int, lag_ms: int = 0
) -> tuple[GameState, DrawAgreed | TurnRejected | FlagFell, Result | None]:
    """The bot to move accepts a draw in place of its turn (T9): the game, the fact, and the result if it is over."""
    assert game.dice is not None, "a turn is rolled, or its dice called for, before it is answered"
    spent, lag_ms = _charged(game, now_ms, lag_ms)
    left = game.left_ms[game.mover - 1] - max(0, spent - terms.delay_ms)
    if left < 0:
        return flag(rules, game, now_ms)
    refused = verdicts.on_acceptance(rules, game.position, game.dice, is_offered=game.draw_offered)
    if refused is not None:
        return _rejected(rules, terms, game, None, refused, now_ms, lag_ms, draw="accept")
    fact = DrawAgreed(
        at_ms=now_ms,
        game=game.number,
        turn=game.turn,
        seat=game.mover,
        spent_ms=spent,
        left_ms=left,
        info=info,
        lag_ms=lag_ms or UNSET,
    )
    assert rules.agreement is not None, "the verdict says that draws are agreed"
    return game, fact, Result(winner=None, ending="agreement", clause=rules.agreement, points=0)


def _rejected(
    rules: Game[Any],
    terms: Terms,
    game: GameState,
    moves: Turn | NoTurn | None,
    verdict: Illegal,
    now_ms: int,
    lag_ms: int,
    *,
    draw: Literal["offer", "accept"] | UnsetType = UNSET,
    call: int | UnsetType = UNSET,
) -> tuple[GameState, TurnRejected, Result | None]:
    mover = game.mover
    used = game.rejections[mover - 1] + 1
    left = terms.rejections - used
    spent = spent_ms(game, now_ms) - lag_ms
    fact = TurnRejected(
        at_ms=now_ms,
        game=game.number,
        turn=game.turn,
        seat=mover,
        dice=game.dice or (),
        moves=moves,
        spent_ms=spent,
        code=verdict.code,
        clause=verdict.clause,
        message=verdict.message,
        legal_turns=verdict.legal_turns,
        left=left,
        draw=draw,
        call=call,
        lag_ms=lag_ms or UNSET,
    )
    rejections = (used, game.rejections[1]) if mover == 1 else (game.rejections[0], used)
    result = forfeit(rules, mover, "illegal_turns") if left < 0 else None
    assert game.written_ms is not None, "a turn is written before it is answered"
    # the clock runs on, as if it had begun later by what the arena itself has taken
    game = replace(game, rejections=rejections, rejected_ms=spent, written_ms=game.written_ms + lag_ms)
    return game, fact, result


def interrupted(game: GameState) -> GameState:
    """The arena was gone: the turn is to be put again, and of its time only what is recorded is spent."""
    return replace(game, earlier_ms=max(game.earlier_ms, game.rejected_ms), written_ms=None)


def flag(rules: Game[Any], game: GameState, now_ms: int) -> tuple[GameState, FlagFell, Result]:
    """The bot to move has used all its time: it forfeits the game (B10.2)."""
    assert game.written_ms is not None, "a clock runs only on a turn that was written"
    fact = FlagFell(
        at_ms=now_ms,
        game=game.number,
        turn=game.turn,
        seat=game.mover,
        dice=game.dice or (),
        spent_ms=spent_ms(game, now_ms),
    )
    return game, fact, forfeit(rules, game.mover, "time")


def forfeit(rules: Game[Any], loser: Seat, cause: Cause) -> Result:
    """A forfeited game pays the most the ruleset can (B10.2)."""
    return Result(winner=other(loser), ending="forfeit", clause="B10.2", points=rules.points_forfeit, cause=cause)


def ended(game_number: int, turns: int, result: Result, score: Pair, now_ms: int) -> GameEnded:
    """The fact that a game is over, with the score of the match after it."""
    return GameEnded(
        at_ms=now_ms,
        game=game_number,
        turns=turns,
        winner=result.winner,
        ending=result.ending,
        clause=result.clause,
        monk=result.monk,
        rank=result.rank,
        points=result.points,
        cause=result.cause,
        score=score,
    )
