"""A day of a ladder with real programs, killed and gone on with: no match is lost or played twice."""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from arena.records.verify import verify_run
from arena.server.setup.run_folder import RunFiles
from tests.fixtures import arena_runs as runs
from tests.processes import await_true

VENUE = Path(__file__).parent / "ladder_venue.py"
FOR_EVER = str(10**6)
KILLS, MATCHES = 3, "10"


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is gone at the end."""
    environment = runs.environment() | {"PYTHONPATH": str(runs.REPOSITORY)}
    with subprocess.Popen(
        command, cwd=runs.REPOSITORY, env=environment, stdout=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def count(folder: Path, event: str) -> int:
    """How many lines of a kind the record of the day has."""
    record = folder / "tournament.jsonl"
    if not record.exists():
        return 0
    return record.read_bytes().count(f'{{"event":"{event}"'.encode())


@pytest.mark.slow
def test_a_day_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    """Its bot from elsewhere comes back by itself."""
    folder = tmp_path / "day"
    address = f"tcp:127.0.0.1:{runs.free_port()}"
    chance = random.Random(KILLS)
    bot = [*runs.honest("--steady"), "--address", address, "--name", "anna", "--token", "a" * 64]
    venue = [sys.executable, str(VENUE), str(folder), address]
    record = folder / "tournament.jsonl"
    with ExitStack() as stack:
        anna = None
        for number in range(KILLS):
            with running([*venue, FOR_EVER]):
                if anna is None:
                    await_true(lambda: count(folder, "ladder_opened"))
                    anna = stack.enter_context(running(bot))
                    # one that was never let in does not come back
                    await_true(lambda: b'"bot":"anna"' in record.read_bytes())
                settled = count(folder, "fixture_settled") + chance.choice([1, 1, 2])
                await_true(lambda: count(folder, "fixture_settled") >= settled)  # noqa: B023
                time.sleep(chance.random() * 0.3)
            assert anna.poll() is None, f"the bot has ended after {number} kills"
        with running([*venue, MATCHES]) as last:
            assert last.wait(timeout=240) == 0
    assert verify_run(RunFiles(folder)).is_finished
    lines = [json.loads(line) for line in (folder / "tournament.jsonl").read_text().splitlines()]
    by_event: dict[str, Counter[str]] = {}
    for line in lines:
        if "fixture" in line:
            by_event.setdefault(line["event"], Counter())[line["fixture"]] += 1
    assert set(by_event["fixture_settled"].values()) == {1}
    assert by_event["fixture_settled"].keys() == by_event["pair_drawn"].keys()
    forfeits = [
        game for line in lines for game in line.get("games", ()) if game.get("cause") is not None
    ]
    assert forfeits == []
    assert {"anna-1", "greedy-1"} <= {
        row["entrant"] for line in lines for row in line.get("standings", ())
    }
