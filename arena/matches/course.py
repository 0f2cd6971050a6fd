"""What follows in a match: which game comes next and who starts it, what the end of one leads to, who is missed.

The functions here are the second half of an event in `match.py`: each is given the actions so far and gives the
`Step` that the event leads to.

In pairs two games are open at once, and they go on in step:

```
           the other half has come as far                  the other half has called as well
  to call? ---- no choice of dice ----------------> held ------------------------------------> roll
     |  a choice (B11.3): call, answered ----------->                                            |
     |                                                                                           v
     +<----- both have answered, or one is over <------ held <----- answered, or over -------- to play
```

Laws: no turn, no roll and no end of a game is made known before both halves have come as far; so the rolls of both
stand before the same step, with the same number of turns played. A half that is over is no longer waited for. Each
half has its own clocks, and none runs while it is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from arena.games import Game
from arena.matches import game as games
from arena.matches.facts import (
    Action,
    Ask,
    AskCall,
    Cause,
    DiceCalled,
    GameStarted,
    MatchEnded,
    MatchVoided,
    Pair,
    Roll,
    Seat,
    Throw,
)
from arena.matches.game import GameState, Held, other
from arena.matches.state import SEATS, MatchState, Step, add, put, with_game


def both_seated(rules: Game[Any], state: MatchState, actions: list[Action], now_ms: int) -> Step:
    """Both bots are at the table: open games go on where the arena was interrupted, or the next one begins."""
    if not state.games:
        return next_game(rules, state, actions, now_ms)
    asked = [(AskCall if game.calls else Ask)(game.number) for game in state.games if game.held is None]
    return Step(replace(state, phase="playing", startup_due_ms=None), [*actions, *asked])


def next_game(rules: Game[Any], state: MatchState, actions: list[Action], now_ms: int) -> Step:
    """Begin the next game, wait for a bot that is gone, or end the match when every game is over (M1)."""
    state = replace(state, startup_due_ms=None, grace_due_ms=(None, None))
    if state.started == state.opened.terms.games:
        state = replace(state, phase="over")
        return Step(state, [*actions, MatchEnded(at_ms=now_ms, score=state.score, strikes=state.strikes)])
    if not all(state.present):
        due = now_ms + state.opened.terms.startup_ms
        state = replace(state, phase="waiting", startup_due_ms=due, hopeless=(False, False))
        return Step(state, actions)
    state = replace(state, phase="playing")
    starter = _starter(rules, state)
    if starter is None:
        return Step(replace(state, throws=()), [*actions, Throw(state.started + 1)])
    step = start_games(rules, state, starter, (), None, now_ms)
    return Step(step.state, actions + step.actions)


def _starter(rules: Game[Any], state: MatchState) -> Seat | None:
    """Who starts the next game, or the first half of the next pair; None if that has to be thrown for."""
    if rules.opening == "alternate":
        return 2 if state.started % 2 else 1  # T1: seat 1 has Black in the first game, whoever wins it White
    if rules.opening == "higher_starts" or state.opened.terms.form == "pairs":
        return None  # G2: before every game; pairs have nothing to do with each other
    return state.starter  # B2.1, B2.2


def start_games(
    rules: Game[Any],
    state: MatchState,
    starter: Seat,
    throws: tuple[Pair, ...],
    dice: Pair | None,
    now_ms: int,
) -> Step:
    """The next game begins, or the next pair: in its second half everything is as in the first with the seats swapped.

    `throws` are those for the start, each (seat 1, seat 2); `dice` the first roll where the throw is played (G2).
    """
    starters: tuple[Seat, ...] = (starter,)
    if state.opened.terms.form == "pairs":
        starters = (starter, other(starter))
    actions: list[Action] = []
    for seat in starters:
        number = state.started + 1
        game = games.open_game(rules, state.opened.terms, number=number, starter=seat)
        opening = throws if seat == starter else tuple((two, one) for one, two in throws)
        actions.append(GameStarted(at_ms=now_ms, game=number, starter=seat, opening=opening))
        state = replace(state, games=(*state.games, game), started=number)
    if dice is None:
        return to_roll(rules, state, actions)
    state = replace(state, games=tuple(games.rolled(game, dice) for game in state.games))
    return Step(state, [*actions, *(Ask(game.number) for game in state.games)])


def turn_over(rules: Game[Any], state: MatchState, game: GameState, actions: list[Action], now_ms: int) -> Step:
    """A turn was played and the game goes on."""
    if len(state.games) > 1:
        return _hold(rules, state, game, Held(), actions, now_ms)
    return _to_roll_alone(rules, state, game, actions)


def dice_called(rules: Game[Any], state: MatchState, game: GameState, fact: DiceCalled, now_ms: int) -> Step:
    """The side to move has called for its dice (B11.3)."""
    if len(state.games) > 1:
        return _hold(rules, state, game, Held(dice=fact.dice), [fact], now_ms)
    return Step(state, [fact, Roll(game.number, fact.dice)])


def game_over(
    rules: Game[Any], state: MatchState, game: GameState, result: games.Result, actions: list[Action], now_ms: int
) -> Step:
    """A game is over by a turn, an agreement, a rejection too many or a flag."""
    if len(state.games) > 1:
        game = replace(game, written_ms=None, calls=())
        return _hold(rules, state, game, Held(result=result), actions, now_ms)
    return end_games(rules, state, [(game, result)], actions, now_ms)


def _hold(rules: Game[Any], state: MatchState, game: GameState, held: Held, actions: list[Action], now_ms: int) -> Step:
    """One half of a pair has come as far as it can alone; once the other has as well, both go on."""
    state = with_game(state, replace(game, held=held))
    halves = [(half, half.held) for half in state.games if half.held is not None]
    if len(halves) < len(state.games):
        return Step(state, actions)
    over = [(half, held.result) for half, held in halves if held.result is not None]
    if over:
        step = end_games(rules, state, over, actions, now_ms)
        state, actions = step.state, step.actions
    if len(over) == len(halves):
        return Step(state, actions)
    if any(held.dice is not None for _, held in halves):
        return _roll_together(state, actions)
    state = replace(state, games=tuple(replace(half, held=None) for half in state.games))
    return to_roll(rules, state, actions)


def to_roll(rules: Game[Any], state: MatchState, actions: list[Action]) -> Step:
    """The side to move wants its dice, first of all the choice of how many (B11.3); without dice it can play.

    Of a pair both halves stand here, and neither is rolled for before the other has called.
    """
    if len(state.games) == 1:
        return _to_roll_alone(rules, state, state.games[0], actions)
    for half in state.games:
        calls = rules.dice_to_call(half.position)
        if calls:
            state = with_game(state, replace(half, calls=calls))
            actions.append(AskCall(half.number))
        else:
            state = with_game(state, replace(half, held=Held(dice=rules.dice_to_roll(half.position))))
    return _roll_together(state, actions) if all(half.held for half in state.games) else Step(state, actions)


def _to_roll_alone(rules: Game[Any], state: MatchState, game: GameState, actions: list[Action]) -> Step:
    calls = rules.dice_to_call(game.position)
    if calls:
        return Step(with_game(state, replace(game, calls=calls)), [*actions, AskCall(game.number)])
    dice = rules.dice_to_roll(game.position)
    if dice:
        actions.append(Roll(game.number, dice))
        return Step(state, actions)
    return Step(with_game(state, games.rolled(game, ())), [*actions, Ask(game.number)])


def _roll_together(state: MatchState, actions: list[Action]) -> Step:
    """Every open game is held before its roll, and none is rolled without the others."""
    for half in state.games:
        assert half.held is not None, "it stands before its roll"
        ready = replace(half, held=None)
        if half.held.dice:
            state = with_game(state, ready)
            actions.append(Roll(half.number, half.held.dice))
        else:
            state = with_game(state, games.rolled(ready, ()))
            actions.append(Ask(half.number))
    return Step(state, actions)


def end_games(
    rules: Game[Any],
    state: MatchState,
    over: Sequence[tuple[GameState, games.Result]],
    actions: list[Action],
    now_ms: int,
) -> Step:
    """Count games that are over, and go on when none is open any more."""
    step = _count(state, over, actions, now_ms)
    return step if step.state.games else next_game(rules, step.state, step.actions, now_ms)


def _count(
    state: MatchState, over: Sequence[tuple[GameState, games.Result]], actions: list[Action], now_ms: int
) -> Step:
    """Count games that are over. The loser starts the next one, after a draw who did not start this one (B2.2)."""
    score, starter = state.score, state.starter
    for game, result in over:
        if result.winner is not None:
            score = add(score, result.winner, result.points)
        starter = other(game.starter if result.winner is None else result.winner)
        actions.append(games.ended(game.number, game.turn - 1, result, score, now_ms))
    gone = [game.number for game, _ in over]
    left = tuple(game for game in state.games if game.number not in gone)
    return Step(replace(state, games=left, score=score, starter=starter), actions)


def lose_open_games(rules: Game[Any], state: MatchState, seat: Seat, actions: list[Action], now_ms: int) -> Step:
    """A bot that left has not come back: it forfeits its open games, or nobody wins if the other is gone as well."""
    if not any(state.present):
        return void_match(state, "both bots are gone", actions, now_ms)
    state = replace(state, grace_due_ms=put(state.grace_due_ms, seat, None))
    return end_games(rules, state, _forfeited(rules, state, seat, "disconnect"), actions, now_ms)


def _forfeited(rules: Game[Any], state: MatchState, seat: Seat, cause: Cause) -> list[tuple[GameState, games.Result]]:
    """The ends of all open games, forfeited by a seat; a half that is decided already ends as it was decided."""
    lost = games.forfeit(rules, seat, cause)
    return [(game, (game.held and game.held.result) or lost) for game in state.games]


def settle_absence(rules: Game[Any], state: MatchState, actions: list[Action], now_ms: int) -> Step:
    """While no clock runs: once every absent bot is known to stay away, it forfeits all games that are left."""
    if any(not here and not gone for here, gone in zip(state.present, state.hopeless, strict=True)):
        return Step(state, actions)
    absent = [seat for seat in SEATS if not state.present[seat - 1]]
    if len(absent) == 2:
        return void_match(state, "neither bot was at the table", actions, now_ms)
    cause: Cause = "no_show"
    state = replace(state, strikes=add(state.strikes, absent[0], 1))
    step = _count(state, _forfeited(rules, state, absent[0], cause), actions, now_ms)
    state, actions = step.state, step.actions
    for number in range(state.started + 1, state.opened.terms.games + 1):
        result = games.forfeit(rules, absent[0], cause)
        score = add(state.score, other(absent[0]), result.points)
        state = replace(state, score=score, started=number)
        actions.append(games.ended(number, 0, result, score, now_ms))
    return next_game(rules, state, actions, now_ms)


def void_match(state: MatchState, reason: str, actions: list[Action], now_ms: int) -> Step:
    """The match counts for neither side."""
    state = replace(state, phase="over", games=(), startup_due_ms=None, grace_due_ms=(None, None))
    return Step(state, [*actions, MatchVoided(at_ms=now_ms, reason=reason, strikes=state.strikes)])
