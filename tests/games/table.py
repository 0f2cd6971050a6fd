"""A match at which the test throws the dice, sets up the board and gives every answer."""

from typing import TypeVar

from msgspec.structs import replace

from arena.games import Game, ruleset_record
from arena.games.result import Seat
from arena.games.tables.notation import parse_moves
from arena.matches.events import BotArrived, BotLost, Event, QuestionWritten, TurnAnswered
from arena.matches.facts import Entrant, Fact, GameEnded, GameStarted, MatchOpened, Pair, Terms
from arena.matches.match import advance, open_match
from arena.matches.state import GameState
from arena.words import Said

F = TypeVar("F", bound=Fact)


class Table:
    """Two bots at a table, both ready; `told` is all that the machine has said so far.

    It is its own dealer: `throws` come up at the start of games, and a turn has the dice the test gives it.
    """

    def __init__(self, game: Game, *throws: Pair, turn_limit: int = 1_000) -> None:
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
        self.told: list[Fact] = []
        self._throws = list(throws)
        self.match = open_match(game, opened, lambda _first, _second: self)
        self.asked: list[int] = []
        """The games in which the last event asked for a turn."""
        for seat, name in ((1, "anna"), (2, "bo")):
            self._happens(BotArrived(at_ms=0, seat=seat, entrant=Entrant(name=name), commitment=None))

    def throw(self, game: int, number: int) -> Pair | None:
        """The next throw that the test has given; unknown when there is none."""
        return self._throws.pop(0) if self._throws else None

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...] | None:
        """Unknown until the test says what comes up."""
        return None

    def set_up(self, literal: str) -> None:
        """Put this position, seen by the side to move, on the board."""
        changed = replace(self.open_game, position=self.game.parse_position(literal))
        self.match = replace(self.match, games=(changed,))

    def turn(self, dice: tuple[int, ...], moves: str, *, at_ms: int = 0) -> None:
        """The side to move rolls and answers; more than a second late is too late."""
        if self.open_game.dice is None:
            self.match = replace(self.match, games=(replace(self.open_game, dice=dice),))
        number = self.open_game.number
        self._happens(QuestionWritten(at_ms=0, game=number))
        self._happens(TurnAnswered(at_ms=at_ms, game=number, moves=parse_moves(moves)))

    def leave(self, seat: Seat) -> None:
        """A bot goes and nobody will bring it back."""
        self._happens(BotLost(at_ms=0, seat=seat, reason=Said("lost.hung_up"), grace_ms=0))

    @property
    def open_game(self) -> GameState:
        """The game being played."""
        (game,) = self.match.games
        return game

    @property
    def ended(self) -> GameEnded:
        """How the last game ended."""
        return self.all_told(GameEnded)[-1]

    @property
    def started(self) -> GameStarted:
        """How the last game began."""
        return self.all_told(GameStarted)[-1]

    def all_told(self, kind: type[F]) -> list[F]:
        """Everything of one kind that the machine has told."""
        return [fact for fact in self.told if isinstance(fact, kind)]

    def _happens(self, event: Event) -> None:
        step = advance(self.match, event)
        self.told += step.facts
        self.match, self.asked = step.match, list(step.questions)
