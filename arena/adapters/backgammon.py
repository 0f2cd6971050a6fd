"""Questions to engines of backgammon, and their answers.

Questions are boards of FIBS or position IDs of GNU Backgammon (`arena.games.position_ids`); answers
are moves in text.
"""

from typing import Final

from arena.adapters.child import AdapterError
from arena.games import GameError, load_game
from arena.games.position_ids.fibs import format_board
from arena.games.position_ids.written import to_written
from protocol.client import Bot, MatchStart, Moves, TurnView
from protocol.fields import Move

RULESETS: Final = ("backgammon", "backgammon+no_gammons")
VERSION_CHARS: Final = 64
"""The longest version that the arena takes."""
START_SECONDS: Final = 30.0
"""Time that an engine may take to load."""
_RULES: Final = load_game("backgammon")
"""Its options change the worth of a game, and no turn."""
_EXPECTED: Final = (
    "expected the moves of the turn, such as 24/18 18/13*, with 25 or bar for the bar and 0 or off"
)
_PATIENCE_SECONDS: Final = 10.0
"""Time that a turn may take beyond its clock, before the adapter gives up."""


def parse_turn(text: str, name: str, turn: TurnView | None = None) -> list[Move]:
    """Parse the moves of an answer, along the mover's own path.

    With the `turn` that was asked, return the legal turn that is meant: engines that look at
    positions alone bear a last checker off with one die where both can be used, or write 24/13 for
    24/18 18/13. The text is read as everywhere in the arena (`Game.parse_turn`). An empty answer is
    a pass. Raises `AdapterError`, which names the engine.
    """
    if not text.strip():
        return []
    position = None
    dice = None
    if turn is not None:
        position = _RULES.from_plain(turn.position)
        dice = tuple(turn.dice)
    try:
        moves = _RULES.parse_turn(text, position, dice)
    except GameError as error:
        raise AdapterError(f"{name} answered {text!r}: {error}; {_EXPECTED}") from error
    return list(map(list, moves))


class Engine(Bot):
    """A bot that plays the answers of an engine to boards of FIBS, without a cube.

    `name` is its name in messages. One with other questions overrides `best_turn`. It does not ask
    for a turn without moves.
    """

    receipts = None
    wants = ("legal",)
    gammons: bool = True
    """True if gammons count in the games that are played."""

    def ask(self, line: str, within_s: float) -> str:
        """Send a line and return its answer.

        Raises `AdapterError` if it is late, gone, or calls the line an error.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement ask(self, line, within_s)")

    def best_turn(self, turn: TurnView, within_s: float) -> str:
        """Return the moves to play, as `parse_turn` reads them.

        Raises `AdapterError` as `ask` does.
        """
        written = to_written(turn.position, tuple(turn.dice), gammons=self.gammons)
        return self.ask(format_board(written), within_s)

    def match_start(self, match: MatchStart) -> None:
        """Refuse games that the engine does not play.

        Raises `AdapterError`: the match is not one of backgammon.
        """
        name = match.ruleset["name"]
        if name not in RULESETS:
            playable = " and ".join(RULESETS)
            raise AdapterError(
                f"{self.name} plays {playable} only, not {name}; "
                "sample_bots/random plays everything"
            )
        self.gammons = bool(match.ruleset["fields"]["gammons"])

    def play(self, turn: TurnView) -> Moves:
        """Ask for a turn, and wait as long as the clock allows."""
        if not any(turn.legal):
            return Moves([])
        within_s = turn.limit_ms / 1000 + _PATIENCE_SECONDS
        answer = self.best_turn(turn, within_s)
        return Moves(parse_turn(answer, self.name, turn))
