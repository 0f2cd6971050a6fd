"""The contents of the pages: values in JSON, sent by a server or written into a report.

The scripts draw them, and compute nothing. Entrants are named by their ids; `RunPage.names` has
their display names. Times are whole milliseconds, dates those since 1970-01-01 UTC; seats are 1
and 2, and 0 is neither of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from arena.games.result import Result
from arena.matches.facts import GameEnded, Terms
from arena.tournaments.formats.interface import Shape
from arena.words import Said

StepKind = Literal[
    "turn",
    "rejected",
    "call",
    "draw",
    "flag",
    "extended",
    "left",
    "missing",
    "returned",
    "resumed",
    "event",
]
"""`event` is any other event; its text says what it is."""

RunState = Literal["finished", "under way", "not started", "unreadable"]

MatchState = Literal["settled", "annulled", "void", "under way"]


PairingState = Literal[
    "played", "under way", "open", "void", "annulled", "dropped", "bye", "undrawn"
]
"""`dropped` is not played, because an entrant withdrew; `undrawn` is a place in a later round of a
bracket."""


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """The board on which positions are drawn: each is a short text, always seen from seat 1.

    tables: a character for each of seat 1's points 1-24, then for the bars and what is off, seat 1
    first: `.` for none, `a` to `o` for 1-15 checkers of seat 1, `A` to `O` for seat 2's; then the
    two figures of each name in `remembers`. brandubh: 49 characters, rank 7 first, `b`, `w` and `k`
    for the king. text: whatever the game draws for people.
    """

    kind: Literal["tables", "brandubh", "text"]
    facing: str = ""
    """For tables games: `same_way` or `opposite_ways`."""
    remembers: Sequence[str] = ()
    """State of a position besides its checkers: `unlocked` (B4.3), `one_die` (B11.3)."""
    colours: Sequence[str] = ()
    """The names of the side that begins and of the other; empty if both play alike."""


class ShownStep(msgspec.Struct, frozen=True, array_like=True):
    """An event in a game; encoded as an array, since there are many."""

    kind: StepKind
    at: str
    """Its label in the page's address: `17` is the turn, `17a` the first event before it."""
    seat: int
    dice: str
    """The dice, such as `34`; empty without dice."""
    text: Said | str
    """The moves of a turn or rejected turn, else the reason, or the number of dice or of
    milliseconds given back."""
    spent_ms: int
    left_ms: int
    """The rest of the bank; -1 if unknown."""
    position: str
    """The position after the step; empty if it did not change."""
    more: dict[str, Any] | None = None
    """For a rejection `code`, `clause`, `message`, `left`; otherwise `info`, `lag_ms`, `draw`,
    `grace_ms`."""


class JudgedTurn(msgspec.Struct, frozen=True, array_like=True):
    """Judgement of the analysis on a turn that was played; encoded as an array."""

    turn: int
    value: float
    """The points that seat 1 could expect after it."""
    loss: float
    """Its cost for the side that played it, in thousandths of a point."""
    mark: str
    """`doubtful`, `bad`, `blunder`, or empty."""
    best: str
    """The best turn, if it was another."""
    best_value: float
    """The points that seat 1 could have expected after that."""
    luck: float
    """Luck of its roll, in points, for the side that rolled."""
    choices: int
    """The number of legal turns."""


class JudgedCall(msgspec.Struct, frozen=True, array_like=True):
    """Judgement of the analysis on a call for dice (B11.3)."""

    turn: int
    loss: float
    mark: str
    best: str
    """The better number of dice, if it was another."""


class GameAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """Course of a game, as an evaluator sees it."""

    start: float
    """The points that seat 1 could expect before the first roll."""
    turns: Sequence[JudgedTurn]
    calls: Sequence[JudgedCall]


class ReplayedGame(msgspec.Struct, kw_only=True):
    """A game that can be played through, as far as it is played."""

    number: int
    starter: int
    """A seat; 0 if it was forfeited before it began."""
    opening: str
    """The throws for the start, seat 1 first: `3-3, 2-5`."""
    start: str
    """The position in which it began."""
    steps: list[ShownStep]
    ended: GameEnded | None = None
    """None while it is being played, and in void matches."""
    why: Said | str = ""
    """The ending and its worth, in a sentence or two."""
    analysis: GameAnalysis | None = None


class GameLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A game in the list of a match; without a result while it is played."""

    game: int
    result: Result | None = None
    turns: int | None = None
    """None while it is played, and where the record cannot be read."""


class MatchPage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An attempt at a match: how it stands, and games of it to play through."""

    link: str
    """Its part of the page's address: the fixture, followed by `~1` for the first of several
    attempts."""
    fixture: str
    attempt: int
    attempts: int
    entrants: tuple[str, str]
    versions: tuple[str, str]
    state: MatchState
    is_over: bool
    void: Said | str = ""
    """The reason if it counts for neither."""
    score: tuple[int, int]
    outcome: Said
    """Who won the match and by what, or that it was drawn, annulled or void; while it is played,
    who leads. A page begins with it."""
    games: Sequence[GameLine]
    left_out: int = 0
    """The number of earlier games that are not in the list."""
    shown: Sequence[ReplayedGame]
    """In a report, the games that can be played through; live, those that are being played, or the
    last one."""
    current: int = 0
    key: str = ""
    """The key of the last line of the record; the stream of changes goes on after it."""
    commitment: str
    seed: str
    """The seed of the dice; empty while it is not revealed."""
    broken: Said | str = ""
    """The reason if it cannot be followed to its end."""


class TableRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An entrant in the standings."""

    id: str
    name: str
    place: int | None
    is_shared: bool = False
    moved: int = 0
    """By how many places it went up, below 0 if down: by the last settled match, or in formats with
    rounds since the present round was drawn. Always 0 in a run that is finished."""
    withdrawal: str
    cells: Sequence[Said | str]


class RunPage(msgspec.Struct, frozen=True, kw_only=True):
    """The head of the run and its standings."""

    name: str
    ruleset: str
    format: str
    terms: Terms
    board: Board
    counted: int
    """Matches that count so far, of `scheduled` in all."""
    scheduled: int
    settled: int
    """Matches that are played, those that do not count included."""
    is_finished: bool
    """True if all is played. The page then begins with the headline, and has no running matches."""
    outcome: Sequence[Said]
    """The first is the headline: who has won and why, or while it is played what is at stake. More
    sentences may follow, such as the scores of challengers, and why the run ended early."""
    shape: Shape
    """`PairingsPage` has what is in it, unless it is a cross-table."""
    started_ms: int
    latest_ms: int
    delay_ms: int = 0
    names: dict[str, str]
    columns: Sequence[tuple[str, str]]
    """The columns of the standings: a key for programs, and the English name."""
    tie_breaks: Sequence[Said]
    notes: Sequence[Said]
    contained: Sequence[Said]
    head: Sequence[Said] = ()
    """In the report of a finished run: the hash that stands for the whole record, and who has
    signed it, in a sentence."""
    entrants: Sequence[TableRow]
    """In the order of the standings."""
    broken: Said | str = ""
    """The reason if the record cannot be followed any further."""


class Pairing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match of two entrants, or a place in a round without one."""

    state: PairingState
    entrants: tuple[str, str]
    """Empty in a place without an entrant, and for an entrant that is not known yet."""
    fixture: str = ""
    games: tuple[int, int] = (0, 0)
    """Games won by each."""
    points: tuple[int, int] = (0, 0)
    played: int = 0
    """Games played."""
    winner: int = 0
    """1 or 2, the place in `entrants` of the winner; in a bracket, of the entrant that goes on."""


class RoundOfPairings(msgspec.Struct, frozen=True, kw_only=True):
    """A round of a bracket, from top to bottom, or of a Swiss tournament."""

    number: int
    pairings: Sequence[Pairing]


class OpponentRow(msgspec.Struct, frozen=True, kw_only=True):
    """A challenger's results against an opponent."""

    opponent: str
    """Empty for all of them together."""
    matches: Sequence[Pairing]
    points: tuple[int, int]
    mean: float | None
    """The challenger's points a game, less its opponent's; None before the first."""
    left: int
    """The number of matches still to be played."""


class ChallengerBoard(msgspec.Struct, frozen=True, kw_only=True):
    """A challenger of a gauntlet against everybody else."""

    challenger: str
    rows: Sequence[OpponentRow]


class PairingsPage(msgspec.Struct, frozen=True, kw_only=True):
    """The pairings of a run: rounds or boards, by the shape of the run."""

    rounds: Sequence[RoundOfPairings]
    boards: Sequence[ChallengerBoard]


class LastTurn(msgspec.Struct, frozen=True, array_like=True):
    """The turn that was played last; encoded as an array."""

    seat: int
    dice: str
    text: Said | str
    """Its moves."""


class SmallBoard(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match that is being played, as the overview shows it on a card."""

    fixture: str
    entrants: tuple[str, str]
    games: int
    """The number of games in the match."""
    score: tuple[int, int]
    """The points of each so far."""
    game: int
    """The game that is shown; 0 before the first."""
    starter: int
    turn: int
    position: str
    before: str
    last: LastTurn | None
    pips: Sequence[int] = ()
    """What each side still has to go, by seat; empty but in tables games."""
    bar: Sequence[int] = ()
    """Checkers on the bar, by seat; empty but in games that a jan can end."""
    room: Sequence[int] = ()
    """Points 1-6 of each side without a checker of its own, by seat; a side with more on the bar
    has lost by jan (B9.1)."""
    chance: float | None = None
    """The chance that seat 1 wins the game that is shown, to a hundredth, as an evaluator saw it
    last. None before that, and where none ships for the ruleset. `News` has later ones."""
    is_over: bool = False
    """True if the match is played, and not settled yet."""
    broken: Said | str = ""


class GameOnPage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A row in the list of finished games."""

    fixture: str
    game: int
    entrants: tuple[str, str]
    winner: int
    points: int
    ending: str
    cause: str = ""
    monk: bool = False
    turns: int | None = None
    """None while the record has not been read for it."""
    annulled: bool = False
    """True if the match counts for neither bot, because one was withdrawn (M5)."""


class FinishedGames(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the list of finished games."""

    rows: Sequence[GameOnPage]
    found: int
    """The number of games in the whole list."""


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the first page begins with."""

    run: RunPage
    running: Sequence[SmallBoard]
    more_running: int
    """The number of matches under way that have no board here."""
    has_chances: bool
    """False once it is known that no evaluator judges the boards."""
    games: FinishedGames


class RunInList(msgspec.Struct, frozen=True, kw_only=True):
    """A run in the list of a folder of runs."""

    folder: str
    """Its path below the folder that is watched, with `/` between the parts; empty if it has no
    page, because its name is no text."""
    name: str
    ruleset: str = ""
    format: str = ""
    state: RunState
    outcome: Said | None = None
    """Who won, or who leads; None before the first match that counts."""
    started_ms: int
    """When it began; of a run that cannot be read, when its record was changed."""
    latest_ms: int
    settled: int = 0
    """Matches that are played, of `scheduled` in all."""
    scheduled: int = 0
    trouble: Said | str = ""
    """The reason if its record cannot be read, or no further."""


class RunsPage(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the list of runs."""

    rows: Sequence[RunInList]
    """The run that began last is the first."""
    found: int
    """The number of runs in the whole list."""
    unread: int
    """Runs that are known, and whose records are still to be read."""
    is_looking: bool
    """True until the folder was looked through once."""
    left_out: int
    """Folders that are not looked into, because there are too many or they lie too deep."""
    delay_ms: int


class News(msgspec.Struct, frozen=True, kw_only=True):
    """What has changed on the first page; fields without news are left out."""

    more_running: int
    run: RunPage | UnsetType = UNSET
    games: FinishedGames | UnsetType = UNSET
    boards: Sequence[SmallBoard] | UnsetType = UNSET
    """The boards that changed, and new ones."""
    chances: Mapping[str, float] | UnsetType = UNSET
    """New chances that seat 1 wins its game, by match; the boards may stand as they were."""
    gone: Sequence[str] | UnsetType = UNSET
    """The matches that have no board any more."""
    trouble: Said | UnsetType = UNSET
    """The reason why there are no standings."""


class BotPage(msgspec.Struct, frozen=True, kw_only=True):
    """A bot with its history; rows by the names of their columns, as `index.py` asks for them."""

    row: TableRow
    against: Sequence[Mapping[str, Any]]
    """Its results against each opponent."""
    endings: Sequence[Mapping[str, Any]]
    """Its games by the way they ended."""
    matches: Sequence[Mapping[str, Any]]
    """Seen from it, the latest first."""
    found: int
    versions: Sequence[str]
    """The latest first."""
    running: Sequence[str]
