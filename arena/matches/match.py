"""A match between two bots: who is at the table, which game comes next, what it ends in (M1, B2, T1).

```
            both ready            every game over
  opening ------------> playing --------------------> over
     |                   |   ^                          ^
     |         bot gone  v   | both at the table        |
     |      (between games) waiting -------------------+
     |  (or arena interrupted)                          |
     +--------------------------------------------------+  start-up deadline: forfeit, or void if both are gone
```

Every function takes a match and an event and gives a `Step`: the match after it, and what follows in order.
Facts are to be recorded; requests are to be fulfilled by calling the function named after them. Laws: a fact is
made once and never taken back, not even when the arena is interrupted (`resumed`); a bot that is gone loses by its
own clock or by its grace, whichever ends first; of all that has run out, what ran out first is judged first, however
late that is; a match both bots have left is void, not lost. Whoever hands in an event calls `time_passed` before it
until nothing is due any more that ran out before the event can have happened, so that what ran out first comes first
in whichever order it is heard of.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from arena.games import Game
from arena.games.interface import Turn
from arena.matches import course
from arena.matches import game as games
from arena.matches.facts import (
    Action,
    BotLeft,
    BotMissing,
    BotReady,
    BotReturned,
    DiceCalled,
    DrawAgreed,
    FlagFell,
    MatchOpened,
    MatchResumed,
    Pair,
    Seat,
    Throw,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.game import GameState, other
from arena.matches.state import SEATS, MatchState, Step, add, find_game, open_game_of, put, with_game
from arena.matches.verdicts import NoTurn


def open_match(opened: MatchOpened) -> Step:
    """A match before anybody has sat down; both bots have until the start-up deadline."""
    due = opened.at_ms + opened.terms.startup_ms
    return Step(MatchState(opened=opened, startup_due_ms=due), [opened])


# Events from the seats


def bot_ready(rules: Game[Any], state: MatchState, ready: BotReady) -> Step:
    """A bot is at its seat, for the first time or again after it was gone; only its first entropy counts."""
    seat, now_ms = ready.seat, ready.at_ms
    if state.phase == "over" or state.present[seat - 1]:
        return Step(state, [])
    actions: list[Action] = []
    if state.ready[seat - 1] is None:
        state = replace(state, ready=put(state.ready, seat, ready))
        actions.append(ready)
    else:
        actions.append(BotReturned(at_ms=now_ms, seat=seat, lag_ms=ready.lag_ms))
    state = replace(
        state,
        present=put(state.present, seat, True),
        hopeless=put(state.hopeless, seat, False),
        grace_due_ms=put(state.grace_due_ms, seat, None),
    )
    if state.phase == "playing":
        return Step(state, actions)
    if all(state.present):
        return course.both_seated(rules, state, actions, now_ms)
    return course.settle_absence(rules, state, actions, now_ms)


def bot_left(
    rules: Game[Any], state: MatchState, seat: Seat, reason: str, *, grace_ms: int, now_ms: int, lag_ms: int = 0
) -> Step:
    """The connection to a bot is lost. A grace of 0 says that nobody will bring it back before the next game."""
    lag = lag_ms or UNSET
    if state.phase == "over":
        return Step(state, [])
    if not state.present[seat - 1]:
        if grace_ms or state.phase == "playing":
            return Step(state, [])  # it is known to be away, and may still come
        state = replace(state, hopeless=put(state.hopeless, seat, True))
        missing: list[Action] = [BotMissing(at_ms=now_ms, seat=seat, reason=reason, lag_ms=lag)]
        return course.settle_absence(rules, state, missing, now_ms)
    state = replace(state, present=put(state.present, seat, False), hopeless=put(state.hopeless, seat, grace_ms == 0))
    actions: list[Action] = [BotLeft(at_ms=now_ms, seat=seat, reason=reason, grace_ms=grace_ms, lag_ms=lag)]
    state = replace(state, strikes=add(state.strikes, seat, 1))
    if state.phase != "playing":
        return course.settle_absence(rules, state, actions, now_ms)
    state = replace(state, grace_due_ms=put(state.grace_due_ms, seat, now_ms + grace_ms))
    if grace_ms == 0:
        return course.lose_open_games(rules, state, seat, actions, now_ms)
    return Step(state, actions)


def resumed(state: MatchState, now_ms: int) -> Step:
    """The arena was gone, and goes on with a match that is not over: both bots have to come to the table again.

    They have until the start-up deadline. Every throw or roll that was asked for must have been fulfilled before.
    """
    assert state.phase != "over", "a match that is over does not go on"
    assert state.games or state.phase != "playing", "the throw for the start comes first"
    state = replace(
        state,
        phase="opening" if state.phase == "opening" else "waiting",
        games=tuple(games.interrupted(game) for game in state.games),
        present=(False, False),
        hopeless=(False, False),
        startup_due_ms=now_ms + state.opened.terms.startup_ms,
        grace_due_ms=(None, None),
    )
    return Step(state, [MatchResumed(at_ms=now_ms)])


def called(rules: Game[Any], state: MatchState, number: int, dice: int, *, now_ms: int, lag_ms: int = 0) -> Step:
    """The bot to move in a game has called for so many dice before they are rolled (B11.3)."""
    game = open_game_of(state, number)
    game, fact, result = games.called(rules, state.opened.terms, game, dice, now_ms=now_ms, lag_ms=lag_ms)
    return _after_answer(rules, state, game, fact, result, now_ms)


def call_waived(rules: Game[Any], state: MatchState, number: int, *, now_ms: int) -> Step:
    """The bot to move does not want to be asked, and rolls the usual number of dice (B11.3): a call in no time.

    If it was asked before it came back as one that does not want to be, the time since then is its own.
    """
    state, _ = written(state, number, now_ms)
    dice = rules.dice_to_roll(open_game_of(state, number).position)
    return called(rules, state, number, dice, now_ms=now_ms)


def answered(
    rules: Game[Any],
    state: MatchState,
    number: int,
    moves: Turn | NoTurn,
    *,
    info: object = None,
    now_ms: int,
    lag_ms: int = 0,
    offers_draw: bool = False,
) -> Step:
    """The bot to move in a game has answered with a turn, and perhaps offers a draw with it (T9)."""
    game = open_game_of(state, number)
    game, fact, result = games.answered(
        rules, state.opened.terms, game, moves, info=info, now_ms=now_ms, lag_ms=lag_ms, offers_draw=offers_draw
    )
    return _after_answer(rules, state, game, fact, result, now_ms)


def draw_accepted(
    rules: Game[Any], state: MatchState, number: int, *, info: object = None, now_ms: int, lag_ms: int = 0
) -> Step:
    """The bot to move in a game accepts a draw in place of a turn (T9)."""
    game = open_game_of(state, number)
    game, fact, result = games.draw_accepted(rules, state.opened.terms, game, info=info, now_ms=now_ms, lag_ms=lag_ms)
    return _after_answer(rules, state, game, fact, result, now_ms)


def _after_answer(
    rules: Game[Any],
    state: MatchState,
    game: GameState,
    fact: DiceCalled | TurnPlayed | DrawAgreed | TurnRejected | FlagFell,
    result: games.Result | None,
    now_ms: int,
) -> Step:
    state = with_game(state, game)
    if result is not None:
        if result.cause is not None:
            state = replace(state, strikes=add(state.strikes, game.mover, 1))
        return course.game_over(rules, state, game, result, [fact], now_ms)
    if fact.__class__ is TurnPlayed:
        return course.turn_over(rules, state, game, [fact], now_ms)
    if isinstance(fact, DiceCalled):
        return course.dice_called(rules, state, game, fact, now_ms)
    return Step(state, [fact])


# Chance


def thrown(rules: Game[Any], state: MatchState, number: int, dice: Pair, *, now_ms: int) -> Step:
    """One throw for the start of a game: a die for each seat (B2.1, G2)."""
    assert number == state.started + 1, "a throw is asked for when a game begins"
    state = replace(state, throws=(*state.throws, dice))
    if dice[0] == dice[1]:
        return Step(state, [Throw(number)])
    lower: Seat = 1 if dice[0] < dice[1] else 2
    starter = lower if rules.opening == "lower_starts" else other(lower)
    played = None if rules.opening == "lower_starts" else dice
    return course.start_games(rules, state, starter, state.throws, played, now_ms)


def rolled(state: MatchState, number: int, dice: tuple[int, ...]) -> MatchState:
    """The side to move in a game has its dice; the turn is to be put to its bot."""
    return with_game(state, games.rolled(open_game_of(state, number), dice))


def rolled_and_written(
    state: MatchState, number: int, dice: tuple[int, ...], now_ms: int
) -> tuple[MatchState, GameState, int]:
    """`rolled` and `written` in one, for a turn that can be put to its bot at once; gives its game as well."""
    game = open_game_of(state, number)
    assert game.dice is None, "a turn is rolled once"
    game = replace(game, dice=dice, written_ms=now_ms)
    terms = state.opened.terms
    return with_game(state, game), game, now_ms - game.earlier_ms + terms.delay_ms + game.left_ms[game.mover - 1]


# Time


def written(state: MatchState, number: int, now_ms: int) -> tuple[MatchState, int]:
    """The turn or call of a game has been put to its bot, or would have been if the bot were there: its clock runs.

    Gives the last millisecond for the answer as well. A turn that is put again to a bot that returned keeps its clock.
    """
    game = open_game_of(state, number)
    if game.written_ms is None:
        game = games.written(game, now_ms)
        state = with_game(state, game)
    limit_ms = games.deadline(game, state.opened.terms)
    assert limit_ms is not None, "the turn has been written"
    return state, limit_ms


def written_late(state: MatchState, number: int, now_ms: int) -> MatchState:
    """A turn or call left only now, after all that the arena had to do first: its clock runs from now.

    Nothing changes if the game is over by now, or waits to be put to its bot.
    """
    game = find_game(state, number)
    if game is None or game.written_ms is None:
        return state
    return with_game(state, games.written(game, now_ms))


def left_now(state: MatchState, number: int, now_ms: int) -> Pair:
    """What is left of both banks in a game at this moment, the running clock reckoned to now."""
    game = open_game_of(state, number)
    used_ms = max(0, games.spent_ms(game, now_ms) - state.opened.terms.delay_ms)
    return add(game.left_ms, game.mover, -used_ms)


def due_ms(state: MatchState) -> int | None:
    """The first millisecond at which `time_passed` has something to say; None while nothing can run out."""
    if state.phase == "over":
        return None
    limits = [state.startup_due_ms, *state.grace_due_ms]
    limits += [games.deadline(game, state.opened.terms) for game in state.games]
    return min((limit + 1 for limit in limits if limit is not None), default=None)


def time_passed(rules: Game[Any], state: MatchState, now_ms: int) -> Step:
    """What has run out by now: a flag, a grace, the start-up deadline. Exactly on the millisecond is in time.

    Only the one that ran out first is judged, since over what ran out later an answer may still lie unread. Of those
    that ran out in the same millisecond a clock comes before a grace, and the lower game or seat before the higher.
    """
    due = due_ms(state)
    if due is None or now_ms < due:
        return Step(state, [])
    limit_ms = due - 1
    for game in state.games:
        if games.deadline(game, state.opened.terms) == limit_ms:
            return _flag(rules, state, game, now_ms)
    for seat in SEATS:
        if state.grace_due_ms[seat - 1] == limit_ms:
            return course.lose_open_games(rules, state, seat, [], now_ms)
    hopeless = (not state.present[0], not state.present[1])
    return course.settle_absence(rules, replace(state, hopeless=hopeless), [], now_ms)


def flag_fell(rules: Game[Any], state: MatchState, number: int, now_ms: int) -> Step:
    """The clock of this game has run out, as a record says it did; whether anything else had before is not asked."""
    game = open_game_of(state, number)
    limit_ms = games.deadline(game, state.opened.terms)
    assert limit_ms is not None, "its turn was not put"
    assert now_ms > limit_ms, "its clock had not run out"
    return _flag(rules, state, game, now_ms)


def _flag(rules: Game[Any], state: MatchState, game: GameState, now_ms: int) -> Step:
    game, fact, result = games.flag(rules, game, now_ms)
    state = replace(state, strikes=add(state.strikes, game.mover, 1))
    return course.game_over(rules, state, game, result, [fact], now_ms)


def void(state: MatchState, reason: str, now_ms: int) -> Step:
    """Stop a match for a reason that is no bot's fault; it is to be played again. A match that is over stands."""
    return Step(state, []) if state.phase == "over" else course.void_match(state, reason, [], now_ms)
