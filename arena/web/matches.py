"""The page of one match: from its follower while it is played, from its record once it is over."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from arena.matches.facts import BotReady, MatchVoided
from arena.records.files import match_record
from arena.records.lines import RecordError
from arena.records.reading import Attempt, read_as_far_as_possible
from arena.report.contents import ReplayedGame
from arena.server.io.inside import read_inside
from arena.tournaments.schedule import parse_fixture
from arena.web.contents import GameRow, MatchPage
from arena.web.match_following import MatchFollower

MOST_GAMES: Final = 1000
"""In the list of a match; earlier ones are left out."""


def page_of_follower(follower: MatchFollower) -> MatchPage:
    """A match that is being played. Nothing of it may have been read yet."""
    opened = follower.opened
    assert opened is not None, "the header of the match was read"
    running = {number: game for number, game in follower.games.items() if game.ended is None}
    shown = running or (
        {follower.current: follower.games[follower.current]} if follower.current in follower.games else {}
    )
    numbers = sorted({*follower.results, *follower.games})
    rows = []
    for number in numbers[-MOST_GAMES:]:
        result, turns = follower.results.get(number, (None, None))
        rows.append(GameRow(game=number, result=result, turns=turns))
    return MatchPage(
        fixture=opened.match,
        attempt=opened.attempt,
        attempts=opened.attempt,
        round=parse_fixture(opened.match).round,
        entrants=opened.entrants,
        versions=follower.versions,
        terms=opened.terms,
        state="under way",
        is_over=follower.is_over,
        void=follower.void,
        score=follower.score,
        games=rows,
        left_out=max(0, len(numbers) - MOST_GAMES),
        open=[game.replayed(number) for number, game in sorted(shown.items())],
        current=follower.current,
        key=follower.key,
        at_ms=follower.at_ms,
        commitment=opened.dice_commitment,
        broken=follower.broken,
    )


def read_record(folder: Path, fixture: str) -> tuple[list[Attempt], str]:
    """Every attempt in the record of a match, and what is wrong with it; empty if nothing is.

    Raises `RecordError` if there is none, or it cannot be read at all.
    """
    name = match_record(fixture)
    try:
        found = (folder / name).lstat()
        return _read(folder, name, (found.st_size, found.st_mtime_ns))
    except FileNotFoundError as error:
        raise RecordError(name, "there is no such record") from error
    except OSError as error:
        raise RecordError(name, f"the file cannot be read: {error.strerror}") from error


@lru_cache(maxsize=16)
def _read(folder: Path, name: str, _stamp: tuple[int, int]) -> tuple[list[Attempt], str]:
    return read_as_far_as_possible(name, read_inside(folder, name))


def attempt_numbered(attempts: Sequence[Attempt], number: int) -> Attempt | None:
    """The attempt with this number; None if there is none."""
    return next((one for one in attempts if one.opened.attempt == number), None)


def page_of_attempt(
    attempt: Attempt, attempts: int, state: Literal["settled", "annulled", "void"], decision: str, broken: str
) -> MatchPage:
    """An attempt that is over."""
    opened, end = attempt.opened, attempt.end
    versions = {fact.seat: fact.entrant.version for _, fact in attempt.facts if isinstance(fact, BotReady)}
    ended = attempt.ended
    return MatchPage(
        fixture=opened.match,
        attempt=opened.attempt,
        attempts=attempts,
        round=parse_fixture(opened.match).round,
        entrants=opened.entrants,
        versions=(versions.get(1, ""), versions.get(2, "")),
        terms=opened.terms,
        state=state,
        is_over=True,
        void=end.reason if isinstance(end, MatchVoided) else "",
        score=ended[-1].score if ended else (0, 0),
        decision=decision,
        games=[GameRow(game=fact.game, result=fact.result, turns=fact.turns) for fact in ended[-MOST_GAMES:]],
        left_out=max(0, len(ended) - MOST_GAMES),
        at_ms=end.at_ms if end else opened.at_ms,
        commitment=opened.dice_commitment,
        seed=attempt.seed.hex() if attempt.seed else "",
        broken=broken,
    )


def game_of_attempt(folder: Path, attempt: Attempt, number: int) -> tuple[ReplayedGame | None, str]:
    """A game of an attempt that is over, with what its analysis says; and why the record contradicts itself, if so."""
    from arena.records.analysed import analysis_of
    from arena.report.games import replay_games
    from arena.report.play import judged_games
    from arena.server.setup.run_folder import RunFiles  # none of these for the first page, which is to come soon

    replayed = replay_games(attempt, {number})
    if not replayed.games:
        return None, replayed.broken
    analysis = analysis_of(RunFiles(folder), match_record(attempt.opened.match))
    judged = judged_games(analysis, attempt.opened.attempt) if analysis else {}
    return replace(replayed.games[0], analysis=judged.get(number)), replayed.broken
