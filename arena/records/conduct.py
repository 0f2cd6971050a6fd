"""Conduct of each entrant of a run: forfeits by cause, rejections, lost connections, thinking time, endings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, get_args

from arena.games.result import Cause, Result
from arena.matches.facts import BotLeft, DrawAgreed, FlagFell, MatchFact, TurnPlayed, TurnRejected
from arena.records.facts import FixtureSettled
from arena.records.files import match_record
from arena.records.lines import RecordError
from arena.records.reading import Attempt, read_attempts, whole_lines
from arena.records.timeline import moments
from arena.tournaments.schedule import parse_fixture
from arena.words import Said

CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)
"""Why a game can be forfeited."""


@dataclass(frozen=True, slots=True)
class EndingKind:
    """Kind of ending: its name, whether with monk, and its rank in B10 (None if it has none)."""

    name: str
    monk: bool
    rank: int | None

    @property
    def said(self) -> Said:
        """Name it: "forced jan", "bearing off + monk"."""
        ending = Said(f"ending.{self.name}")
        return Said("plus_monk", {"ending": ending}) if self.monk else ending


@dataclass(slots=True)
class Conduct:
    """Conduct of one entrant in the matches that count; filled while records are read."""

    games: int = 0
    forfeits: Counter[Cause] = field(default_factory=Counter)
    """Games it forfeited, by cause."""
    rejections: int = 0
    """Turns and calls that were rejected."""
    lost_connections: int = 0
    spent_ms: Counter[int] = field(default_factory=Counter)
    """How many of its turns took so many milliseconds; turns in which its flag fell are included."""
    won: Counter[EndingKind] = field(default_factory=Counter)
    drawn: Counter[EndingKind] = field(default_factory=Counter)
    lost: Counter[EndingKind] = field(default_factory=Counter)

    @property
    def turns(self) -> int:
        """The number of turns it thought about."""
        return self.spent_ms.total()

    @property
    def mean_ms(self) -> float | None:
        """Mean thinking time of a turn; None without turns."""
        return sum(ms * count for ms, count in self.spent_ms.items()) / self.turns if self.turns else None

    def percentile_ms(self, percent: int) -> int | None:
        """The time within which so many per cent of its turns were answered (nearest rank); None without turns."""
        passed = 0
        for ms in sorted(self.spent_ms):
            passed += self.spent_ms[ms]
            if 100 * passed >= percent * self.turns:
                return ms
        return None


def kinds_of(counts: Iterable[Mapping[EndingKind, int]]) -> list[EndingKind]:
    """Every kind of ending that occurs, the most valuable first, those without a rank last."""
    kinds = {kind for count in counts for kind in count}
    return sorted(kinds, key=lambda kind: (kind.rank is None, kind.rank or 0, kind.name, kind.monk))


def conduct_of(
    entrants: Sequence[str], settled: Sequence[FixtureSettled], files: Mapping[str, bytes]
) -> dict[str, Conduct]:
    """Read the match record of every settled fixture; returns each entrant's conduct in the attempts that count.

    `files` holds the bytes of `matches/<fixture>.jsonl`. Raises `RecordError` if one is missing or cannot be read.
    """
    conducts = {name: Conduct() for name in entrants}
    for fact in settled:
        fixture = parse_fixture(fact.fixture)
        sides = (conducts[fixture.first], conducts[fixture.second])
        for game in fact.games:
            _count_game(game, sides)
        for moment in moments(_attempt(fact, files)):
            _count_fact(moment.fact, sides)
    return conducts


def _attempt(settled: FixtureSettled, files: Mapping[str, bytes]) -> Attempt:
    """The attempt that was settled."""
    name = match_record(settled.fixture)
    if name not in files:
        raise RecordError(name, "the record of a settled match is missing")
    for attempt in read_attempts(name, whole_lines(files[name])):
        if attempt.opened.attempt == settled.attempt:
            return attempt
    raise RecordError(name, f"attempt {settled.attempt}, which was settled, is missing")


def _count_game(game: Result, sides: tuple[Conduct, Conduct]) -> None:
    kind = EndingKind(game.ending, game.monk, game.rank)
    for seat, side in enumerate(sides, 1):
        side.games += 1
        outcome = side.drawn if game.winner is None else side.won if game.winner == seat else side.lost
        outcome[kind] += 1
        if game.cause is not None and game.winner != seat:
            side.forfeits[game.cause] += 1


def _count_fact(fact: MatchFact, sides: tuple[Conduct, Conduct]) -> None:
    match fact:
        case TurnPlayed() | DrawAgreed() | FlagFell():
            sides[fact.seat - 1].spent_ms[fact.spent_ms] += 1
        case TurnRejected():
            sides[fact.seat - 1].rejections += 1
        case BotLeft():
            sides[fact.seat - 1].lost_connections += 1
