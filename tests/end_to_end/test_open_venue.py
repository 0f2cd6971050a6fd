"""A venue as its users see it: opened, joined, played in, killed, gone on with, ended, and verified."""

import os
import signal
import time
from pathlib import Path

import pytest

from arena.server.setup.referee_lines import PROGRAM
from tests.fixtures import arena_runs as runs
from tests.fixtures.open_venue import Venue, playing
from tests.processes import await_true
from tests.services.served import PATIENCE_S, served

THINKERS = {f"thinker-{letter}": runs.honest("--think-ms", 600_000) for letter in "abcdefgh"}
"""House bots that do not answer in time."""


@pytest.mark.slow
def test_a_bot_joins_plays_and_comes_back_after_a_kill(tmp_path: Path) -> None:
    venue = Venue(tmp_path / "venue")
    with served(venue.folder, PROGRAM) as first:
        first.await_open()
        [_, door, invite] = first.opened
        assert door == venue.address
        settings = venue.join("anna", "--invite", invite)
        with playing(runs.honest(), settings) as anna:
            await_true(lambda: venue.matches_since()["anna-1"] >= 1, seconds=PATIENCE_S)
            os.kill(first.referee(), signal.SIGKILL)
            before = venue.matches_since()["anna-1"]
            await_true(lambda: venue.matches_since()["anna-1"] > before, seconds=PATIENCE_S)
            banned = venue.typed("admin", str(venue.folder), "ban", "anna", "--why", "a test")
            assert (banned.returncode, banned.stderr) == (0, "anna is banned\n")
            assert anna.wait(PATIENCE_S) != 0
        assert first.end() < 20
    assert first.parent.returncode == 0
    venue.check()


def test_a_file_of_nonsense_opens_nothing(tmp_path: Path) -> None:
    venue = Venue(tmp_path / "venue")
    (venue.folder / "venue.toml").write_text("[[ladder]]\nname = 7\nseats = 0\n")
    refused = venue.typed("serve", str(venue.folder), "--no-open")
    assert refused.returncode == 2
    assert f"{venue.folder}/venue.toml cannot be used" in refused.stderr
    assert not (venue.folder / "venue.jsonl").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("signals", "most_s"), [(1, 20.0), (2, 10.0)], ids=["first", "second"])
def test_a_signal_ends_a_venue_in_which_eight_house_bots_think(
    tmp_path: Path, signals: int, most_s: float
) -> None:
    """The first waits for their answers for a while, the second does not; no line is lost."""
    venue = Venue(tmp_path / "venue", THINKERS, seats=4, delay_ms=600_000)
    with served(venue.folder, PROGRAM) as now:
        now.await_open()

        def matches_begun() -> int:
            records = venue.folder.glob("runs/*/matches/*.jsonl")
            return sum(b'"event":"game_started"' in path.read_bytes() for path in records)

        await_true(lambda: matches_begun() == venue.seats, seconds=PATIENCE_S)
        before = records_of(venue)
        began = time.monotonic()
        for _ in range(signals - 1):
            os.kill(now.parent.pid, signal.SIGTERM)
            time.sleep(1)
        now.end(signal.SIGTERM)
        assert time.monotonic() - began < most_s
    assert now.parent.returncode == 0
    after = records_of(venue)
    assert after.keys() == before.keys()
    for path, record in before.items():
        assert after[path].startswith(record)
    venue.check()


def records_of(venue: Venue) -> dict[Path, bytes]:
    """All records of a venue, as far as they go now."""
    paths = [venue.folder / "venue.jsonl", *venue.folder.glob("runs/*/**/*.jsonl")]
    return {path: path.read_bytes() for path in paths}
