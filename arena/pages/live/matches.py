"""The page of a match that is over, and its games, from its record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from arena.pages.contents import MatchPage, ReplayedGame
from arena.pages.live.match_following import MOST_GAMES
from arena.pages.match_page import RecordedMatch
from arena.records.files import match_record
from arena.records.lines import Attempt, RecordError, read_as_far_as_possible
from arena.server.io.disk import read_inside
from arena.words import Said


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
    attempt: Attempt, attempts: int, settled: tuple[int, Said] | None, *, is_counted: bool, broken: str
) -> MatchPage:
    """An attempt that is over."""
    page = RecordedMatch(attempt).page(attempts, settled, is_counted=is_counted, broken=broken)
    return replace(page, games=page.games[-MOST_GAMES:], left_out=max(0, len(page.games) - MOST_GAMES))


def game_of_attempt(folder: Path, attempt: Attempt, number: int) -> tuple[ReplayedGame | None, str]:
    """A game of an attempt that is over, with what its analysis says; and why the record contradicts itself, if so."""
    from arena.pages.games import replay_games
    from arena.pages.report.play import judged_games
    from arena.records.analysed import analysis_of
    from arena.server.setup.run_folder import RunFiles  # none of these for the first page, which is to come soon

    replayed = replay_games(attempt, {number})
    if not replayed.games:
        return None, replayed.broken
    analysis = analysis_of(RunFiles(folder), match_record(attempt.opened.match))
    judged = judged_games(analysis, attempt.opened.attempt) if analysis else {}
    return replace(replayed.games[0], analysis=judged.get(number)), replayed.broken
