"""Facts of a match, one frozen value each: what the machine says, what the record keeps.

A line of a match record is one of these facts as JSON, its tag under `event`. A name or a field is
never reused or retyped; `v` is the version of the record format. `at_ms` is whole milliseconds
since 1970-01-01 UTC on the arena's clock, which never runs backwards within one process. Seats are
1 and 2; pairs are (seat 1, seat 2).

These are structs rather than dataclasses because several are made every turn: building one costs
0.1 us instead of 1 us (CPython 3.11). Those that a turn makes are `gc=False`: being frozen they
cannot come to hold themselves, and 64 games at once would have the collector look at thousands of
them.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from arena.games.interface import Verdict
from arena.games.result import Result, Seat
from arena.matches.time_control import TimeControl
from arena.words import Said

Pair: TypeAlias = tuple[int, int]
Dice: TypeAlias = Annotated[
    Sequence[Annotated[int, msgspec.Meta(ge=1, le=6)]], msgspec.Meta(max_length=2)
]
"""One roll, or one throw for the start."""
Digest: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
"""32 bytes in hexadecimal."""
Entropy: TypeAlias = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{2}){0,32}$")]
"""0-32 bytes in hexadecimal."""

BreakTime: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
"""Whole milliseconds of a break between two games."""

Signature: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{128}$")]
"""An Ed25519 signature in hexadecimal."""

RECORD_VERSION: Final = 1


class Fact(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", gc=False):
    """Something that happened, and when."""

    v: Literal[1] = RECORD_VERSION
    at_ms: int


Form = Literal["series", "pairs"]
"""How the games of a match are played: one after the other (M1), or two and two in step with the
same dice."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """Terms that the two entrants of a match agreed to."""

    form: Form = "series"
    games: int
    """How many games the match has; all are played (M1). In pairs an even number."""
    clock: TimeControl
    rejections: int
    """Illegal turns forgiven per game and bot; the next one forfeits the game. 0 is strict."""
    turn_limit: int
    """B10.3: turns of both sides after which a game is drawn."""
    startup_ms: int
    """How long a bot may take to be ready for the match, or for the next game when it was gone."""

    def __post_init__(self) -> None:
        """Raise ValueError if there are not two games to each pair."""
        if self.form == "pairs" and self.games % 2:
            raise ValueError(f"pairs have two games each, {self.games} games is an odd number")


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """Entrant at a seat: its name in the tournament, and what its bot said when it logged in."""

    name: str
    version: str = ""
    fingerprint: str = ""
    public_key: Digest | None = None
    """The Ed25519 key with which it signs receipts; null if it signs none."""
    kind: Literal["person", "agent"] | UnsetType = UNSET
    """Left out for a program; an agent is a program by which a language model plays."""


class FixedEvaluator(msgspec.Struct, frozen=True, kw_only=True):
    """The evaluator by which luck is reckoned, fixed before the first game."""

    name: str
    """Such as `brade-vasa-3`."""
    sha256: Digest
    """Of the file with its weights."""


class MatchOpened(Fact, frozen=True, kw_only=True, tag="match_opened"):
    """The first line of a match record: everything needed to judge the rest years later."""

    format: Literal["brade-match-1"] = "brade-match-1"
    match: str
    """The fixture's id, `r2-anna-v-bo`."""
    attempt: int
    """1, or more when earlier attempts were void; part of the dice (docs/dice.md)."""
    ruleset: dict[str, Any]
    """Whole: name, hash and every field."""
    terms: Terms
    entrants: tuple[str, str]
    """Ids at seats 1 and 2."""
    names: tuple[str, str] | UnsetType = UNSET
    """What they are called on screens; left out if both are called by their ids."""
    dice_commitment: Digest
    """SHA-256 of the dice seed."""
    luck: FixedEvaluator | UnsetType = UNSET
    """Left out if none was fixed."""

    @property
    def shown(self) -> tuple[str, str]:
        """Names of the entrants at seats 1 and 2 on screens."""
        if isinstance(self.names, UnsetType):
            return self.entrants
        return self.names


class FactOfSeat(Fact, frozen=True, kw_only=True):
    """A bot comes or goes."""

    seat: Seat
    lag_ms: int | UnsetType = UNSET
    """How long this may have lain unread, if something was about to run out meanwhile that does not
    come first."""


class BotReady(FactOfSeat, frozen=True, kw_only=True, tag="bot_ready"):
    """A bot is at its seat and has committed to its entropy for the dice.

    Until both bots have, one that was gone may commit again; its last commitment counts.
    """

    entrant: Entrant
    commitment: Digest | None
    """SHA-256 of the entropy it will reveal; null if it adds nothing to the dice, and has nothing
    to reveal."""
    break_ms: BreakTime | UnsetType = UNSET
    """The longest break between two games that it asks for; left out if it asks for none."""


class EntropyRevealed(FactOfSeat, frozen=True, kw_only=True, tag="entropy_revealed"):
    """A bot has revealed its entropy, after both have committed.

    If its SHA-256 is another, the bot forfeits.
    """

    entropy: Entropy
    """What it adds to the dice."""


class BotLeft(FactOfSeat, frozen=True, kw_only=True, tag="bot_left"):
    """The connection to a bot was lost.

    Its clock runs on, and after `grace_ms` it forfeits its open games.
    """

    reason: Said
    grace_ms: int
    blameless: bool | UnsetType = UNSET
    """True if the arena itself has lost it, as the seat of a person at a page of the arena: this is
    no violation."""


class BotMissing(FactOfSeat, frozen=True, kw_only=True, tag="bot_missing"):
    """A bot that was not at the table will not come: its program ended, or never started."""

    reason: Said


class BotReturned(FactOfSeat, frozen=True, kw_only=True, tag="bot_returned"):
    """A bot that had left is at its seat again."""

    break_ms: BreakTime | UnsetType = UNSET
    """What it asks for now; as in `bot_ready`."""


class MatchResumed(Fact, frozen=True, kw_only=True, tag="match_resumed"):
    """The arena was gone and goes on with the match from here. Both bots are away without blame.

    No clock runs until both are back. Of the time of open turns only the recorded part is spent.
    """


class BreakEnded(Fact, frozen=True, kw_only=True, tag="break_ended"):
    """The break after a game is over: every bot that asked for it is ready, or has had its time."""


class GameStarted(Fact, frozen=True, kw_only=True, tag="game_started"):
    """A game begins."""

    game: int
    """The number of the game in the match, from 1."""
    starter: Seat
    opening: Sequence[Dice]
    """The throws for the start, each (seat 1, seat 2), the last one unequal (B2.1); empty in later
    games (B2.2).

    In the second half of a pair they are those of the first with the seats swapped.
    """


class FactOfTurn(Fact, frozen=True, kw_only=True):
    """Something decided in a turn, by an answer or by silence, with the time it took."""

    game: int
    turn: int
    """Counts the turns of both sides, from 1."""
    seat: Seat
    """Whose turn it was."""
    spent_ms: int
    """From the writing of the turn until now, and what a call before it took."""


class FactOfAnswer(FactOfTurn, frozen=True, kw_only=True):
    """Something decided by what a bot said in its turn."""

    lag_ms: int | UnsetType = UNSET
    """How long the answer may have lain unread while the arena was busy; no part of `spent_ms`,
    left out if 0."""


class DiceCalled(FactOfAnswer, frozen=True, kw_only=True, tag="dice_called"):
    """The side to move has called for its dice, where it has a choice (B11.3)."""

    dice: int
    """How many dice will be rolled for the turn."""


class TurnPlayed(FactOfAnswer, frozen=True, kw_only=True, tag="turn_played"):
    """A legal turn."""

    dice: Dice
    moves: Sequence[Sequence[int | str]]
    left_ms: int
    """What is left of the bank."""
    info: Any = None
    """What the bot wanted to have kept; never shown to the opponent."""
    draw_offered: bool | UnsetType = UNSET
    """T9: whether a draw was offered with it; left out if not."""


class DrawAgreed(FactOfAnswer, frozen=True, kw_only=True, tag="draw_agreed"):
    """A draw that the opponent has offered is accepted in place of a turn (T9)."""

    left_ms: int
    info: Any = None
    """What the bot wanted to have kept; never shown to the opponent."""


class TurnRejected(FactOfAnswer, Verdict, frozen=True, kw_only=True, tag="turn_rejected"):
    """An illegal turn; the bot is asked again and its clock runs on, unless it was one too many."""

    dice: Dice
    moves: Any
    code: str
    clause: str
    values: Mapping[str, Any]
    """The values of its sentence; `legal` says what would have been legal."""
    legal_turns: int
    """How many answers would be legal."""
    left: int
    """Rejections left in this game; -1 when this one forfeits it."""
    draw: Literal["offer", "accept"] | UnsetType = UNSET
    """What it said of a draw (T9), left out if nothing; an acceptance has null for moves."""
    call: int | UnsetType = UNSET
    """The dice it called for (B11.3), left out if it was no call; a call has null for moves and no
    dice."""
    choice: int | UnsetType = UNSET
    """The index it gave in place of moves, which are null then; left out if it gave none."""


class Measured(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Measurements of a launched bot and its machine since its first turn of the game, in ms."""

    cpu_ms: int
    """CPU time the bot used, with all it has started."""
    starved_ms: int
    """How long it waited for a processor that others had."""
    steal_ms: int
    """What the host of the machine kept from it, of all processors."""
    pressure_ms: int
    """How long some process of the machine had to wait for a processor."""


class FlagFell(FactOfTurn, frozen=True, kw_only=True, tag="flag_fell"):
    """A bot did not answer in time; without dice where they were still to be called for."""

    dice: Dice
    measured: Measured | UnsetType = UNSET
    """Left out where nothing is known: of a bot that connects from elsewhere, or on a system that
    does not tell."""


class ClockExtended(FactOfTurn, frozen=True, kw_only=True, tag="clock_extended"):
    """A flag would have fallen, but the machine has starved the bot.

    It gets that time back, and its clock goes on.
    """

    extended_ms: int
    """What it gets back: first what this turn has taken, which is no part of `spent_ms` any more,
    then of the bank."""
    measured: Measured


TurnFact: TypeAlias = DiceCalled | TurnPlayed | DrawAgreed | TurnRejected | FlagFell
"""The facts that a turn can lead to."""


class GameEnded(Fact, frozen=True, kw_only=True, tag="game_ended"):
    """A game is over."""

    game: int
    turns: int
    """The turns that were completed: without the one that was open when a game was forfeited."""
    result: Result
    score: Pair
    """Of the match so far."""


class ReceiptSigned(Fact, frozen=True, kw_only=True, tag="receipt_signed"):
    """A bot has signed the receipt of a game (docs/receipts.md).

    It was sent the record as it was when the game ended.
    """

    seat: Seat
    lines: int
    """How many lines the file had then; the receipt has their SHA-256."""
    signature: Signature


class ReceiptDisputed(Fact, frozen=True, kw_only=True, tag="receipt_disputed"):
    """A bot does not agree with how a game ended, and signs no receipt."""

    seat: Seat
    lines: int
    objection: str
    """Its own words."""


class MatchEnded(Fact, frozen=True, kw_only=True, tag="match_ended"):
    """All games are over."""

    score: Pair
    violations: Pair
    """Forfeits and lost connections of each bot in this match."""


class MatchVoided(Fact, frozen=True, kw_only=True, tag="match_voided"):
    """The match counts for neither side: the fixture is played again with a fresh attempt."""

    reason: Said
    violations: Pair


MatchFact: TypeAlias = (
    MatchOpened
    | BotReady
    | EntropyRevealed
    | BotLeft
    | BotMissing
    | BotReturned
    | MatchResumed
    | BreakEnded
    | GameStarted
    | DiceCalled
    | TurnPlayed
    | DrawAgreed
    | TurnRejected
    | FlagFell
    | ClockExtended
    | GameEnded
    | ReceiptSigned
    | ReceiptDisputed
    | MatchEnded
    | MatchVoided
)
