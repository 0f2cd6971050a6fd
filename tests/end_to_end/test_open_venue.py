"""A venue as its users see it: opened, joined, played in, killed, gone on with, and verified."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.server.setup.referee_lines import PROGRAM
from tests.end_to_end.test_resume import free_port
from tests.fixtures import arena_runs as runs
from tests.processes import await_true
from tests.services.served import PATIENCE_S, Served, served

HONEST = Path(__file__).parent / "bots" / "honest.py"
FILE = """
[listen]
address = "tcp:127.0.0.1:{port}"
[[ladder]]
name = "vasa"
seats = 3
most_matches = {most_matches}
[ladder.clock]
bank_ms = 60000
[ladder.limits]
turns = 6
startup_ms = 60000
sandbox = "off"
check_bots = "off"
"""
HOUSE_BOT = '[[bot]]\nname = "{name}"\ncommand = ["{python}", "{bot}", {options}]\n'
HOUSE = {"first": "", "steady": '"--steady"', "slow": '"--think-ms", "2"'}


class Venue:
    """The folder of a venue, and its users."""

    def __init__(self, folder: Path, most_matches: int) -> None:
        self.folder = folder
        folder.mkdir()
        self.address = f"tcp:127.0.0.1:{free_port()}"
        port = self.address.rpartition(":")[2]
        text = FILE.format(port=port, most_matches=most_matches)
        for name, options in HOUSE.items():
            text += HOUSE_BOT.format(name=name, python=sys.executable, bot=HONEST, options=options)
        (folder / "venue.toml").write_text(text)

    def typed(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """A command of the arena."""
        command = [sys.executable, "-m", "arena", *words]
        return subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            cwd=runs.REPOSITORY,
        )

    def join(self, name: str, invite: str) -> dict[str, str]:
        """What the line that `arena join` prints sets for the bot."""
        joined = self.typed("join", self.address, "--invite", invite, "--name", name)
        assert joined.returncode == 0, joined.stderr
        return dict(word.split("=", 1) for word in joined.stdout.split() if "=" in word)

    def lines(self, *events: str) -> list[dict[str, Any]]:
        """The lines of all days."""
        lines: list[dict[str, Any]] = []
        for record in sorted(self.folder.glob("runs/*/tournament.jsonl")):
            whole = record.read_text().rpartition("\n")[0]
            lines += map(json.loads, whole.splitlines())
        return [line for line in lines if line["event"] in events]

    def matches_of(self, entrant: str) -> int:
        """Matches of an entrant that are decided."""
        settled = self.lines("fixture_settled")
        return sum(f"-{entrant}-v-" in f"-{line['fixture']}-v-" for line in settled)


@contextmanager
def played(settings: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """A bot from elsewhere, which is gone at the end."""
    environment = runs.environment() | settings | {"PYTHONPATH": str(runs.REPOSITORY)}
    with subprocess.Popen(
        [sys.executable, str(HONEST)], env=environment, stdout=subprocess.DEVNULL
    ) as bot:
        try:
            yield bot
        finally:
            bot.kill()


def check(venue: Venue) -> None:
    """No match is lost or played twice, and everything verifies."""
    verified = venue.typed("verify", str(venue.folder))
    assert verified.returncode == 0, verified.stdout
    assert "in order" in verified.stdout.splitlines()[-1]
    settled = Counter(line["fixture"] for line in venue.lines("fixture_settled"))
    assert set(settled.values()) == {1}


def test_a_bot_joins_plays_and_comes_back_after_a_kill(tmp_path: Path) -> None:
    venue = Venue(tmp_path / "venue", most_matches=10_000)
    with served(venue.folder, PROGRAM) as first:
        first.await_open()
        [_, door, invite] = first.opened
        assert door == venue.address
        settings = venue.join("anna", invite)
        with played(settings) as anna:
            await_true(lambda: venue.matches_of("anna-1") >= 1, seconds=PATIENCE_S)
            os.kill(first.referee(), signal.SIGKILL)
            before = venue.matches_of("anna-1")
            await_true(lambda: venue.matches_of("anna-1") > before, seconds=PATIENCE_S)
            banned = venue.typed("admin", str(venue.folder), "ban", "anna", "--why", "a test")
            assert (banned.returncode, banned.stderr) == (0, "anna is banned\n")
            assert anna.wait(PATIENCE_S) != 0
        assert first.end() < 20
    assert first.parent.returncode == 0
    check(venue)


def test_a_file_of_nonsense_opens_nothing(tmp_path: Path) -> None:
    venue = Venue(tmp_path / "venue", most_matches=10_000)
    (venue.folder / "venue.toml").write_text("[[ladder]]\nname = 7\nseats = 0\n")
    refused = venue.typed("serve", str(venue.folder), "--no-open")
    assert refused.returncode == 2
    assert f"{venue.folder}/venue.toml cannot be used" in refused.stderr
    assert not (venue.folder / "venue.jsonl").exists()


@pytest.mark.soak
def test_days_survive_kills_of_all_three_processes(tmp_path: Path) -> None:
    venue = Venue(tmp_path / "venue", most_matches=12)
    chance = random.Random(46)
    with ExitStack() as stack:
        anna = None
        for _ in range(6):
            with served(venue.folder, PROGRAM) as now:
                now.await_open()
                if anna is None:
                    settings = venue.join("anna", now.opened[2])
                    anna = stack.enter_context(played(settings))
                for _ in range(3):
                    kill_soon(now, chance)
                now.await_healthy()
                settled = len(venue.lines("fixture_settled"))
                await_true(
                    lambda: len(venue.lines("fixture_settled")) > settled + 2,  # noqa: B023
                    seconds=PATIENCE_S,
                )
                now.end(chance.choice([signal.SIGKILL, signal.SIGTERM]))
        assert anna is not None
        assert anna.poll() is None
    check(venue)


def kill_soon(venue: Served, chance: random.Random) -> None:
    """End the referee or the pages at a moment that nobody expects."""
    time.sleep(chance.random() * 3)
    process = chance.choice([venue.referee, venue.pages])
    os.kill(process(), signal.SIGKILL)
