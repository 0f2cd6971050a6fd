"""Whether two runs say the same: byte for byte apart from times, and from the lines that tell of an interruption."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.end_to_end.runs import Run, assert_verified

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
    # a bot is ready again if the arena was gone before both bots were
    once = [fact for at, fact in enumerate(kept) if fact["event"] != "bot_ready" or fact not in kept[at + 1 :]]
    return sorted(once, key=which_is_first)


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


def assert_same(run: Run, undisturbed: Run) -> None:
    """Every record says the same, and the table is the same."""
    names = [path.name for path in sorted((undisturbed.folder / "matches").iterdir())]
    assert [path.name for path in sorted((run.folder / "matches").iterdir())] == names
    for name in ("tournament.jsonl", *(f"matches/{name}" for name in names)):
        assert without_times(run.folder / name) == without_times(undisturbed.folder / name), name
    assert run.standings() == undisturbed.standings()
    assert_verified(run.folder)


def assert_same_matches(run: Run, undisturbed: Run) -> None:
    """Likewise, in whatever order the matches were played and settled."""
    names = [path.name for path in sorted((undisturbed.folder / "matches").iterdir())]
    assert [path.name for path in sorted((run.folder / "matches").iterdir())] == names
    for name in (f"matches/{name}" for name in names):
        assert without_times(run.folder / name) == without_times(undisturbed.folder / name), name
    assert without_order(run) == without_order(undisturbed)
    assert run.standings() == undisturbed.standings()
    assert_verified(run.folder)


def without_order(run: Run) -> list[str]:
    """The lines of the tournament record but for times and hashes, sorted."""
    return sorted(json.dumps(fact, sort_keys=True) for fact in without_times(run.folder / "tournament.jsonl"))
