"""The crowd: 200 matches at once between honest bots and 20 that misbehave; every honest result must be intact."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from time import monotonic
from typing import Final

import msgspec
import trio

from arena.records.facts import FixtureIssued, FixtureSettled, FixtureVoided, TournamentFact
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import RecordError
from arena.records.reading import read_tournament
from arena.records.verify import verify_run
from arena.server.setup.run_folder import RunFiles
from arena.server.setup.tournament_file import ClockSection, LimitsSection, Plan, TournamentSection
from arena.torture import answers, frames, pace
from arena.torture.own_arena import OwnArena, own_arena, remote
from arena.torture.player import Fault, Moments, Player
from arena.torture.raw_connection import framed
from arena.tournaments.schedule import parse_fixture

HONEST: Final = 12
ROGUES: Final = 20
AT_ONCE: Final = 200
WINDOW: Final = 256
PATIENCE_SECONDS: Final = 180.0

FAULTS: Final[tuple[Fault, ...]] = (
    frames.writes(b"\xff\xff\xff\xff"),
    frames.writes(frames.junk(10_000)),
    frames.writes(framed(frames.NESTED)),
    frames.writes(framed(frames.DUPLICATE)),
    frames.writes(frames.HALF),
    frames.answers(choice=0, info=2**64 - 1),
    answers.stale,
    answers.double,
    answers.foreign_game,
    answers.illegal_always,
    pace.is_silent,
    pace.crashes,
    pace.says_bye,
    pace.byte_by_byte,
    pace.never_reads,
)
"""The faults of the rogues: the first fifteen have one each, the rest start again from the beginning."""

PLAN: Final = Plan(
    tournament=TournamentSection(games=3, at_once=AT_ONCE),
    clock=ClockSection(delay_ms=3000, bank_ms=10_000),
    limits=LimitsSection(turns=24, violations=20, startup_ms=5000, grace_ms=500, join_ms=30_000),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrowdFound:
    """The result of the crowd."""

    matches: int
    """Matches settled or void for good."""
    at_once: int
    """The most matches under way at one time."""
    honest: int
    """Matches between two honest bots."""
    seconds: float
    problems: tuple[str, ...]
    """What is wrong; empty if every honest result is intact."""

    @property
    def sentence(self) -> str:
        """The result in a sentence."""
        end = "every honest result is intact" if not self.problems else f"{len(self.problems)} problems:"
        return (
            f"{self.matches} matches, up to {self.at_once} at once, {ROGUES} misbehaving bots, "
            f"{self.honest} matches among {HONEST} honest ones, {self.seconds:.0f} s: {end}"
        )


async def play_crowd() -> CrowdFound:
    """Play the tournament in an arena of its own, and check its records."""
    names = [f"honest-{number}" for number in range(1, HONEST + 1)]
    rogues = [f"rogue-{number}" for number in range(1, ROGUES + 1)]
    field = _mixed(names, rogues)
    plan = msgspec.structs.replace(PLAN, bot=remote(*field, at_once=WINDOW))
    began = monotonic()
    with tempfile.TemporaryDirectory(prefix="arena-torture-") as place:
        async with own_arena(Path(place), plan) as arena:
            status: int | None = None
            async with trio.open_nursery() as nursery:
                faults = dict(zip(rogues, cycle(FAULTS), strict=False))
                for name in field:
                    player = Player(await arena.connect(), name, arena.tokens[name], Moments(), window=WINDOW)
                    if name in faults:
                        player.will(faults[name], at_turn=5)
                    nursery.start_soon(player.run)
                with trio.move_on_after(PATIENCE_SECONDS):
                    status = await arena.ended()
                nursery.cancel_scope.cancel()
            return _judge(arena, status, set(names), monotonic() - began)


def _mixed(honest: Sequence[str], rogues: Sequence[str]) -> list[str]:
    """The entrants in an order in which rounds mix honest and misbehaving bots."""
    alternating = [name for pair in zip(honest, rogues, strict=False) for name in pair]
    return [*alternating, *rogues[len(honest) :]]


def _judge(arena: OwnArena, status: int | None, honest: set[str], seconds: float) -> CrowdFound:
    files = RunFiles(arena.run)
    problems = []
    if status != 0:
        ended = "is not over in time" if status is None else f"ended with status {status}"
        problems.append(f"the arena {ended}: {arena.last_words}")
    facts = [fact for _, fact in read_tournament(TOURNAMENT_RECORD, files[TOURNAMENT_RECORD])]
    settled = [fact for fact in facts if isinstance(fact, FixtureSettled)]
    among_honest = 0
    for fact in settled:
        fixture = parse_fixture(fact.fixture)
        for name, violations in zip((fixture.first, fixture.second), fact.violations, strict=True):
            if name in honest and violations:
                causes = ", ".join(str(game.cause) for game in fact.games)
                problems.append(f"{fact.fixture}: {name} has {violations} violations; causes of the games: {causes}")
        if {fixture.first, fixture.second} <= honest:
            among_honest += 1
            if any(game.cause for game in fact.games):
                problems.append(f"{fact.fixture}: a game among honest bots was forfeited")
    expected = len(honest) * (len(honest) - 1) // 2
    if among_honest != expected:
        problems.append(f"{among_honest} of {expected} matches among honest bots are settled")
    if status == 0:
        try:
            verify_run(files)
        except RecordError as error:
            problems.append(f"the records are not in order: {error}")
    return CrowdFound(
        matches=len(settled) + sum(isinstance(fact, FixtureVoided) and fact.is_last for fact in facts),
        at_once=_most_at_once(facts),
        honest=among_honest,
        seconds=round(seconds, 1),
        problems=tuple(problems),
    )


def _most_at_once(facts: Sequence[TournamentFact]) -> int:
    number = most = 0
    for fact in facts:
        number += isinstance(fact, FixtureIssued) - isinstance(fact, FixtureSettled | FixtureVoided)
        most = max(most, number)
    return most
