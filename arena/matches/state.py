"""A match as a value: what its machine keeps between two events, and how one game or one seat of it is got at."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from arena.matches.facts import Action, BotReady, MatchOpened, Pair, Seat
from arena.matches.game import GameState

Phase = Literal["opening", "playing", "waiting", "over"]

SEATS: tuple[Seat, Seat] = (1, 2)


class MatchState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A match under one set of terms."""

    opened: MatchOpened
    phase: Phase = "opening"
    games: tuple[GameState, ...] = ()
    """The open games in the order of their numbers: one, or in pairs up to two."""
    started: int = 0
    """How many games have begun."""
    starter: Seat | None = None
    """Who starts the next game if that depends on the last one (B2.2); None before the first (B2.1)."""
    throws: tuple[Pair, ...] = ()
    """Throws for the start of the next game so far."""
    score: Pair = (0, 0)
    ready: tuple[BotReady | None, BotReady | None] = (None, None)
    """What each bot said when it first sat down."""
    present: tuple[bool, bool] = (False, False)
    hopeless: tuple[bool, bool] = (False, False)
    """Bots of which it is known that they will not come back before the next game."""
    startup_due_ms: int | None = None
    """The last millisecond for absent bots to be at the table: before the match, between games, or resumed."""
    grace_due_ms: tuple[int | None, int | None] = (None, None)
    """The last millisecond for a bot that left in mid-game to come back."""
    strikes: Pair = (0, 0)


class Step(msgspec.Struct, frozen=True, gc=False):
    """What an event leads to."""

    state: MatchState
    actions: list[Action]


def open_game_of(state: MatchState, number: int) -> GameState:
    """The open game with this number."""
    game = find_game(state, number)
    assert game is not None, f"game {number} is not open"
    return game


def find_game(state: MatchState, number: int) -> GameState | None:
    """The game with this number if it is open."""
    for game in state.games:
        if game.number == number:
            return game
    return None


def awaits_answer(state: MatchState, number: int) -> bool:
    """Whether the game with this number has put a turn or a call to a bot and waits for what it says."""
    game = find_game(state, number)
    return game is not None and game.written_ms is not None


def is_decided(state: MatchState, number: int) -> bool:
    """Whether an open game has ended and its end is only kept back: nothing of it is to be answered any more."""
    held = open_game_of(state, number).held
    return held is not None and held.result is not None


def called_back(state: MatchState) -> list[Seat]:
    """The seats whose bots are wanted before the match goes on, and may still come."""
    if state.phase != "waiting":
        return []
    return [seat for seat in SEATS if not state.present[seat - 1] and not state.hopeless[seat - 1]]


def pair_of(number: int) -> int:
    """The number of the pair a game belongs to, from 1: games 1 and 2 are the halves of pair 1."""
    return (number + 1) // 2


def with_game(state: MatchState, game: GameState) -> MatchState:
    """The match with an open game in a new state."""
    if len(state.games) == 1:
        return replace(state, games=(game,))
    return replace(state, games=tuple(game if one.number == game.number else one for one in state.games))


def put(pair: Any, seat: Seat, value: object) -> Any:
    """A pair with a seat's value replaced."""
    return (value, pair[1]) if seat == 1 else (pair[0], value)


def add(pair: Pair, seat: Seat, amount: int) -> Pair:
    """A pair with something added for a seat."""
    return (pair[0] + amount, pair[1]) if seat == 1 else (pair[0], pair[1] + amount)
