"""The lines a run adds to what its matches say: the tournament's own record, seeds, closing lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

from arena.matches.facts import RECORD_VERSION, Cause, Digest, Fact, GameEnded, MatchFact, Pair, Signature, Terms
from arena.tournaments.formats.registry import AnyFormat
from arena.tournaments.results import BestGame, FixtureResult, GameResult
from arena.tournaments.schedule import parse_fixture

STOPPED: Final = "the arena was stopped"
"""Why an attempt is void that an arena cannot go on with: it was stopped before the dice were settled."""

ATTEMPTS: Final = 3
"""How often a fixture that both bots leave void is played; then it counts for neither."""


class DiceRevealed(Fact, frozen=True, kw_only=True, tag="dice_revealed"):
    """The seed behind the dice of an attempt that is over."""

    attempt: int
    dice_seed: Digest


class RecordClosed(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="record_closed"):
    """The last line of an attempt or a tournament: nothing before it may have changed."""

    v: Literal[1] = RECORD_VERSION
    sha256: Digest
    """Of every byte of the file before this line."""


class GameSummary(msgspec.Struct, frozen=True, kw_only=True):
    """How one game of a settled fixture ended."""

    winner: str | None
    points: int
    ending: str
    monk: bool
    rank: int | None
    cause: Cause | None
    turns: int


class TournamentOpened(Fact, frozen=True, kw_only=True, tag="tournament_opened"):
    """The first line of a tournament record."""

    format: Literal["brade-tournament-1"] = "brade-tournament-1"
    name: str
    schedule: AnyFormat
    """The format, with its options."""
    best_game: BestGame
    """How M2 compares won games; `none` in pairs."""
    violations: int
    """Strikes an entrant may collect; one more withdraws it (M5)."""
    entrants: Sequence[str]
    """In the order of the file: of drawing, starting numbers or seeds."""
    ruleset: dict[str, Any]
    terms: Terms
    file_sha256: Digest
    """Of the frozen tournament file beside this record."""


class EntrantsAdded(Fact, frozen=True, kw_only=True, tag="entrants_added"):
    """Newcomers have been entered at the end of the tournament file; what is missing is played."""

    entrants: Sequence[str]
    file_sha256: Digest
    """Of the tournament file as it is from now on."""


Way: TypeAlias = Literal["bubblewrap", "landlock", "none"]
"""What keeps a launched program from the files, the processes and the network of the machine."""


class BotsContained(Fact, frozen=True, kw_only=True, tag="bots_contained"):
    """How launched bots are contained from here on, as far as it was not said since the arena was started."""

    bots: dict[str, Way]
    """Entrant to what contains its program."""


class RoundDrawn(Fact, frozen=True, kw_only=True, tag="round_drawn"):
    """A round was drawn when the one before it was over, in a format whose rounds are."""

    round: int
    fixtures: Sequence[str]
    """In the order of play."""
    byes: Sequence[str]
    """Entrants that have a free round."""


class FixtureIssued(Fact, frozen=True, kw_only=True, tag="fixture_issued"):
    """An attempt at a fixture begins."""

    fixture: str
    attempt: int
    dice_commitment: Digest


class FixtureSettled(Fact, frozen=True, kw_only=True, tag="fixture_settled"):
    """A fixture is played; its record is complete and on disk."""

    fixture: str
    attempt: int
    games: Sequence[GameSummary]
    score: Pair
    winner: str | None
    decision: str
    """What decided the match, for a person (M1, M2)."""
    violations: Pair
    record_sha256: Digest
    """Of the whole match record."""


class FixtureVoided(Fact, frozen=True, kw_only=True, tag="fixture_voided"):
    """An attempt counts for neither; the fixture is played again unless this was the last attempt."""

    fixture: str
    attempt: int
    reason: str
    violations: Pair
    is_last: bool
    record_sha256: Digest


class EntrantWithdrawn(Fact, frozen=True, kw_only=True, tag="entrant_withdrawn"):
    """An entrant plays no further fixture (M5)."""

    entrant: str
    violations: int


class StandingLine(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the final standings; the whole table follows from the results."""

    place: int | None
    entrant: str
    match_points: float
    points: int


class HeadSigned(Fact, frozen=True, kw_only=True, tag="head_signed"):
    """The operator's key has signed all lines before this one, whenever a match was decided and at the end."""

    lines: int
    sha256: Digest
    """Of these lines."""
    public_key: Digest
    signature: Signature


class TournamentEnded(Fact, frozen=True, kw_only=True, tag="tournament_ended"):
    """Every fixture is settled, void for good, or not to be played because an entrant was withdrawn."""

    standings: Sequence[StandingLine]
    tie_breaks: Sequence[str]
    notes: Sequence[str]


TournamentFact: TypeAlias = (
    TournamentOpened
    | EntrantsAdded
    | BotsContained
    | RoundDrawn
    | FixtureIssued
    | FixtureSettled
    | FixtureVoided
    | EntrantWithdrawn
    | HeadSigned
    | TournamentEnded
    | RecordClosed
)
MatchLine: TypeAlias = MatchFact | DiceRevealed | RecordClosed


def summary_of(ended: GameEnded, entrants: Sequence[str]) -> GameSummary:
    """What the tournament keeps of a game; `entrants` are the names at seats 1 and 2."""
    return GameSummary(
        winner=None if ended.winner is None else entrants[ended.winner - 1],
        points=ended.points,
        ending=ended.ending,
        monk=ended.monk,
        rank=ended.rank,
        cause=ended.cause,
        turns=ended.turns,
    )


def result_of(fixture: str, games: Sequence[GameSummary]) -> FixtureResult:
    """A fixture's result as tournaments reckon with it; no games means void for good."""
    played = parse_fixture(fixture)
    results = tuple(
        GameResult(winner=game.winner, points=game.points, ending=game.ending, monk=game.monk, rank=game.rank)
        for game in games
    )
    return FixtureResult(
        fixture=fixture,
        round=played.round,
        first=played.first,
        second=played.second,
        games=results,
        voided=not results,
    )
