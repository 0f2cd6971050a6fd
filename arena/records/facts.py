"""The facts of a run besides those of its matches: the tournament record, seeds, closing lines."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from arena.games.result import Result
from arena.matches.facts import (
    RECORD_VERSION,
    Digest,
    Fact,
    FixedEvaluator,
    MatchFact,
    Pair,
    Signature,
    Terms,
)
from arena.records.ladder_facts import LadderFact
from arena.tournaments.formats import AnyFormat
from arena.tournaments.results import BestGame, FixtureResult
from arena.tournaments.schedule import RUN_ID, parse_fixture
from arena.words import Said

STOPPED: Final = Said("void.stopped")
"""Reason of a void attempt: the arena was stopped before the dice were settled."""

FAILED: Final = Said("void.failed")
"""Reason of a void attempt: an unexpected exception in the arena. Bots are told nothing else."""

NOT_STARTED: Final = "void.not_started"
"""Code of the reason of a void attempt: the arena could not start the program of a bot."""

ATTEMPTS: Final = 3
"""Attempts at a fixture that both bots leave void, or whose programs cannot be started.

Then it counts for neither.
"""
FAILURES: Final = 20
"""Attempts at a fixture in which the arena itself fails.

No bot is to blame, but a run must come to an end.
"""


class DiceRevealed(Fact, frozen=True, kw_only=True, tag="dice_revealed"):
    """The seed behind the dice of an attempt that is over."""

    attempt: int
    dice_seed: Digest


class RecordClosed(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="record_closed"
):
    """The last line of an attempt or a tournament: nothing before it may have changed."""

    v: Literal[1] = RECORD_VERSION
    sha256: Digest
    """SHA-256 of every byte of the file before this line."""


class TournamentOpened(Fact, frozen=True, kw_only=True, tag="tournament_opened"):
    """The first line of a tournament record."""

    format: Literal["brade-tournament-1"] = "brade-tournament-1"
    name: str
    run: Annotated[str, msgspec.Meta(pattern=f"^{RUN_ID}$")] | UnsetType = UNSET
    """Its id, with which the ids of its matches begin; left out of a run that has its own arena."""
    schedule: AnyFormat
    """The format, with its options."""
    best_game: BestGame
    """How M2 compares won games; `none` in pairs."""
    violations: int
    """Strikes an entrant may collect; one more withdraws it (M5)."""
    entrants: Sequence[str]
    """Ids in the order of the file: of drawing, starting numbers or seeds."""
    names: dict[str, str] | UnsetType = UNSET
    """Display names of the entrants, by id; an entrant without one is shown by its id."""
    ruleset: dict[str, Any]
    terms: Terms
    file_sha256: Digest
    """SHA-256 of the frozen tournament file beside this record."""
    luck: FixedEvaluator | UnsetType = UNSET
    """The evaluator that measures luck; left out if none was fixed."""
    public_key: Digest | UnsetType = UNSET
    """The operator's key, with which the record is to be signed."""
    absent: Literal["wait"] | UnsetType = UNSET
    """Matches wait for entrants that are away; left out if they are forfeited."""


class EntrantsAdded(Fact, frozen=True, kw_only=True, tag="entrants_added"):
    """Newcomers were added at the end of the tournament file; their fixtures are played."""

    entrants: Sequence[str]
    names: dict[str, str] | UnsetType = UNSET
    """Display names of the newcomers, by id; an entrant without one is shown by its id."""
    file_sha256: Digest
    """SHA-256 of the tournament file from now on."""


Way: TypeAlias = Literal["bubblewrap", "landlock_filter", "landlock", "none"]
"""Separation of a launched program from the files, processes and network of the machine.

`landlock_filter` is Landlock 6 or later with a filter of system calls. `landlock` is less than
that: the program may have changed modes and times of files, used the network, or harmed the
programs of others.
"""


class BotsContained(Fact, frozen=True, kw_only=True, tag="bots_contained"):
    """Containment of launched bots from here on.

    It is left out if the arena has recorded the same since it was started.
    """

    bots: dict[str, Way]
    """Entrant to the way in which its program is contained."""


class RoundDrawn(Fact, frozen=True, kw_only=True, tag="round_drawn"):
    """A round was drawn after the one before it was over, in a format with rounds."""

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
    games: Sequence[Result]
    """In the order of their numbers."""
    score: Pair
    winner: str | None
    decision: Said
    """What decided the match (M1, M2)."""
    violations: Pair
    record_sha256: Digest
    """SHA-256 of the whole match record."""


class FixtureVoided(Fact, frozen=True, kw_only=True, tag="fixture_voided"):
    """An attempt counts for neither; without `is_last` the fixture is played again."""

    fixture: str
    attempt: int
    reason: Said
    violations: Pair
    is_last: bool
    record_sha256: Digest


class EntrantWithdrawn(Fact, frozen=True, kw_only=True, tag="entrant_withdrawn"):
    """An entrant plays no further fixture (M5)."""

    entrant: str
    violations: int


class EntrantsAwaited(Fact, frozen=True, kw_only=True, tag="entrants_awaited"):
    """No match can be played until one of these entrants comes; with none of them, play goes on."""

    away: Sequence[str]


class EntrantsAbsent(Fact, frozen=True, kw_only=True, tag="entrants_absent"):
    """The arena waits for these entrants no longer: their open matches are void."""

    away: Sequence[str]


class StandingRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the final standings; the whole table follows from the results."""

    place: int | None
    entrant: str
    match_points: float
    points: int
    rating: float | UnsetType = UNSET
    """In a ladder, to 0.01 Elo."""
    error: float | UnsetType = UNSET
    """The standard error of the rating."""


class HeadSigned(Fact, frozen=True, kw_only=True, tag="head_signed"):
    """The operator's key has signed all lines before this one.

    It signs whenever a match was decided, and at the end.
    """

    lines: int
    sha256: Digest
    """Of these lines."""
    public_key: Digest
    signature: Signature


class TournamentEnded(Fact, frozen=True, kw_only=True, tag="tournament_ended"):
    """Each fixture is settled, void for good, or prevented because an entrant was withdrawn."""

    standings: Sequence[StandingRow]
    tie_breaks: Sequence[Said]
    notes: Sequence[Said]


TournamentFact: TypeAlias = (
    TournamentOpened
    | EntrantsAdded
    | BotsContained
    | RoundDrawn
    | FixtureIssued
    | FixtureSettled
    | FixtureVoided
    | EntrantWithdrawn
    | EntrantsAwaited
    | EntrantsAbsent
    | HeadSigned
    | LadderFact
    | TournamentEnded
    | RecordClosed
)
MatchLine: TypeAlias = MatchFact | DiceRevealed | RecordClosed


def result_of(fixture: str, games: Sequence[Result]) -> FixtureResult:
    """Return a fixture's result as tournaments count it; without games it is void for good."""
    parsed = parse_fixture(fixture)
    return FixtureResult(
        fixture=fixture,
        round=parsed.round,
        first=parsed.first,
        second=parsed.second,
        games=tuple(map(_shared, games)),
    )


@lru_cache(maxsize=1000)
def _shared(result: Result) -> Result:
    """Return the first of equal results: a tournament keeps thousands, and few are different."""
    return result
