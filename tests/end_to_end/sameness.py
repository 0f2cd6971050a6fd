"""Whether two runs say the same: byte for byte apart from times, and from the lines that tell of an interruption."""

import json
import shutil
from pathlib import Path
from typing import Any

from arena.records.facts import STOPPED
from tests.fixtures.arena_runs import Run, assert_verified

ONLY_THEN = {"match_resumed", "bot_returned", "bots_contained"}
"""The lines that tell of an interruption."""
TIMES = {"at_ms", "spent_ms", "left_ms", "lag_ms"}
DIGESTS = {"sha256", "record_sha256"}
"""What depends on the times."""


EARLY = ("match_opened", "bot_ready", "entropy_revealed")
"""What comes before the first game."""


def without_times(path: Path) -> list[dict[str, Any]]:
    """The lines of a record as they are but for times, the hashes over them, and what tells of an interruption."""
    facts = [json.loads(line) for line in path.read_bytes().splitlines()]
    kept = [
        {key: value for key, value in fact.items() if key not in TIMES | DIGESTS}
        for fact in facts
        if fact["event"] not in ONLY_THEN
    ]
    if path.parent.name != "matches":
        return kept
    return sorted(kept, key=which_is_first)


def which_is_first(fact: dict[str, Any]) -> tuple[int, int]:
    """Which bot is ready first, and which half of a pair is answered first, depends on time as well."""
    if fact["event"] in EARLY:
        return 0, 3 * EARLY.index(fact["event"]) + fact.get("seat", 0)
    return fact.get("game", 99), 0


def begin_like(run: Run, folder: Path) -> Run:
    """A run folder in which nothing has happened yet but that its dice follow from the same secret."""
    (folder / "matches").mkdir(parents=True)
    shutil.copy(run.folder / "tournament.toml", folder)
    shutil.copy(run.folder / "secrets.json", folder)
    return Run(folder)


def stopped(run: Run) -> set[str]:
    """The fixtures of which an attempt is void because the arena was gone before the dice of it were settled.

    Their next attempts have other dice. None of these attempts has begun a game.
    """
    fixtures = {
        fact["fixture"] for fact in run.facts("fixture_voided") if fact["reason"] == [*STOPPED]
    }
    for fixture in fixtures:
        games = [0]
        for fact in run.match(fixture):
            if fact["event"] == "match_voided" and fact["reason"] == [*STOPPED]:
                assert games[-1] == 0, "an attempt that was stopped had begun"
            games += [0] * (fact["event"] == "match_opened")
            games[-1] += fact["event"] == "game_started"
    return fixtures


def assert_same(run: Run, undisturbed: Run, *, stops: int = 0, in_any_order: bool = False) -> None:
    """Every record says the same, and the table is the same, but for what follows from so many stopped attempts.

    The matches may have been played and settled in any order if that is said.
    """
    names = [path.name for path in sorted((undisturbed.folder / "matches").iterdir())]
    assert [path.name for path in sorted((run.folder / "matches").iterdir())] == names
    others = stopped(run)
    assert len(others) <= stops
    for name in names:
        if name.removesuffix(".jsonl") not in others:
            assert without_times(run.folder / "matches" / name) == without_times(
                undisturbed.folder / "matches" / name
            )
    log, known = (
        [
            fact
            for fact in without_times(one.folder / "tournament.jsonl")
            if fact.get("fixture") not in others
        ]
        for one in (run, undisturbed)
    )
    if others:  # the table may be another
        log, known = ([fact for fact in facts if "fixture" in fact] for facts in (log, known))
    if in_any_order:
        log, known = (sorted(facts, key=json.dumps) for facts in (log, known))
    assert log == known
    assert others or run.standings() == undisturbed.standings()
    assert_verified(run.folder)
