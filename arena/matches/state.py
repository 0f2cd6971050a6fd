"""A match as a value: what its machine keeps between two events."""

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from arena.games import Game
from arena.games.result import Result, Seat
from arena.matches.facts import BotReady, MatchFact, MatchOpened, Measured, Pair, Terms, TurnPlayed

Phase = Literal["opening", "playing", "break", "waiting", "over"]

SEATS: tuple[Seat, Seat] = (1, 2)

MOST_LOSSES: Final = 100
"""A bot that loses its connection so often in a match is gone: it would fill the record by coming
and going."""


class Held(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A half of a pair that waits for the other half, and what is kept back until then."""

    dice: int | None = None
    """How many dice it wants, if it waits for the other half to call."""
    result: Result | None = None
    """How it ended, if it has."""


class GameState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A game that is being played."""

    number: int
    """Its number in the match, from 1."""
    starter: Seat
    mover: Seat
    """Whose turn it is."""
    position: Any
    """From the mover's view."""
    turn: int
    """The number of the turn to be played, from 1, both sides counted together."""
    left_ms: Pair
    """What is left of the banks."""
    dealt: int = 0
    """How many dice the game has had, throws for its start included."""
    spent_ms: Pair = (0, 0)
    """What each side's last turn took."""
    rejections: Pair = (0, 0)
    """Illegal turns so far."""
    dice: tuple[int, ...] | None = None
    """The roll to be played; None until it is rolled."""
    calls: tuple[int, ...] = ()
    """B11.3: the numbers of dice the mover may call for; empty where it has no choice, or has
    called."""
    earlier_ms: int = 0
    """What this turn took before its clock began: its call for dice, or what is known from before a
    resumption."""
    rejected_ms: int = 0
    """What this turn had taken at its last illegal answer."""
    written_ms: int | None = None
    """When the turn, or the call before it, was written to the bot; None until then."""
    due_ms: int | None = None
    """The last millisecond at which an answer is in time; None while no clock runs."""
    measured: Measured | None = None
    """What was last measured of the bot to move while the clock of this turn ran."""
    starved_ms: Pair = (0, 0)
    """What of the time for which the machine starved each bot in this game was judged already."""
    last: TurnPlayed | None = None
    """The turn before this one."""
    draw_offered: bool = False
    """T9: whether the opponent has offered a draw with its last turn."""
    held: Held | None = None
    """In pairs: set while it waits for the other half."""


class Setting(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Values that stay the same for the whole match."""

    rules: Game[Any]
    opened: MatchOpened
    terms: Terms
    """Those of `opened`, at hand."""
    deal: "Deal"


class MatchStanding(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The state of the match beside its open games. A turn does not change it."""

    phase: Phase = "opening"
    started: int = 0
    """The number of games that have started."""
    starter: Seat | None = None
    """Who starts the next game if that depends on the last one (B2.2); None before the first
    (B2.1)."""
    score: Pair = (0, 0)
    ready: tuple[BotReady | None, BotReady | None] = (None, None)
    """What each bot said when it sat down."""
    entropies: tuple[str | None, str | None] = (None, None)
    """What each bot adds to the dice; None until it has revealed it."""
    dealer: "Dealer | None" = None
    """Deals the dice; None until both bots have revealed their entropy."""
    present: tuple[bool, bool] = (False, False)
    hopeless: tuple[bool, bool] = (False, False)
    """Bots that are known not to come back before the next game."""
    breaks_ms: Pair = (0, 0)
    """How long a break between two games may last that each bot asked for when it last sat down; 0
    for none."""
    resting: tuple[bool, bool] = (False, False)
    """Bots at the table that have asked for this break and are not ready for the next game."""
    has_left: tuple[bool, bool] = (False, False)
    """Bots that have left in this break."""
    break_due_ms: int | None = None
    """The last millisecond of the break."""
    startup_due_ms: int | None = None
    """The last millisecond for absent bots to come: before the match, between games, or after a
    resumption."""
    grace_due_ms: tuple[int | None, int | None] = (None, None)
    """The last millisecond for a bot that left in mid-game to come back."""
    violations: Pair = (0, 0)
    losses: Pair = (0, 0)
    """How often each bot has lost its connection, by its own doing."""


class Match(msgspec.Struct, frozen=True, gc=False):
    """A match under one set of terms.

    Its open games lie beside its standing, so that a turn replaces no more.
    """

    setting: Setting
    standing: MatchStanding
    games: tuple[GameState, ...] = ()
    """The open games in the order of their numbers: one, or in pairs up to two."""

    @property
    def is_over(self) -> bool:
        """True once nothing can happen any more."""
        return self.standing.phase == "over"

    def find(self, number: int) -> GameState | None:
        """Return the game with this number if it is open."""
        for game in self.games:
            if game.number == number:
                return game
        return None

    def game(self, number: int) -> GameState:
        """Return the open game with this number."""
        game = self.find(number)
        assert game is not None, f"game {number} is not open"
        return game


class Step(msgspec.Struct, frozen=True, gc=False):
    """The result of an event."""

    match: Match
    facts: Sequence[MatchFact] = ()
    """To be recorded, in order."""
    questions: Sequence[int] = ()
    """Numbers of the games whose turn, or call for dice, is now to be put to the bot to move."""


def to_reveal(match: Match) -> list[Seat]:
    """Return the seats whose bots are to reveal their entropy.

    Both bots have committed to theirs, and these have not revealed it yet.
    """
    standing = match.standing
    if standing.phase != "opening" or None in standing.ready:
        return []
    return [seat for seat in SEATS if standing.entropies[seat - 1] is None]


def can_go_on(match: Match) -> bool:
    """True once the dice are settled: an arena that was gone goes on from here.

    Before, it does not. A program that is started again does not know what it committed to, and a
    person who has seen the entropy of one bot could choose that of the other. A match that had not
    started would also look like one whose record was cut back to its beginning.
    """
    return match.standing.dealer is not None


def called_back(match: Match) -> list[Seat]:
    """Return the seats whose bots are missing before the match can go on, and may still come."""
    standing = match.standing
    if standing.phase not in ("waiting", "break"):
        return []
    away = [seat for seat in SEATS if not standing.present[seat - 1]]
    return [seat for seat in away if not standing.hopeless[seat - 1]]


def due_ms(match: Match) -> int | None:
    """Return the first millisecond at which `TimePassed` leads to something.

    None while nothing can run out. It is asked after every event, so it compares in place: a list
    of the limits and its minimum take four times as long.
    """
    standing = match.standing
    first = standing.startup_due_ms
    limit = standing.break_due_ms
    if limit is not None and (first is None or limit < first):
        first = limit
    if standing.grace_due_ms != (None, None):
        for limit in standing.grace_due_ms:
            if limit is not None and (first is None or limit < first):
                first = limit
    for game in match.games:
        limit = game.due_ms
        if limit is not None and (first is None or limit < first):
            first = limit
    if first is None:
        return None
    return first + 1


def is_awaited_for_game(match: Match, seat: Seat, number: int) -> bool:
    """Return whether a bot rests before this game, and may say that it is ready."""
    standing = match.standing
    return standing.resting[seat - 1] and number == standing.started + 1


def key_of(match: Match, seat: Seat) -> str | None:
    """Return the public key by which the bot at a seat signs receipts, in hexadecimal.

    None if it signs none.
    """
    ready = match.standing.ready[seat - 1]
    if ready is None:
        return None
    return ready.entrant.public_key


def other(seat: Seat) -> Seat:
    """Return the seat across the table."""
    return 2 if seat == 1 else 1


def pair_of(number: int) -> int:
    """Return the number of the pair a game belongs to: games 1 and 2 are the halves of pair 1."""
    return (number + 1) // 2


def changed(match: Match, **fields: Any) -> Match:
    """Return the match with other fields of its standing."""
    return Match(match.setting, replace(match.standing, **fields), match.games)


def with_game(match: Match, game: GameState) -> Match:
    """Return the match with an open game in a new state."""
    if len(match.games) == 1:
        return Match(match.setting, match.standing, (game,))
    first, second = match.games
    if game.number == first.number:
        return Match(match.setting, match.standing, (game, second))
    return Match(match.setting, match.standing, (first, game))


def put(pair: Any, seat: Seat, part: object) -> Any:
    """Return a pair with the part of one seat replaced."""
    first, second = pair
    if seat == 1:
        return part, second
    return first, part


def add(pair: Pair, seat: Seat, amount: int) -> Pair:
    """Return a pair with an amount added for one seat."""
    first, second = pair
    if seat == 1:
        return first + amount, second
    return first, second + amount


class Dealer(Protocol):
    """Deals the dice of one match; the same arguments always give the same dice.

    None stands for dice that are not known (yet), as in the record of a match whose seed is still
    secret.
    """

    def throw(self, game: int, number: int) -> Pair | None:
        """Throw for the start of a game: a die for each seat (B2.1).

        `number` counts the throws from 0. In pairs `game` is the first half.
        """

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...] | None:
        """Roll 1 or 2 dice for a turn.

        `dealt` is how many dice the game has had before, throws included.
        """


Deal: TypeAlias = Callable[[str, str], Dealer]
"""Makes the dealer of a match from the entropies (hexadecimal) of the bots at seats 1 and 2."""
