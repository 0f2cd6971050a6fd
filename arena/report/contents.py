"""What the page is made of: one value, handed to its script as JSON. The script draws, and works out nothing.

Entrants and endings are numbered from 0, in the order of the lists of `Report`; times are whole milliseconds; seats are
1 and 2, and 0 is nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from arena.matches.facts import Terms

StepKind = Literal["turn", "rejected", "call", "draw", "flag", "left", "missing", "returned", "resumed"]


IncidentKind = Literal["forfeit", "missing", "left", "rejected"]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """How positions are drawn: each is a short text, always seen from seat 1.

    tables: a character for each of seat 1's points 1-24, then for the bars and what is off, seat 1 first: `.` for none,
    `a` to `o` for 1-15 checkers of seat 1, `A` to `O` for seat 2's; then the two figures of each name in `remembers`.
    brandubh: 49 characters, rank 7 first, `b`, `w` and `k` for the king. text: whatever the game draws for people.
    """

    kind: Literal["tables", "brandubh", "text"]
    facing: str = ""
    """Of tables games: `same_way` or `opposite_ways`."""
    remembers: Sequence[str] = ()
    """What a position holds beside checkers: `unlocked` (B4.3), `one_die` (B11.3)."""
    colours: Sequence[str] = ()
    """What the side that begins and the other are called; empty where they play alike."""


class Step(msgspec.Struct, frozen=True, array_like=True):
    """Something that happened in a game; an array, as there are many."""

    kind: StepKind
    turn: int
    """The turn it belongs to."""
    seat: int
    dice: str
    """`34`, empty without."""
    text: str
    """Of a turn and a rejected turn the moves, else the reason or the number of dice."""
    spent_ms: int
    left_ms: int
    """What is left of the bank; -1 where it says nothing of it."""
    position: str
    """After the step; empty if it is as before."""
    more: dict[str, Any] | None = None
    """Of a rejection `code`, `clause`, `message`, `left`; of others `info`, `lag_ms`, `draw`, `grace_ms`."""


class GameResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a game ended."""

    winner: int
    """A seat, 0 if drawn."""
    ending: str
    """In words: `forced jan`, `forfeit`."""
    clause: str
    points: int
    why: str
    """What the ending is and why it is worth that, in a sentence or two."""
    monk: bool = False
    cause: str = ""
    turns: int
    score: tuple[int, int]


class ReplayedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that can be played through."""

    number: int
    starter: int
    """A seat; 0 if it was forfeited before it began."""
    opening: str
    """The throws for the start, seat 1 first: `3-3, 2-5`."""
    start: str
    """The position before the first turn."""
    steps: Sequence[Step]
    result: GameResult | None = None
    """None while it is being played, and in void matches."""


class Sitting(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt at a match."""

    link: str
    """Its part of the page's address: the fixture, with `~1` behind it for the first of several attempts."""
    attempt: int
    entrants: tuple[int, int]
    versions: tuple[str, str]
    games: Sequence[ReplayedGame]
    void: str = ""
    """Why it counts for neither."""
    is_over: bool = False
    broken: str = ""
    """Why it can be followed no further: the record contradicts itself there."""


class MatchLine(msgspec.Struct, frozen=True, kw_only=True):
    """A match in the list of all matches; `games` of a settled one are (winning seat, points, ending in words)."""

    fixture: str
    round: int
    entrants: tuple[int, int]
    state: Literal["settled", "annulled", "void", "under way"]
    games: Sequence[tuple[int, int, str]] = ()
    score: tuple[int, int] = (0, 0)
    decision: str = ""
    attempts: int = 1
    commitment: str = ""
    seed: str = ""
    """Of the attempt that counts; empty while it is not revealed."""
    replayable: Sequence[str] = ()
    """Where the games are that can be played through: the `link` of their sitting and their number."""


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """A forfeit, a rejected turn or a lost connection, and where to look at it."""

    kind: IncidentKind
    link: str
    game: int
    """0 where no game was begun."""
    at: str
    """Its label in the game (assets/steps.js): `17a`, `end`; empty where no game was begun."""
    entrant: int
    label: str
    """The cause of a forfeit, the code and clause of a rejection."""
    text: str


class EntrantLine(msgspec.Struct, frozen=True, kw_only=True):
    """An entrant in the tables; intervals are those of 95 %, None where there is too little to tell."""

    name: str
    version: str = ""
    place: int | None = None
    is_shared: bool = False
    withdrawal: str = "none"
    played: int
    won: int
    drawn: int
    lost: int
    match_points: str
    points_for: int
    points_against: int
    best_games: Sequence[int] = ()
    free_rounds: int = 0
    before: Sequence[int] = ()
    """What the format compares before match points, under the headings of `Facts.columns`."""
    pairs: tuple[int, int, int] | None = None
    """Pairs won, level and lost."""
    mean: float | None = None
    """Points per game."""
    margin: float | None = None
    elo: float | None = None
    strength: int = 0
    """Place by Elo within the field, from 0, as `arena stats` has it; in its order equal ratings are by name."""
    interval: tuple[float, float] | None = None
    field: int = 0
    """Ratings compare within one field."""
    conduct: ConductLine


class ConductLine(msgspec.Struct, frozen=True, kw_only=True):
    """What an entrant did in the matches that count; endings are numbered as in `Report.endings`."""

    games: int
    forfeits: Sequence[int]
    """By cause, as in `Report.causes`."""
    rejections: int
    lost_connections: int
    turns: int
    mean_ms: float | None
    median_ms: int | None
    p99_ms: int | None
    longest_ms: int | None
    times: Sequence[int]
    """Turns by thinking time: between the limits `Report.time_limits_ms[i]` and `[i + 1]`."""
    won: Sequence[int]
    drawn: Sequence[int]
    lost: Sequence[int]


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """What came of checking every record again."""

    state: Literal["in order", "not in order", "left out"]
    sentence: str
    faces: Sequence[int] = ()
    rolls: int = 0
    doubles: int = 0
    tests: Sequence[tuple[str, float | None, int | None, float]] = ()
    """Name, statistic (None without bounds), degrees of freedom of a chi-square, p-value."""
    verdict: str = ""
    """What the figures of the dice say."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The head of the page."""

    name: str
    ruleset: str
    format: str
    terms: Terms
    unit: str
    counted: int
    scheduled: int
    is_finished: bool
    begun_ms: int
    latest_ms: int
    columns: Sequence[str] = ()
    tie_breaks: Sequence[str] = ()
    notes: Sequence[str] = ()
    contained: Sequence[str] = ()
    """How launched bots were contained."""
    head: Sequence[str] = ()
    """What stands for all of the record, and who has signed it: a sentence, if the run is finished."""
    games: int
    """How many games were begun or forfeited."""
    games_shown: int
    """How many of them can be played through in the page."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The whole page."""

    run: Facts
    board: Board
    entrants: Sequence[EntrantLine]
    """In the order of the standings."""
    crosstable: Sequence[Sequence[Sequence[tuple[int, int, str]]]]
    """By row and column, in the order of the entrants; a meeting is (points for, points against, outcome)."""
    superior: Sequence[Sequence[float | None]]
    """The probability that the entrant of the row is stronger than that of the column."""
    endings: Sequence[str]
    causes: Sequence[str]
    time_limits_ms: Sequence[int]
    incidents: Sequence[Incident]
    incidents_left_out: int = 0
    audit: Audit
    matches: Sequence[MatchLine]
    sittings: Sequence[Sitting]
