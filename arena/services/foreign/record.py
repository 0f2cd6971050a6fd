"""A match played elsewhere, as the record of a match: the same machine judges its turns.

Dice and turns are those of the file, the clocks stand still, and there is no doubling cube. A game
that does not end over the board, because a side resigned or refused the cube, is one that its loser
has left. A game is followed up to a turn that cannot be played, and a note says where that is.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from arena.games import GameError, load_game, ruleset_record
from arena.games.result import Seat
from arena.matches import events
from arena.matches.facts import Entrant, MatchFact, MatchOpened, Pair, Terms, TurnRejected
from arena.matches.match import advance, open_match, written
from arena.matches.state import SEATS, Dealer, other
from arena.matches.time_control import TimeControl
from arena.records.lines import encode_line
from arena.tournaments.names import entrant_problems, plain_id
from arena.words import Said

RULESET: Final = "foreign-backgammon"
"""Backgammon in which a game that was given up pays one point, however much it did elsewhere."""
NO_LIMIT: Final = 1_000_000
FORGIVEN: Final = 1000
"""Illegal turns forgiven: such a turn is on record, but the file says who has won."""


class ForeignTurn(NamedTuple):
    """A turn as the file has it."""

    seat: Seat
    dice: Pair
    moves: str
    """In the mover's numbers from 24 down; empty for a pass."""


UNKNOWN: Final = ForeignTurn(1, (2, 1), "")
"""The first roll of a game that was given up before its first turn: no file has it."""


class ForeignGame(msgspec.Struct):
    """A game as the file has it."""

    turns: list[ForeignTurn] = []
    winner: Seat | None = None
    """None if the file does not say."""
    points: int = 0


class ForeignMatch(msgspec.Struct):
    """A match as the file has it."""

    names: tuple[str, str] = ("", "")
    games: list[ForeignGame] = []
    doubles: int = 0
    """The number of offers of the cube."""
    gammons: bool = True
    """False under the Jacoby rule: without the cube no gammon counts."""
    turn_limit: int = NO_LIMIT
    """B10.3: turns after which a game was drawn, if one was."""


class ForeignRecord:
    """The record that is made of a match: the machine plays it as far as it can be followed."""

    def __init__(self, match: ForeignMatch, ruleset: dict[str, Any]) -> None:
        """Play all games under a ruleset."""
        self.notes: list[Said] = []
        """Notes for the reader."""
        self.given_up: set[int] = set()
        """The points that games which were given up paid in the file."""
        self._games = match.games
        self._rules = load_game(ruleset)
        first, second = map(plain_id, match.names)
        if entrant_problems([first, second]):
            first, second = "seat-1", "seat-2"
        terms = Terms(
            games=len(match.games),
            clock=TimeControl(delay_ms=0, bank_ms=0),
            rejections=FORGIVEN,
            turn_limit=match.turn_limit,
            startup_ms=10_000,
        )
        opened = MatchOpened(
            at_ms=0,
            match=f"r1-{first}-v-{second}",
            attempt=1,
            ruleset=ruleset_record(self._rules),
            terms=terms,
            entrants=(first, second),
            names=match.names,
            dice_commitment="0" * 64,  # of no seed: nothing proves the dice of a file
        )
        self.opened = opened
        self.lines = [encode_line(opened)]
        self._match = open_match(self._rules, opened, self.deal)
        self._sit()
        for number, game in enumerate(match.games, 1):
            if self._match.find(number) is None:
                self.notes.append(Said("foreign.no_start", {"game": number}))
                return
            self._play(number, game)

    def deal(self, _first: str, _second: str) -> Dealer:
        """Return itself as the dealer: the dice are those of the file."""
        return self

    def throw(self, game: int, number: int) -> Pair | None:
        """Return the first roll of a game as the throw for its start; None if it cannot be (G2)."""
        [turn, *_] = self._games[game - 1].turns or [UNKNOWN]
        low, high = sorted(turn.dice)
        if number or low == high:
            return None
        if turn.seat == 1:
            return high, low
        return low, high

    def roll(
        self,
        game: int,
        turn: int,
        dealt: int,  # noqa: ARG002 - a Dealer
        dice: int,  # noqa: ARG002 - always two
    ) -> Pair | None:
        """Return the roll of a turn; None after the last one."""
        for played in self._games[game - 1].turns[turn - 1 : turn]:
            return played.dice
        return None

    def _take(self, event: events.Event) -> Sequence[MatchFact]:
        """Put an event to the machine, and keep the facts that follow."""
        step = advance(self._match, event)
        self._match = step.match
        self.lines += map(encode_line, step.facts)
        return step.facts

    def _sit(self) -> None:
        """Seat who is not at the table."""
        for seat in SEATS:
            entrant = Entrant(name=self.opened.entrants[seat - 1])
            self._take(events.BotArrived(at_ms=0, seat=seat, entrant=entrant, commitment=None))

    def _play(self, number: int, game: ForeignGame) -> None:
        """Play a game to its end, or until its loser gives it up."""
        if not game.turns:
            self.notes.append(Said("foreign.no_turns", {"game": number}))
        for place, turn in enumerate(game.turns, 1):
            problem = self._problem(number, turn)
            if problem is not None:
                text = "{}{}: {}".format(*turn.dice, turn.moves)
                values = {"game": number, "turn": place, "text": text, "problem": problem}
                self.notes.append(Said("foreign.broken_off", values))
                break
        if game.winner and self._match.find(number):
            self.given_up.add(game.points)
            gone = events.BotLost(
                at_ms=0,
                seat=other(game.winner),
                reason=Said("foreign.given_up"),
                grace_ms=0,
                is_blameless=True,
            )
            self._take(gone)
            self._sit()

    def _problem(self, number: int, turn: ForeignTurn) -> Said | None:
        """Play a turn; return why it cannot be played."""
        game = self._match.find(number)
        if game is None or game.mover != turn.seat:
            return Said("foreign.out_of_turn")
        self._match, _ = written(self._match, number, 0)
        try:
            moves = self._rules.parse_turn(turn.moves or "pass", game.position, game.dice)
        except GameError as error:
            return error.said
        [fact, *_] = self._take(events.TurnAnswered(at_ms=0, game=number, moves=moves))
        if isinstance(fact, TurnRejected):
            return fact.said
        return None


def record_of(match: ForeignMatch) -> ForeignRecord:
    """Return the record of a match.

    Its ruleset is the arena's if a game that was given up pays there what it paid in the file; else
    it is `RULESET`.
    """
    options = () if match.gammons else ("no_gammons",)
    ruleset = dict(load_game("backgammon", options).ruleset)
    record = ForeignRecord(match, ruleset)
    if record.given_up - {ruleset["points_forfeit"]}:
        record = ForeignRecord(match, ruleset | {"points_forfeit": 1, "name": RULESET})
    if match.doubles:
        record.notes.append(Said("foreign.cube", {"count": match.doubles}))
    return record
