"""The content of the page: one value, passed to its script as JSON. The script draws, and computes nothing.

Entrants and endings are numbered from 0, in the order of the lists of `Report`; times are whole milliseconds; seats are
1 and 2, and 0 is nobody. How a game ended is told as the records tell it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from arena.games.result import Result
from arena.matches.facts import GameEnded, Terms

StepKind = Literal[
    "turn", "rejected", "call", "draw", "flag", "extended", "left", "missing", "returned", "resumed", "event"
]
"""`event` is one that pages know nothing else of; its text says what it is."""


IncidentKind = Literal["forfeit", "missing", "left", "rejected"]


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """Drawing of positions: each is a short text, always seen from seat 1.

    tables: a character for each of seat 1's points 1-24, then for the bars and what is off, seat 1 first: `.` for none,
    `a` to `o` for 1-15 checkers of seat 1, `A` to `O` for seat 2's; then the two figures of each name in `remembers`.
    brandubh: 49 characters, rank 7 first, `b`, `w` and `k` for the king. text: whatever the game draws for people.
    """

    kind: Literal["tables", "brandubh", "text"]
    facing: str = ""
    """For tables games: `same_way` or `opposite_ways`."""
    remembers: Sequence[str] = ()
    """What a position holds besides checkers: `unlocked` (B4.3), `one_die` (B11.3)."""
    colours: Sequence[str] = ()
    """The names of the side that begins and of the other; empty if both play alike."""


class Step(msgspec.Struct, frozen=True, array_like=True):
    """An event in a game; encoded as an array, since there are many."""

    kind: StepKind
    turn: int
    """The turn it belongs to."""
    seat: int
    dice: str
    """The dice, such as `34`; empty without dice."""
    text: str
    """The moves of a turn or rejected turn, else the reason, or the number of dice or of milliseconds given back."""
    spent_ms: int
    left_ms: int
    """What is left of the bank; -1 if unknown."""
    position: str
    """The position after the step; empty if it did not change."""
    more: dict[str, Any] | None = None
    """For a rejection `code`, `clause`, `message`, `left`; otherwise `info`, `lag_ms`, `draw`, `grace_ms`."""


class JudgedTurn(msgspec.Struct, frozen=True, array_like=True):
    """Judgement of the analysis on a turn that was played; encoded as an array."""

    turn: int
    value: float
    """The points that seat 1 could expect after it."""
    loss: float
    """What it cost the side that played it, in thousandths of a point."""
    mark: str
    """`doubtful`, `bad`, `blunder`, or empty."""
    best: str
    """The best turn, if it was another."""
    best_value: float
    """The points that seat 1 could have expected after that."""
    luck: float
    """Of its roll, in points, for the side that rolled."""
    choices: int
    """How many different turns were legal."""


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
    calls: Sequence[JudgedCall] = ()


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
    ended: GameEnded | None = None
    """None while it is being played, and in void matches."""
    why: str = ""
    """What the ending is and why it is worth that, in a sentence or two."""
    analysis: GameAnalysis | None = None
    """None if the match is not analysed."""


class Sitting(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt at a match."""

    link: str
    """Its part of the page's address: the fixture, followed by `~1` for the first of several attempts."""
    attempt: int
    entrants: tuple[int, int]
    versions: tuple[str, str]
    games: Sequence[ReplayedGame]
    void: str = ""
    """The reason if it counts for neither."""
    is_over: bool = False
    broken: str = ""
    """The reason if it cannot be followed to its end: the record contradicts itself there."""


class Featured(msgspec.Struct, frozen=True, kw_only=True):
    """The game that the page opens with."""

    link: str
    game: int
    why: str
    """Why it is that one, in a sentence."""


class MatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A match in the list of all matches; `games` are those of a settled one."""

    fixture: str
    round: int
    entrants: tuple[int, int]
    state: Literal["settled", "annulled", "void", "under way"]
    games: Sequence[Result] = ()
    turns: Sequence[int] = ()
    """How many turns each of the games had."""
    score: tuple[int, int] = (0, 0)
    decision: str = ""
    attempts: int = 1
    commitment: str = ""
    seed: str = ""
    """The dice seed of the attempt that counts; empty while it is not revealed."""
    replayable: Sequence[str] = ()
    """The games that can be played through: the `link` of their sitting and their number."""


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """A forfeit, a rejected turn or a lost connection, with its place in the page."""

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


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """A column of the standings: its key for programs, and its English name."""

    key: str
    text: str


class Placing(msgspec.Struct, frozen=True, kw_only=True):
    """An entrant in the standings."""

    name: str
    place: int | None = None
    is_shared: bool = False
    withdrawal: str = "none"
    cells: Sequence[str]
    """What stands under each heading."""


class EntrantSummary(Placing, frozen=True, kw_only=True):
    """An entrant in the tables; intervals are those of 95 %, None where there is too little to tell."""

    version: str = ""
    mean: float | None = None
    """Points per game."""
    margin: float | None = None
    elo: float | None = None
    strength: int = 0
    """Place by Elo within the field, from 0, as in `arena stats`, where equal ratings are ordered by name."""
    interval: tuple[float, float] | None = None
    field: int = 0
    """Ratings compare within one field."""
    conduct: ConductSummary


class ConductSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Conduct of an entrant in the matches that count; endings are numbered as in `Report.endings`."""

    games: int
    forfeits: Sequence[int]
    """Forfeits by cause, as in `Report.causes`."""
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


class LossSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Losses of an entrant by its decisions, and its luck, in the matches that are analysed."""

    entrant: int
    games: int
    decisions: int
    means: tuple[float | None, float | None, float | None]
    """Thousandths of a point a decision: in all, in contact, in a race."""
    marks: tuple[int, int, int]
    """Doubtful, bad, blunders."""
    luck: float
    """Points."""
    luck_per_game: float | None


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A turn or a roll that stands out, with its place in the page."""

    link: str
    game: int
    at: str
    """Its label in the game (assets/steps.js)."""
    entrant: int
    dice: str
    points: float
    """What the turn cost, or the luck of the roll."""
    played: str = ""
    best: str = ""
    mark: str = ""


class EntrantWithoutLuck(msgspec.Struct, frozen=True, kw_only=True):
    """An entrant's points a game as played and with the luck of the dice taken out."""

    entrant: int
    given: float
    """Points that the dice gave it, less what they gave its opponents."""
    raw: float
    raw_margin: float | None
    """Half the 95 % interval; None with too few pairs or matches."""
    adjusted: float
    adjusted_margin: float | None
    times: float | None
    """As many times the games would make the raw figure as sure."""


class MatchWithoutLuck(msgspec.Struct, frozen=True, array_like=True):
    """A match in the scatter: points of its first entrant less those of the second; encoded as an array."""

    fixture: str
    first: int
    second: int
    raw: int
    adjusted: float


class LuckTakenOut(msgspec.Struct, frozen=True, kw_only=True):
    """The results with the luck of the dice taken out."""

    source: str
    """The evaluator, its hash, and whether it was fixed before the first game."""
    entrants: Sequence[EntrantWithoutLuck]
    """The one that got most without luck first."""
    matches: Sequence[MatchWithoutLuck]
    notes: Sequence[str]


class PlayAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """Findings of `arena analyse`, as far as they fit the records."""

    evaluator: str
    """The name, or the names if there are several."""
    plies: Sequence[int]
    """How many turns ahead decisions were looked into."""
    analysed: int
    """How many matches are analysed, and how many there are."""
    matches: int
    losses: Sequence[LossSummary]
    """The entrant that lost least a decision first."""
    costliest: Sequence[Moment]
    """The turns that cost most, the most costly first."""
    luckiest: Moment | None
    luck: LuckTakenOut | None = None
    """None unless every match that counts is analysed."""


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """The result of checking every record again."""

    state: Literal["in order", "not in order", "left out"]
    sentence: str
    faces: Sequence[int] = ()
    rolls: int = 0
    doubles: int = 0
    tests: Sequence[tuple[str, float | None, int | None, float]] = ()
    """Name, statistic (None without bounds), degrees of freedom of a chi-square, p-value."""
    verdict: str = ""
    """What the figures of the dice mean."""


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
    columns: Sequence[Heading] = ()
    tie_breaks: Sequence[str] = ()
    notes: Sequence[str] = ()
    contained: Sequence[str] = ()
    """How launched bots were contained."""
    head: Sequence[str] = ()
    """What stands for all of the record, and who has signed it: a sentence, if the run is finished."""
    games: int
    """How many games were begun or forfeited."""
    games_shown: int
    """How many of these can be played through in the page."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The whole page."""

    run: Facts
    board: Board
    entrants: Sequence[EntrantSummary]
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
    matches: Sequence[MatchSummary]
    sittings: Sequence[Sitting]
    featured: Featured | None = None
    """The game to look at first; None if none was won over the board."""
    analysis: PlayAnalysis | None = None
    """None if no match is analysed."""
