"""A match played elsewhere, as the record of a match: the same machine judges its turns.

Dice and turns are those of the file, the clocks stand still, and there is no doubling cube. A game
that does not end over the board, because a side resigned or refused the cube, is one that its loser
has left. The record ends at what cannot be followed, and a note says where.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from arena.games import GameError, load_game, ruleset_record
from arena.games.result import Seat
from arena.matches import events
from arena.matches.facts import Dice, Entrant, MatchFact, MatchOpened, Pair, Terms, TurnRejected
from arena.matches.match import advance, open_match, written
from arena.matches.state import SEATS, Dealer, other
from arena.matches.time_control import TimeControl
from arena.records.lines import encode_line
from arena.tournaments.names import DISPLAY_NAME_CHARS, entrant_problems, plain_id
from arena.words import Said

RULESET: Final = "foreign-backgammon"
"""Backgammon in which a game that was given up pays one point, however much it did elsewhere."""
NO_LIMIT: Final = 1_000_000
FORGIVEN: Final = 1000
"""Illegal turns forgiven: such a turn is on record, but the file says who has won."""
UNKNOWN_ROLL: Final = (1, 2)
"""The first roll of a game that was given up before its first turn: no file has it."""
NO_COMMITMENT: Final = "0" * 64
"""In place of the SHA-256 of a seed: nothing proves the dice of a file."""


class ForeignTurn(msgspec.Struct, frozen=True):
    """A turn as the file has it."""

    seat: Seat
    dice: Dice
    moves: str
    """As text, in the mover's numbers from 24 down; empty for a pass."""
    line: int = 0
    """Its line in the file; 0 if the file has no lines."""


class ForeignGame(msgspec.Struct, frozen=True):
    """A game as the file has it."""

    turns: Sequence[ForeignTurn]
    doubles: int = 0
    """How often the cube was offered."""
    winner: Seat | None = None
    """None if the file does not say."""
    points: int = 0


class ForeignMatch(msgspec.Struct, frozen=True):
    """A match as the file has it."""

    names: tuple[str, str]
    games: Sequence[ForeignGame]
    gammons: bool = True
    """False under the Jacoby rule: without the cube no gammon counts."""
    date: str = ""
    """Such as 2026.11.26."""
    turn_limit: int = NO_LIMIT
    """B10.3: turns after which a game was drawn, if one was."""


class ForeignRecord(msgspec.Struct, frozen=True):
    """The record that was made of a file."""

    match: str
    lines: bytes
    notes: Sequence[Said]


class _Dice:
    """A dealer with the dice of a file."""

    def __init__(self, games: Sequence[ForeignGame]) -> None:
        self._games = games

    def deal(self, _first: str, _second: str) -> Dealer:
        """Return itself: the dice do not depend on the entropies."""
        return self

    def throw(self, game: int, number: int) -> Pair | None:
        """Return the first roll of a game as the throw for its start (G2).

        None if the throw cannot have been the last one.
        """
        if number:
            return None
        starter: Seat = 1
        low, high = UNKNOWN_ROLL
        turns = self._games[game - 1].turns
        if turns:
            starter = turns[0].seat
            low, high = sorted(turns[0].dice)
        if low == high:
            return None
        return (high, low) if starter == 1 else (low, high)

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...] | None:  # noqa: ARG002 - a Dealer
        """Return the roll of a turn; None after the last one."""
        turns = self._games[game - 1].turns
        if turn > len(turns):
            return None
        return tuple(turns[turn - 1].dice)


class _Recorder:
    """Plays a match of a file on the machine, and keeps the lines of its record."""

    def __init__(self, match: ForeignMatch, ruleset: dict[str, object], at_ms: int) -> None:
        self.rules = load_game(ruleset)
        self.notes: list[Said] = []
        self.given_up: set[int] = set()
        """What the games that were given up paid in the file."""
        self._foreign = match
        self._at_ms = at_ms
        names = _shown(match.names[0], 1), _shown(match.names[1], 2)
        first, second = _ids(names)
        opened = MatchOpened(
            at_ms=at_ms,
            match=f"r1-{first}-v-{second}",
            attempt=1,
            ruleset=ruleset_record(self.rules),
            terms=Terms(
                games=len(match.games),
                clock=TimeControl(delay_ms=0, bank_ms=0),
                rejections=FORGIVEN,
                turn_limit=match.turn_limit,
                startup_ms=1,
            ),
            entrants=(first, second),
            names=names,
            dice_commitment=NO_COMMITMENT,
        )
        self.id = opened.match
        self.lines = [encode_line(opened)]
        self._entrants = opened.entrants
        self._match = open_match(self.rules, opened, _Dice(match.games).deal)

    def play(self) -> None:
        """Play all games, as far as they can be followed."""
        for seat in SEATS:
            self._sit(seat)
        for number, game in enumerate(self._foreign.games, 1):
            if self._match.find(number) is None:
                self.notes.append(Said("foreign.no_start", {"game": number}))
                return
            if not game.turns:
                self.notes.append(Said("foreign.no_turns", {"game": number}))
            for turn in game.turns:
                if not self._plays(number, turn):
                    break
            if self._match.find(number) is None:
                continue
            if game.winner is None:
                if number < len(self._foreign.games):
                    self.notes.append(Said("foreign.no_result", {"game": number}))
                return
            self.given_up.add(game.points)
            self._leave(other(game.winner))

    def _take(self, event: events.Event) -> Sequence[MatchFact]:
        """Put an event to the machine, and keep what follows; return its facts."""
        step = advance(self._match, event)
        self._match = step.match
        self.lines += map(encode_line, step.facts)
        return step.facts

    def _sit(self, seat: Seat) -> None:
        entrant = Entrant(name=self._entrants[seat - 1])
        arrived = events.BotArrived(at_ms=self._at_ms, seat=seat, entrant=entrant, commitment=None)
        self._take(arrived)

    def _leave(self, seat: Seat) -> None:
        """Let a side give its game up; it comes back for the next one."""
        reason = Said("foreign.given_up")
        lost = events.BotLost(
            at_ms=self._at_ms, seat=seat, reason=reason, grace_ms=0, is_blameless=True
        )
        self._take(lost)
        self._sit(seat)

    def _plays(self, number: int, turn: ForeignTurn) -> bool:
        """Play a turn; return whether the game can be followed further."""
        game = self._match.find(number)
        if game is None:
            self._note_on(number, turn, Said("foreign.game_over"))
            return False
        if game.mover != turn.seat:
            self._note_on(number, turn, Said("foreign.other_turn"))
            return False
        self._match, _ = written(self._match, number, self._at_ms)
        moves: object = []
        problem: Said | None = None
        if turn.moves:
            try:
                moves = self.rules.parse_turn(turn.moves, game.position, game.dice)
            except GameError as error:
                moves, problem = turn.moves, error.said
        answered = events.TurnAnswered(at_ms=self._at_ms, game=number, moves=moves)  # type: ignore[arg-type]  # the judge refuses text
        fact, *_ = self._take(answered)
        if isinstance(fact, TurnRejected):
            self._note_on(number, turn, problem or fact.said)
            return False
        return True

    def _note_on(self, number: int, turn: ForeignTurn, problem: Said) -> None:
        """Note where a game cannot be followed, and why."""
        place = Said("foreign.game", {"game": number})
        if turn.line:
            place = Said("foreign.line", {"game": number, "line": turn.line})
        dice = "".join(map(str, turn.dice))
        values = {"place": place, "turn": f"{dice}: {turn.moves}", "problem": problem}
        self.notes.append(Said("foreign.broken_off", values))


def record_of(match: ForeignMatch, at_ms: int) -> ForeignRecord:
    """Return the record of a match that was played elsewhere at a time, with notes on it.

    Under the ruleset of the arena if a game that was given up pays there what it paid in the file;
    else under `RULESET`.
    """
    options: dict[str, object] = {"base": "backgammon", "name": "backgammon"}
    if match.gammons:
        options |= {"name": "backgammon+gammons", "gammons": True, "points_forfeit": 3}
    recorder = _Recorder(match, options, at_ms)
    recorder.play()
    if not recorder.given_up <= {recorder.rules.points_forfeit}:
        options |= {"name": RULESET, "points_forfeit": 1}
        recorder = _Recorder(match, options, at_ms)
        recorder.play()
    doubles = sum(game.doubles for game in match.games)
    notes = recorder.notes
    if doubles:
        notes = [Said("foreign.cube", {"count": doubles}), *notes]
    return ForeignRecord(recorder.id, b"\n".join([*recorder.lines, b""]), notes)


def _shown(name: str, seat: Seat) -> str:
    """Return a name of a file as screens show it."""
    printable = "".join(filter(str.isprintable, name))
    return printable[:DISPLAY_NAME_CHARS].strip() or f"seat {seat}"


def _ids(names: Sequence[str]) -> tuple[str, str]:
    """Return the ids of the two sides, made of their names if these can be ids."""
    first, second = map(plain_id, names)
    if entrant_problems([first, second]):
        return "seat-1", "seat-2"
    return first, second
