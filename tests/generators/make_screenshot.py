"""The picture of the live pages: `python -m tests.generators.make_screenshot RUN`, of a finished run such as demo-run.

The run is copied, and its last matches are taken back into the middle of a game, so that they look as when they were
played. No test compares the picture: browsers draw type differently.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from tests.generators.make_pictures import PICTURES
from tests.generators.served_page import served_page

RUNNING: Final = 3
"""How many matches are shown as being played."""


def taken_back(run: Path, folder: Path) -> Path:
    """A copy of a run in which the last matches are not over."""
    (folder / "matches").mkdir()
    (folder / "tournament.toml").write_bytes((run / "tournament.toml").read_bytes())
    lines = (run / "tournament.jsonl").read_bytes().splitlines(keepends=True)
    facts = [msgspec.json.decode(line) for line in lines]
    settled = [fact["fixture"] for fact in facts if fact["event"] == "fixture_settled"]
    open_ones = set(settled[-RUNNING:])
    kept = [
        line
        for line, fact in zip(lines, facts, strict=True)
        if fact["event"] not in ("tournament_ended", "record_closed", "head_signed")
        and not (fact["event"] == "fixture_settled" and fact["fixture"] in open_ones)
    ]
    (folder / "tournament.jsonl").write_bytes(b"".join(kept))
    for fixture in settled:
        name = f"matches/{fixture}.jsonl"
        record = (run / name).read_bytes().splitlines(keepends=True)
        (folder / name).write_bytes(b"".join(record[: len(record) // 3] if fixture in open_ones else record))
    return folder


def take(folder: Path, path: Path) -> None:
    """Serve the run, and take the picture of its first page."""
    with served_page("watch", str(folder), width=1120, height=900) as page:
        page.locator(".card .board").nth(RUNNING - 1).wait_for()
        page.screenshot(path=path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        take(taken_back(Path(sys.argv[1]), Path(scratch)), PICTURES / "watching.png")
