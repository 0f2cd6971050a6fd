"""The matches that a person has played by hand, as their run folders have them."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from heapq import nlargest
from pathlib import Path
from typing import Final, Literal

import msgspec

from arena.person.arena_run import RunError, plan_in
from arena.records.facts import FixtureSettled
from arena.records.files import MATCHES, TOURNAMENT_FILE, TOURNAMENT_RECORD
from arena.records.lines import RecordError, tournament_lines, whole_lines
from arena.server.io.disk import read_inside
from arena.server.setup.tournament_file import Plan
from arena.tournaments import TournamentError
from arena.tournaments.schedule import parse_fixture

MOST: Final = 12
"""The latest matches, which are listed."""


class PastMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match of the person, over or not."""

    run: str
    """The run folder."""
    record: str
    """The name of the match record in it."""
    entrant: str
    """The person's."""
    seat: int
    opponent: str
    ruleset: str
    score: Sequence[int]
    """The person's points, then the opponent's; empty until the match is over."""
    result: Literal["won", "lost", "drawn", "open"]
    began_ms: int
    """Since 1970."""


def past_matches(folders: Iterable[Path]) -> list[PastMatch]:
    """Return the matches in these run folders, the latest first, at most `MOST`."""
    began = {}
    for folder in folders:
        with suppress(OSError):  # another program has removed it
            began[folder] = (folder / TOURNAMENT_FILE).stat().st_mtime
    matches = []
    for folder in nlargest(MOST, began, key=began.__getitem__):
        # a folder of another kind, or of a match that never began
        with suppress(OSError, RunError, RecordError, TournamentError):
            plan = plan_in(folder)
            matches += _matches_in(folder, plan, began_ms=round(1000 * began[folder]))
    return matches


def _matches_in(folder: Path, plan: Plan, *, began_ms: int) -> list[PastMatch]:
    """Return the match in a run folder; none if it has not started."""
    person, opponent = sorted(plan.bot, key=lambda bot: not bot.person)
    settled = {}
    lines = whole_lines(read_inside(folder, TOURNAMENT_RECORD))
    for _, fact in tournament_lines.read(TOURNAMENT_RECORD, lines):
        if isinstance(fact, FixtureSettled):
            settled[fact.fixture] = fact
    matches = []
    for path in (folder / MATCHES).glob("*.jsonl"):
        fixture = parse_fixture(path.stem)
        seat = 1 if fixture.first == person.entrant else 2
        score: Sequence[int] = ()
        result: Literal["won", "lost", "drawn", "open"] = "open"
        if path.stem in settled:
            fact = settled[path.stem]
            score = fact.score if seat == 1 else fact.score[::-1]
            result = "drawn"
            if fact.winner is not None:
                result = "won" if fact.winner == person.entrant else "lost"
        match = PastMatch(
            run=str(folder),
            record=MATCHES + path.name,
            entrant=person.entrant,
            seat=seat,
            opponent=opponent.name,
            ruleset=str(plan.tournament.ruleset),
            score=score,
            result=result,
            began_ms=began_ms,
        )
        matches.append(match)
    return matches
