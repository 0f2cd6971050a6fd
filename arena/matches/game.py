"""One game at the table: whose turn it is, the dice, the clocks, rejections and the end.

```
            throws (first game)                 roll                written
  opened ---------------------> to roll ----------------> to play ----------> on the clock
                                   ^                         answered, legal       |  |
                                   +-----------------------------------------------+  |
                          answered, illegal: stays on the clock   <-------------------+
 an ending, an agreement, the turn limit, a rejection too many, a fallen flag, a lost bot ---> over

  with a choice of dice (B11.3), before to roll:
                      written                    called
           to call -------------> on the clock -----------> to roll
```

Every function takes a game and returns a new one with the fact that follows, and the result if the
game is over.

Laws:

- The clock of a turn starts when the turn is written and stops with a legal answer. An answer at
  the very millisecond of the deadline is in time.
- A rejected turn keeps its dice and its clock.
- An offer of a draw stands until the next legal turn.
- When the arena was interrupted, the turn is put again and its clock starts again; the time that
  the record knows of is already spent.
- A call runs on the clock of its turn: call and turn together have one delay and one bank.
- Time for which the machine starved the bot is not the bot's: the clock goes on as if it had
  started that much later. The machine asks for this measurement only when a flag is about to fall.
- Lag is the time an answer may have lain unread while the arena was busy. It is taken off, but
  never more than has passed since the writing.
"""

from typing import Any, Final, Literal

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arena.games import Game, Illegal
from arena.games.interface import Ending
from arena.games.result import Cause, Result, Seat
from arena.matches import verdicts
from arena.matches.events import (
    Answer,
    BadChoice,
    BotMeasured,
    CallAnswered,
    DrawAccepted,
    TurnAnswered,
)
from arena.matches.facts import (
    ClockExtended,
    DiceCalled,
    DrawAgreed,
    FlagFell,
    TurnFact,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.state import GameState, Setting, add, other
from arena.matches.time_control import TimeControl

STARVED_MS: Final = 10
"""What the machine must have starved a bot before its clock goes on; less is noise."""

Outcome = tuple[GameState, TurnFact, Result | None]
"""The game after an answer, the fact that follows, and the result if the game is over."""


def open_game(setting: Setting, *, number: int, starter: Seat, dealt: int) -> GameState:
    """Return a game before its first roll; `dealt` is how many dice were thrown for its start."""
    return GameState(
        number=number,
        starter=starter,
        mover=starter,
        position=setting.rules.start(),
        turn=1,
        left_ms=setting.terms.clock.full,
        dealt=dealt,
    )


def written(game: GameState, clock: TimeControl, now_ms: int) -> GameState:
    """Start the clock: the turn, or the call before it, was written to the bot."""
    assert game.dice is not None or game.calls, "a turn is rolled before it is written"
    assert game.held is None, "the half waits for the other"
    due_ms = now_ms - game.earlier_ms + clock.limit_ms(game.left_ms[game.mover - 1])
    return replace(game, written_ms=now_ms, due_ms=due_ms)


def spent_ms(game: GameState, now_ms: int) -> int:
    """Return the time the turn has taken until now, with the time from before its clock began."""
    if game.written_ms is None:
        return game.earlier_ms
    return game.earlier_ms + now_ms - game.written_ms


def answered(setting: Setting, game: GameState, event: Answer) -> Outcome:
    """Judge the answer of the bot to move to its turn or call."""
    terms, rules, mover = setting.terms, setting.rules, game.mover
    assert game.written_ms is not None, "a turn or call is written before it is answered"
    passed_ms = event.at_ms - game.written_ms
    lag_ms = min(passed_ms, event.lag_ms)
    spent = game.earlier_ms + passed_ms - lag_ms
    bank_ms = terms.clock.after_turn(game.left_ms[mover - 1], spent)
    if bank_ms is None:
        return flag(rules, game, event.at_ms)
    if not isinstance(event, TurnAnswered):
        return _answered_otherwise(setting, game, event, spent, bank_ms, lag_ms)
    dice, moves = game.dice, event.moves
    assert dice is not None, "a turn is rolled, or its dice called for, before it is answered"
    refused: Illegal | None = None
    if event.offers_draw:
        refused = verdicts.on_offer(rules, game.position, dice)
    verdict = refused or rules.judge(game.position, dice, moves)
    if isinstance(verdict, Illegal):
        kept, judged = verdicts.on_long(rules, game.position, dice, moves, verdict)
        if refused is not None:
            judged = refused
        draw = _draw_of(event)
        return _rejected(setting, game, event, kept, judged, spent, lag_ms, draw=draw)
    fact = TurnPlayed(
        at_ms=event.at_ms,
        game=game.number,
        turn=game.turn,
        seat=mover,
        dice=dice,
        moves=moves,
        spent_ms=spent,
        left_ms=bank_ms,
        info=event.info,
        draw_offered=event.offers_draw or UNSET,
        lag_ms=lag_ms or UNSET,
    )
    after = _next_turn(game, rules.flip(verdict.position), fact)
    if verdict.ending is not None:
        return after, fact, _won_or_drawn(verdict.ending, mover)
    if game.turn >= terms.turn_limit:
        return after, fact, Result(winner=None, ending="turn_limit", clause="B10.3", points=0)
    return after, fact, None


def _draw_of(event: TurnAnswered | BadChoice) -> Literal["offer"] | UnsetType:
    """Return what a rejected answer says of a draw."""
    return "offer" if event.offers_draw else UNSET


def _next_turn(game: GameState, position: Any, played: TurnPlayed) -> GameState:
    """Return the game with the other side to move from this position, after a turn."""
    mover: Seat
    if game.mover == 1:
        mover = 2
        left_ms = (played.left_ms, game.left_ms[1])
        spent_ms = (played.spent_ms, game.spent_ms[1])
    else:
        mover = 1
        left_ms = (game.left_ms[0], played.left_ms)
        spent_ms = (game.spent_ms[0], played.spent_ms)
    return GameState(
        number=game.number,
        starter=game.starter,
        mover=mover,
        position=position,
        turn=game.turn + 1,
        left_ms=left_ms,
        dealt=game.dealt,
        spent_ms=spent_ms,
        rejections=game.rejections,
        starved_ms=game.starved_ms,
        last=played,
        draw_offered=played.draw_offered is True,
    )


def _won_or_drawn(ending: Ending, mover: Seat) -> Result:
    """Return the result of a game that the mover has ended over the board."""
    return Result(
        winner=None if ending.is_drawn else mover,
        ending=ending.name,
        clause=ending.clause,
        points=ending.points,
        monk=ending.monk,
        rank=ending.rank,
    )


def _answered_otherwise(
    setting: Setting,
    game: GameState,
    event: CallAnswered | DrawAccepted | BadChoice,
    spent: int,
    bank_ms: int,
    lag_ms: int,
) -> Outcome:
    """Judge an answer that was in time, but has no moves."""
    rules, position, dice = setting.rules, game.position, game.dice
    fields = {**_turn(game, event.at_ms), "spent_ms": spent, "lag_ms": lag_ms or UNSET}
    if isinstance(event, CallAnswered):
        assert game.calls, "there is no choice of dice here"
        rejected = verdicts.on_call(game.calls, event.dice)
        if rejected:
            return _rejected(setting, game, event, None, rejected, spent, lag_ms, call=event.dice)
        called = replace(
            game, calls=(), earlier_ms=spent, written_ms=None, due_ms=None, measured=None
        )
        return called, DiceCalled(**fields, dice=event.dice), None
    assert dice is not None, "a turn is rolled, or its dice called for, before it is answered"
    if isinstance(event, DrawAccepted):
        rejected = verdicts.on_acceptance(rules, position, dice, is_offered=game.draw_offered)
        if rejected:
            return _rejected(setting, game, event, None, rejected, spent, lag_ms, draw="accept")
        assert rules.agreement is not None, "the verdict says that draws are agreed"
        agreed = Result(winner=None, ending="agreement", clause=rules.agreement, points=0)
        return game, DrawAgreed(**fields, left_ms=bank_ms, info=event.info), agreed
    refused = None
    if event.offers_draw:
        refused = verdicts.on_offer(rules, position, dice)
    if refused is None:
        refused = verdicts.on_choice(rules, position, dice, event.choice)
    draw = _draw_of(event)
    return _rejected(
        setting, game, event, None, refused, spent, lag_ms, draw=draw, choice=event.choice
    )


def _turn(game: GameState, at_ms: int) -> dict[str, Any]:
    """Return the fields that every fact of a turn has.

    `TurnPlayed` names them itself: it is made most often.
    """
    return {"at_ms": at_ms, "game": game.number, "turn": game.turn, "seat": game.mover}


def _rejected(
    setting: Setting,
    game: GameState,
    event: Answer,
    moves: Any,
    verdict: Illegal,
    spent: int,
    lag_ms: int,
    **answer: Any,
) -> Outcome:
    """Reject an answer.

    `answer` are the fields of the fact that tell how the bot answered, if not with moves alone.
    """
    rejections = add(game.rejections, game.mover, 1)
    forgiven = setting.terms.rejections - rejections[game.mover - 1]
    fact = TurnRejected(
        **_turn(game, event.at_ms),
        dice=game.dice or (),
        moves=moves,
        spent_ms=spent,
        code=verdict.code,
        clause=verdict.clause,
        values=verdict.values,
        legal_turns=verdict.legal_turns,
        left=forgiven,
        lag_ms=lag_ms or UNSET,
        **answer,
    )
    ending = None
    if forgiven < 0:
        ending = forfeit(setting.rules, game.mover, "illegal_turns")
    assert game.written_ms is not None, "a turn is written before it is answered"
    assert game.due_ms is not None, "and its clock runs from then on"
    # the clock runs on; the arena's own delay is taken off by moving its start
    written_ms, due_ms = game.written_ms + lag_ms, game.due_ms + lag_ms
    game = replace(
        game, rejections=rejections, rejected_ms=spent, written_ms=written_ms, due_ms=due_ms
    )
    return game, fact, ending


def interrupted(game: GameState) -> GameState:
    """Return the game after the arena was gone: its turn is to be put again.

    Of the time of the turn only what is recorded is spent.
    """
    earlier_ms = max(game.earlier_ms, game.rejected_ms)
    return replace(
        game, earlier_ms=earlier_ms, written_ms=None, due_ms=None, measured=None, starved_ms=(0, 0)
    )


def measured(
    game: GameState, clock: TimeControl, event: BotMeasured
) -> tuple[GameState, ClockExtended | None]:
    """Give back, once, the time for which the machine has starved the bot in this game.

    Else its flag is to fall. First this turn gets back what it has taken, then the bank what it has
    lost.
    """
    assert game.written_ms is not None, "a clock runs only on a turn that was written"
    assert game.due_ms is not None, "and then it runs"
    assert event.at_ms > game.due_ms, "its clock had not run out"
    mover = game.mover
    passed_ms = event.at_ms - game.written_ms
    starved_ms = event.measured.starved_ms - game.starved_ms[mover - 1]
    lost_ms = max(0, clock.full[mover - 1] - game.left_ms[mover - 1])
    extended_ms = min(starved_ms, passed_ms + lost_ms)
    if extended_ms < STARVED_MS:
        return replace(game, measured=event.measured), None
    fact = ClockExtended(
        **_turn(game, event.at_ms),
        spent_ms=spent_ms(game, event.at_ms),
        extended_ms=extended_ms,
        measured=event.measured,
    )
    turn_ms = min(extended_ms, passed_ms)
    extended = replace(
        game,
        measured=event.measured,
        starved_ms=add(game.starved_ms, mover, starved_ms),
        written_ms=game.written_ms + turn_ms,
        due_ms=game.due_ms + extended_ms,
        left_ms=add(game.left_ms, mover, extended_ms - turn_ms),
    )
    return extended, fact


def flag(rules: Game[Any], game: GameState, now_ms: int) -> tuple[GameState, FlagFell, Result]:
    """Let the bot to move forfeit the game, as it has used all its time (B10.2)."""
    assert game.written_ms is not None, "a clock runs only on a turn that was written"
    fact = FlagFell(
        **_turn(game, now_ms),
        dice=game.dice or (),
        spent_ms=spent_ms(game, now_ms),
        measured=game.measured or UNSET,
    )
    return game, fact, forfeit(rules, game.mover, "time")


def forfeit(rules: Game[Any], loser: Seat, cause: Cause) -> Result:
    """Return the result of a forfeited game: it pays the most the ruleset can (B10.2)."""
    return Result(
        winner=other(loser),
        ending="forfeit",
        clause="B10.2",
        points=rules.points_forfeit,
        cause=cause,
    )
