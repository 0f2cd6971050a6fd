"""A match at which the test throws the dice, sets up the board and gives every answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from arena.games import Game, ruleset_record
from arena.games.tables.notation import parse_moves
from arena.matches import match
from arena.matches.facts import Action, BotReady, Entrant, GameEnded, GameStarted, MatchOpened, Seat, Terms
from arena.matches.game import GameState
from arena.matches.state import MatchState, Step

A = TypeVar("A", bound=Action)


class Table:
    """Two bots at a table, both ready; `told` is all that the machine has said and asked for so far."""

    def __init__(self, game: Game, *, turn_limit: int = 1_000) -> None:
        terms = Terms(games=3, delay_ms=1_000, bank_ms=0, rejections=0, turn_limit=turn_limit, startup_ms=1_000)
        opened = MatchOpened(
            at_ms=0,
            match="r1-anna-v-bo",
            attempt=1,
            ruleset=ruleset_record(game),
            terms=terms,
            entrants=("anna", "bo"),
            dice_commitment="00",
        )
        self.game = game
        self.told: list[Action] = []
        self.state = self._take(match.open_match(opened))
        for seat, name in ((1, "anna"), (2, "bo")):
            ready = BotReady(at_ms=0, seat=seat, entrant=Entrant(name=name), entropy="")
            self.state = self._take(match.bot_ready(game, self.state, ready))

    def throw(self, first: int, second: int) -> None:
        """The throw for the start: seat 1's die and seat 2's."""
        number = self.state.started + 1
        self.state = self._take(match.thrown(self.game, self.state, number, (first, second), now_ms=0))

    def set_up(self, literal: str) -> None:
        """Put this position, seen by the side to move, on the board."""
        changed = replace(self.open_game, position=self.game.parse_position(literal))
        self.state = replace(self.state, games=(changed,))

    def turn(self, dice: tuple[int, ...], moves: str, *, at_ms: int = 0) -> None:
        """The side to move rolls and answers; more than a second late is too late."""
        number = self.open_game.number
        self.state = match.rolled(self.state, number, dice)
        self.state, _ = match.written(self.state, number, 0)
        listed = parse_moves(moves)
        self.state = self._take(match.answered(self.game, self.state, number, listed, now_ms=at_ms))

    def leave(self, seat: Seat) -> None:
        """A bot goes and nobody will bring it back."""
        self.state = self._take(match.bot_left(self.game, self.state, seat, "gone", grace_ms=0, now_ms=0))

    @property
    def open_game(self) -> GameState:
        """The game being played."""
        (game,) = self.state.games
        return game

    @property
    def ended(self) -> GameEnded:
        """How the last game ended."""
        return self.all_told(GameEnded)[-1]

    @property
    def started(self) -> GameStarted:
        """How the last game began."""
        return self.all_told(GameStarted)[-1]

    def all_told(self, kind: type[A]) -> list[A]:
        """Everything of one kind that the machine has told."""
        return [action for action in self.told if isinstance(action, kind)]

    def _take(self, step: Step) -> MatchState:
        actions: Sequence[Action] = step.actions
        self.told += actions
        return step.state
