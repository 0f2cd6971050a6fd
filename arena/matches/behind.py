"""The events behind recorded facts: what happened to a match, worked out from what was written of it.

The inverse of `advance`, as far as there is one. What bots did, and when, comes from the facts; all else is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import assert_never

from arena.matches.events import (
    ArenaResumed,
    BadChoice,
    BotArrived,
    BotLost,
    BotMeasured,
    CallAnswered,
    DrawAccepted,
    EntropyGiven,
    Event,
    MatchStopped,
    QuestionWritten,
    ReceiptAnswered,
    TimePassed,
    TurnAnswered,
)
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReady,
    BotReturned,
    ClockExtended,
    DiceCalled,
    DrawAgreed,
    EntropyRevealed,
    FactOfAnswer,
    FactOfSeat,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchEnded,
    MatchFact,
    MatchOpened,
    MatchResumed,
    MatchVoided,
    Measured,
    ReceiptDisputed,
    ReceiptSigned,
    TurnFact,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.game import deadline
from arena.matches.match import due_ms
from arena.matches.state import Match


def events_behind(now: Callable[[], Match], fact: MatchFact, asked_ms: Mapping[int, int]) -> Iterator[Event]:
    """Give the events that this fact is the first to tell of.

    `now` gives the match after the events so far, `asked_ms` when the turn or call of each game was asked for. Raises
    `AssertionError` if the fact cannot follow.
    """
    standing, at_ms = now().standing, fact.at_ms
    match fact:
        case BotReady():
            assert fact.entrant.name == now().setting.opened.entrants[fact.seat - 1], "another entrant sits here"
            yield BotArrived(
                at_ms=at_ms, seat=fact.seat, entrant=fact.entrant, commitment=fact.commitment, lag_ms=_lag(fact)
            )
        case EntropyRevealed():
            yield EntropyGiven(at_ms=at_ms, seat=fact.seat, entropy=fact.entropy, lag_ms=_lag(fact))
        case BotReturned():
            ready = standing.ready[fact.seat - 1]
            assert ready is not None, "a bot returns only after it was ready"
            yield BotArrived(at_ms=at_ms, seat=fact.seat, entrant=ready.entrant, commitment=None, lag_ms=_lag(fact))
        case BotLeft():
            yield BotLost(at_ms=at_ms, seat=fact.seat, reason=fact.reason, grace_ms=fact.grace_ms, lag_ms=_lag(fact))
        case BotMissing():
            yield BotLost(at_ms=at_ms, seat=fact.seat, reason=fact.reason, grace_ms=0, lag_ms=_lag(fact))
        case MatchResumed():
            yield ArenaResumed(at_ms=at_ms)
        case MatchVoided():
            yield MatchStopped(at_ms=at_ms, reason=fact.reason)
        case ReceiptSigned():
            yield ReceiptAnswered(at_ms=at_ms, seat=fact.seat, lines=fact.lines, signature=fact.signature)
        case ReceiptDisputed():
            said = fact.objection
            yield ReceiptAnswered(at_ms=at_ms, seat=fact.seat, lines=fact.lines, signature=None, objection=said)
        case GameEnded():  # by a grace or the start-up deadline; other ends follow from a turn
            yield _look(now, at_ms)
        case FlagFell():
            yield from _written(now, fact, asked_ms)
            if isinstance(fact.measured, Measured):
                yield BotMeasured(at_ms=at_ms, game=fact.game, measured=fact.measured)
            limit_ms = deadline(now().game(fact.game), now().setting.terms)
            assert at_ms > limit_ms, "its clock had not run out"
            yield _look(now, at_ms)
        case ClockExtended():
            yield from _written(now, fact, asked_ms)
            yield BotMeasured(at_ms=at_ms, game=fact.game, measured=fact.measured)
        case DiceCalled() | TurnPlayed() | DrawAgreed() | TurnRejected():
            yield from _written(now, fact, asked_ms)
            yield _answer(fact)
        case MatchOpened() | GameStarted() | MatchEnded():
            return  # always follow from another fact
        case _:
            assert_never(fact)


def _look(now: Callable[[], Match], at_ms: int) -> TimePassed:
    """The check of the clocks that judged whatever ran out first, and nothing that ran out later."""
    due = due_ms(now())
    return TimePassed(at_ms=at_ms, lag_ms=0 if due is None else max(0, at_ms - due))


def _written(now: Callable[[], Match], fact: TurnFact | ClockExtended, asked_ms: Mapping[int, int]) -> Iterator[Event]:
    """The writing of a turn, if this fact is the first to tell of it."""
    assert now().phase == "playing", "no turn is put before both bots are at the table"
    game = now().game(fact.game)
    if game.written_ms is None:
        assert fact.spent_ms >= game.earlier_ms, "what the record says of it before is longer"
        lag_ms = 0 if isinstance(fact, FlagFell | ClockExtended) else _lag(fact)
        written_ms = fact.at_ms - lag_ms - (fact.spent_ms - game.earlier_ms)
        asked = asked_ms.get(fact.game)
        assert asked is not None, "no turn of this game has been asked for"
        assert written_ms >= asked, f"{fact.spent_ms} ms ago it had not been asked for"
        yield QuestionWritten(at_ms=written_ms, game=fact.game)


def _lag(fact: FactOfSeat | FactOfAnswer) -> int:
    lag_ms = fact.lag_ms or 0
    assert lag_ms >= 0, "nothing is read before it came"
    return lag_ms


def _answer(fact: DiceCalled | TurnPlayed | DrawAgreed | TurnRejected) -> Event:
    """Return what a bot said in its turn."""
    at_ms, game, lag_ms = fact.at_ms, fact.game, _lag(fact)
    if isinstance(fact, DiceCalled):
        return CallAnswered(at_ms=at_ms, game=game, dice=fact.dice, lag_ms=lag_ms)
    if isinstance(fact, DrawAgreed):
        return DrawAccepted(at_ms=at_ms, game=game, info=fact.info, lag_ms=lag_ms)
    if isinstance(fact, TurnPlayed):
        offers = fact.draw_offered is True
        return TurnAnswered(at_ms=at_ms, game=game, moves=fact.moves, info=fact.info, offers_draw=offers, lag_ms=lag_ms)
    if isinstance(fact.call, int):
        return CallAnswered(at_ms=at_ms, game=game, dice=fact.call, lag_ms=lag_ms)
    if fact.draw == "accept":
        return DrawAccepted(at_ms=at_ms, game=game, lag_ms=lag_ms)
    offers = fact.draw == "offer"
    if isinstance(fact.choice, int):
        return BadChoice(at_ms=at_ms, game=game, choice=fact.choice, offers_draw=offers, lag_ms=lag_ms)
    return TurnAnswered(at_ms=at_ms, game=game, moves=fact.moves, offers_draw=offers, lag_ms=lag_ms)
