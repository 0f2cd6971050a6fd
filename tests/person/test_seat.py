"""The seat against an arena that runs, over a network that breaks."""

from __future__ import annotations

import queue
import subprocess
import sys
from pathlib import Path

import pytest

from arena.person.arena_run import ArenaRun, Wanted
from arena.person.opponents import opponent_named
from arena.person.seat import Seat
from tests.end_to_end.proxy import BadConnections

pytestmark = pytest.mark.slow
PATIENCE_S = 60


@pytest.fixture
def run(tmp_path: Path):
    opponent = opponent_named("greedy")
    found = ArenaRun(tmp_path / "run", Wanted(opponent="greedy", command=opponent.command(), name="Åsa"))
    yield found
    found.stop()


def played(seat: Seat, news: queue.SimpleQueue, turns: int) -> int:
    """Plays the first move there is, for so many turns or to the end of the match; gives how many were played."""
    done = 0
    while done < turns:
        news.get(timeout=PATIENCE_S)
        with seat.at_the_board() as sitting:
            if sitting.phase in ("over", "left"):
                return done
            if sitting.phase == "call":
                seat.answer(lambda sitting: sitting.call(sitting.question, 1))
            if sitting.phase != "turn":
                continue
            while moves := sitting.next_moves():
                chosen = moves[done % len(moves)]
                sitting.move(sitting.question, [(chosen.start, chosen.target)])
            seat.answer(lambda sitting: sitting.confirm(sitting.question))
        done += 1
    return done


def test_a_match_goes_on_over_a_network_that_breaks(run: ArenaRun) -> None:
    port = int(run.address.rpartition(":")[2])
    network = BadConnections(port, cuts=6, bytes_between=(2500, 6000), seed=3)
    news: queue.SimpleQueue = queue.SimpleQueue()
    seat = Seat(lambda: news.put(None))
    try:
        seat.begin(f"tcp:127.0.0.1:{network.port}", run.entrant, run.tokens[run.entrant])
        played(seat, news, 10_000)
        assert (seat.sitting.phase, seat.sitting.dice_problems) == ("over", [])
        assert network.broken >= 2
    finally:
        network.close()
    assert seat.wait(PATIENCE_S)
    assert run.wait(PATIENCE_S)
    words = [sys.executable, "-m", "arena", "verify", str(run.folder)]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 0
    record = (run.folder / "tournament.jsonl").read_text(encoding="utf-8")
    assert f'"people":["{run.entrant}"]' in record
    assert "Åsa" in record


def test_who_leaves_gives_up_the_games_that_are_left(run: ArenaRun) -> None:
    news: queue.SimpleQueue = queue.SimpleQueue()
    seat = Seat(lambda: news.put(None))
    seat.begin(run.address, run.entrant, run.tokens[run.entrant])
    played(seat, news, 2)
    seat.leave()
    assert seat.wait(PATIENCE_S)
    assert seat.sitting.phase == "left"
    assert run.wait(PATIENCE_S)
    settled = [line for line in (run.folder / "tournament.jsonl").read_text().splitlines() if "fixture_settled" in line]
    assert len(settled) == 1
    assert settled[0].count('"forfeit"') == 3
