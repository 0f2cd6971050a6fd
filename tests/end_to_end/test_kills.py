"""A venue whose processes are killed at random moments, with bots that come back by themselves."""

import random
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from arena.server.setup.referee_lines import PROGRAM
from arena.server.setup.venue_folder import VenueFolder
from tests.fixtures import arena_runs as runs
from tests.fixtures.bot_workshop import BOTS, build, why_missing
from tests.fixtures.open_venue import Venue, playing
from tests.processes import adopting, await_true, children_of
from tests.services.served import PATIENCE_S, Served, served

HOUSE = {f"house-{letter}": runs.honest("--steady", "--think-ms", 50) for letter in "abc"}
"""Bots that leave the processors to others most of the time."""
VICTIMS = ("parent", "referee", "referee", "pages")
"""Which process is killed, each as likely as another; it is the referee that plays."""
UPDATE_AFTER = 10
"""After so many kills the venue is ended in good order and started again, as for an update."""
OPENED_LATER = 1 + 3
"""What the parent opens after its start: the operator's log with its first line, and with the first
pulse two pipes of the analysis and the wait for its end."""
COME_BACK_S = 240
"""For all bots to have played once more: seven in three seats, on a busy machine."""
LOOK_S = 0.5


@dataclass
class Storm:
    """A venue that is killed, and what was seen of it."""

    venue: Venue
    served: ExitStack
    kills: int = 0
    last_kill_ms: int = 0

    def start(self) -> Served:
        """Serve the venue, while the processes of a killed parent may still be ending."""
        now = self.served.enter_context(served(self.venue.folder, PROGRAM))
        now.await_open()
        return now

    def rage(self, now: Served, moments: list[tuple[float, str]]) -> Served:
        """Kill a process at each of these moments; returns the venue as it is served at the end."""
        most_files = open_files(now) + OPENED_LATER
        for pause_s, victim in moments:
            time.sleep(pause_s)
            await_true(lambda: open_files(now) <= most_files, seconds=PATIENCE_S)  # noqa: B023
            if victim == "parent":
                now.parent.kill()
                now.parent.wait(PATIENCE_S)
            else:
                part = {"referee": now.referee, "pages": now.pages}[victim]
                psutil.Process(part()).kill()
            self.kills += 1
            print(self.kills, victim, flush=True)
            is_updated = self.kills % UPDATE_AFTER == 0
            if is_updated and victim != "parent":
                assert now.end() < 20
            self.last_kill_ms = int(time.time() * 1000)
            if is_updated or victim == "parent":
                now = self.start()
                most_files = open_files(now) + OPENED_LATER
        return now


def open_files(now: Served) -> int:
    """How many files the parent of a venue has open."""
    return psutil.Process(now.parent.pid).num_fds()


def moments(kills: int, longest_pause_s: float, seed: int) -> list[tuple[float, str]]:
    """Draw when to kill which process; every second pause is short, so that things are starting."""
    chance = random.Random(seed)
    drawn = []
    for number in range(kills):
        longest_s = longest_pause_s if number % 2 else 0.5
        drawn.append((chance.uniform(0, longest_s), chance.choice(VICTIMS)))
    return drawn


def test_only_what_was_started_in_between_must_be_gone() -> None:
    """The browser of other tests has processes of its own; they are left alone."""
    shell = ["sh", "-c", "echo; sleep 60 & wait"]
    with subprocess.Popen(shell, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        await_true(lambda: children_of(other.pid))
        with adopting():
            pass
        (child,) = children_of(other.pid)
        psutil.Process(child).kill()


@pytest.mark.parametrize(
    ("kills", "longest_pause_s", "seed"),
    [
        pytest.param(20, 4.0, 46, marks=pytest.mark.slow),
        pytest.param(200, 30.0, 47, marks=pytest.mark.soak),
    ],
)
def test_nothing_is_lost_however_the_processes_are_killed(
    tmp_path: Path, kills: int, longest_pause_s: float, seed: int
) -> None:
    """Bots in every language come back by themselves; no process and no file is left open."""
    kits = [kit for kit in BOTS if not why_missing(kit)]
    for kit in kits:
        build(kit)
    venue = Venue(
        tmp_path / "venue", HOUSE, most_matches=kills, turns=12, joining="open", sandbox="auto"
    )
    with ExitStack() as all_served, adopting(), ExitStack() as playing_bots:
        storm = Storm(venue, all_served)
        now = storm.start()
        bots = {}
        for kit in kits:
            name = f"a-{kit.language.lower()}"
            settings = venue.join(name)
            bots[name] = playing_bots.enter_context(playing(kit.start_command(), settings))

        def have_all_played() -> bool:
            """Whether every bot has played a whole match since the last kill."""
            time.sleep(LOOK_S)
            assert [name for name, bot in bots.items() if bot.poll() is not None] == []
            matches = venue.matches_since(storm.last_kill_ms)
            return all(matches[f"{name}-1"] for name in bots)

        await_true(have_all_played, seconds=COME_BACK_S)
        now = storm.rage(now, moments(kills, longest_pause_s, seed))
        await_true(have_all_played, seconds=COME_BACK_S)
        assert now.end() < 20
        with VenueFolder(venue.folder).locked():
            pass
    assert storm.kills == kills
    venue.check()
