"""The contents of the live pages: values that are sent as JSON. The scripts draw them, and compute nothing.

Times are whole milliseconds since 1970-01-01 UTC; seats are 1 and 2, and 0 is nobody. Entrants are named by their ids;
`RunPage.names` says what each is called on screens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from arena.games.result import Result
from arena.matches.facts import Terms
from arena.report.contents import Board, Heading, Placing, ReplayedGame, Step


class TableRow(Placing, frozen=True, kw_only=True):
    """An entrant in the standings, with the id that its page has."""

    id: str


class RunPage(msgspec.Struct, frozen=True, kw_only=True):
    """The head of the run and its standings."""

    name: str
    ruleset: str
    format: str
    terms: Terms
    board: Board
    counted: int
    """How many matches count so far, and how many there are."""
    scheduled: int
    settled: int
    """How many matches are played, those that do not count included."""
    is_finished: bool
    begun_ms: int
    latest_ms: int
    delay_ms: int
    """How much later than they are played turns are shown."""
    names: dict[str, str]
    columns: Sequence[Heading]
    tie_breaks: Sequence[str]
    notes: Sequence[str]
    contained: Sequence[str]
    entrants: Sequence[TableRow]
    broken: str = ""
    """Why the record cannot be followed any further; empty if it can."""


class SmallBoard(msgspec.Struct, frozen=True, kw_only=True):
    """A match that is being played, as the overview shows it."""

    fixture: str
    attempt: int
    entrants: tuple[str, str]
    game: int
    """The number of the game that is shown; 0 before the first."""
    games: int
    """How many games the match has."""
    score: tuple[int, int]
    """Game points so far."""
    starter: int = 0
    turn: int = 0
    position: str = ""
    before: str = ""
    last: Step | None = None
    """The last turn that was played."""
    at_ms: int = 0
    """When the last line of the record was written."""
    is_over: bool = False
    """Whether the match is played, and not settled yet."""
    broken: str = ""


class FinishedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A row in the list of finished games."""

    fixture: str
    attempt: int
    game: int
    entrants: tuple[str, str]
    winner: int
    points: int
    ending: str
    cause: str
    monk: bool
    turns: int | None
    """None while the record has not been read for it."""
    settled_ms: int


class FinishedGames(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the list of finished games."""

    rows: Sequence[FinishedGame]
    found: int
    """How many there are in all."""


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the first page begins with."""

    run: RunPage
    running: Sequence[SmallBoard]
    more_running: int
    """How many matches are being played that have no board here."""
    games: FinishedGames


class GameRow(msgspec.Struct, frozen=True, kw_only=True):
    """A game in the list of a match; without a result while it is played."""

    game: int
    result: Result | None = None
    turns: int | None = None


class MatchPage(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a match, and the games that are being played."""

    fixture: str
    attempt: int
    attempts: int
    round: int
    entrants: tuple[str, str]
    versions: tuple[str, str]
    terms: Terms
    state: Literal["settled", "annulled", "void", "under way"]
    is_over: bool
    """Whether nothing more is played in this attempt."""
    void: str = ""
    score: tuple[int, int]
    decision: str = ""
    games: Sequence[GameRow]
    left_out: int = 0
    """How many earlier games of the match are not in the list."""
    open: Sequence[ReplayedGame] = ()
    """The games that are being played, or the last one where none is."""
    current: int = 0
    """The game to show first."""
    key: str = ""
    """After which line of the record this is; the id with which the stream of changes goes on."""
    at_ms: int = 0
    commitment: str = ""
    seed: str = ""
    """The seed of the dice; empty while it is not revealed."""
    broken: str = ""


class Against(msgspec.Struct, frozen=True, kw_only=True):
    """What a bot did against one opponent."""

    opponent: str
    matches: int
    won: int
    drawn: int
    lost: int
    points_for: int
    points_against: int


class BotMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match in the history of a bot, seen from it."""

    fixture: str
    round: int
    seat: int
    opponent: str
    points_for: int
    points_against: int
    outcome: str
    version: str
    settled_ms: int


class EndingCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often games ended in one way for a bot."""

    ending: str
    cause: str
    won: int
    drawn: int
    lost: int


class BotPage(msgspec.Struct, frozen=True, kw_only=True):
    """A bot with its history."""

    row: TableRow
    against: Sequence[Against]
    endings: Sequence[EndingCount]
    matches: Sequence[BotMatch]
    """The latest first."""
    found: int
    versions: Sequence[str]
    """What it called itself, the latest first."""
    running: Sequence[str]
    """The matches it plays now."""
