"""The contents of a report beyond those of live pages: statistics, conduct, analysis, audit."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from arena.pages.contents import BotPage, MatchPage, PairingsPage, RunPage, TableRow
from arena.records.luck import EntrantLuck, MatchLuck
from arena.tournaments.crosstable import Crosstable
from arena.words import Said

IncidentKind = Literal["forfeit", "missing", "left", "rejected"]


class Featured(msgspec.Struct, frozen=True, kw_only=True):
    """The game that the page opens with."""

    link: str
    game: int
    why: Said


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """A forfeit, a rejected turn or a lost connection, with its place in the page."""

    kind: IncidentKind
    link: str
    game: int
    """0 before the first game."""
    at: str
    """Its label in the game: `17a`, `end`; empty before the first game."""
    entrant: str
    label: Said | str
    """The cause of a forfeit, the code and clause of a rejection."""
    text: Said | str


class ConductSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Conduct of an entrant in the matches that count; endings are ordered as `Figures.endings`."""

    games: int
    forfeits: Sequence[int]
    """Forfeits by cause, as in `Figures.causes`."""
    rejections: int
    lost_connections: int
    turns: int
    mean_ms: float | None
    median_ms: int | None
    p99_ms: int | None
    longest_ms: int | None
    times: Sequence[int]
    """Turns by thinking time: between the limits `Figures.time_limits_ms[i]` and `[i + 1]`."""
    won: Sequence[int]
    drawn: Sequence[int]
    lost: Sequence[int]


class EntrantSummary(TableRow, frozen=True, kw_only=True):
    """An entrant in the tables; intervals are those of 95 %, None with too little data."""

    version: str
    mean: float | None
    """Points per game."""
    margin: float | None
    elo: float | None
    strength: int
    """Place by Elo within the field, from 0, as in `arena stats`, where equal ratings are ordered
    by name."""
    interval: tuple[float, float] | None
    field: int
    """Ratings compare within one field."""
    conduct: ConductSummary


class LossSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Losses of an entrant by its decisions, and its luck, in the matches that are analysed."""

    entrant: str
    games: int
    decisions: int
    means: Sequence[float | None]
    """Thousandths of a point a decision: in all, in contact, in a race."""
    marks: Sequence[int]
    """Doubtful, bad, blunders."""
    luck: float
    """Points."""
    luck_per_game: float | None


class RemarkableMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A turn or a roll that stands out, with its place in the page."""

    link: str
    game: int
    at: str
    entrant: str
    dice: str
    points: float
    """The loss of the turn, or the luck of the roll."""
    played: str = ""
    best: str = ""


class LuckTakenOut(msgspec.Struct, frozen=True, kw_only=True):
    """The results with the luck of the dice taken out."""

    source: Said
    """The evaluator, its hash, and whether it was fixed before the first game."""
    entrants: Sequence[tuple[str, EntrantLuck, float | None]]
    """The entrant with most points without luck first. The last figure is how many times more games
    the raw figure would need for the same error."""
    matches: Sequence[MatchLuck]
    notes: Sequence[Said]


class PlayAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """Findings of `arena analyse`, as far as they fit the records."""

    evaluator: str
    """The name, or the names if there are several."""
    plies: Sequence[int]
    """Depths of the analysis, in turns."""
    analysed: int
    """Analysed matches, of `matches` in all."""
    matches: int
    losses: Sequence[LossSummary]
    """The entrant that lost least a decision first."""
    costliest: Sequence[RemarkableMoment]
    luckiest: RemarkableMoment | None
    luck: LuckTakenOut | None
    """None unless every match that counts is analysed."""


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """The result of checking every record again."""

    state: Literal["in order", "not in order", "left out"]
    sentence: Said | str
    faces: Sequence[int] = ()
    rolls: int = 0
    doubles: int = 0
    tests: Sequence[tuple[str, float | None, int | None, float]] = ()
    """Name, statistic (None without bounds), degrees of freedom of a chi-square, p-value."""
    verdict: Said | None = None


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is counted over the whole run."""

    unit: str
    """The trial of the intervals: a match, a pair."""
    superior: Sequence[Sequence[float | None]]
    """The probability that the entrant of the row is stronger than that of the column."""
    endings: Sequence[Said]
    causes: Sequence[str]
    time_limits_ms: Sequence[int]
    incidents: Sequence[Incident]
    incidents_left_out: int
    audit: Audit
    analysis: PlayAnalysis | None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The whole page."""

    run: RunPage
    """Its entrants are `EntrantSummary`."""
    crosstable: Crosstable
    """By row and column, in the order of the entrants; a meeting is (points for, points against,
    outcome)."""
    pairings: PairingsPage
    matches: Sequence[MatchPage]
    """Every attempt at every match, in the order of play; of several the one that counts first."""
    bots: Sequence[BotPage]
    """In the order of the standings."""
    featured: Featured | None
    """The game to look at first; None if none was won over the board."""
    figures: Figures

    @property
    def games(self) -> int:
        """The number of games that started or were forfeited, those of void attempts included."""
        return sum(len(match.games) for match in self.matches)

    @property
    def games_shown(self) -> int:
        """The number of games that can be played through in the page."""
        return sum(len(match.shown) for match in self.matches)
