"""The seat against an arena that runs, over a network that breaks."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.person.arena_run import ArenaRun, OwnArena, Wanted
from arena.person.seat import Seat
from arena.sample_opponents import opponent_named
from arena.words import say
from protocol.messages import Error, Play
from tests.fixtures.bad_network import BadConnections
from tests.fixtures.fake_arena import Door, unix_door
from tests.person.at_the_table import Table
from tests.person.shown import shown

PATIENCE_S = 60


@pytest.fixture
def arena():
    with closing(OwnArena()) as found:
        yield found


@pytest.fixture
def run(arena: OwnArena, tmp_path: Path) -> ArenaRun:
    opponent = opponent_named("greedy")
    return arena.play(
        tmp_path / "run", Wanted(opponent="greedy", command=opponent.command(), name="Åsa")
    )


def played(seat: Seat, news: queue.SimpleQueue, turns: int) -> int:
    """Plays the first move there is, for so many turns or to the end of the match; gives how many were played."""
    done = 0
    while done < turns:
        news.get(timeout=PATIENCE_S)
        with seat.at_the_board() as sitting:
            if sitting.phase in ("over", "left"):
                return done
            if sitting.phase == "break":
                seat.ready(sitting.question)
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


@pytest.mark.slow
def test_a_match_goes_on_over_a_network_that_breaks(run: ArenaRun) -> None:
    network = BadConnections(run.address, cuts=6, bytes_between=(2500, 6000), seed=3)
    news: queue.SimpleQueue = queue.SimpleQueue()
    seat = Seat(lambda: news.put(None))
    try:
        seat.begin(
            f"tcp:127.0.0.1:{network.port}", run.entrant, run.tokens[run.entrant], run.folder
        )
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
    assert "Åsa" in record
    [opening] = [
        json.loads(line)["entrant"]
        for path in run.folder.glob("matches/*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
        if '"event":"bot_ready"' in line and run.entrant in line
    ]
    assert opening["kind"] == "person"


def seen(seat: Seat) -> Any:
    """What the person sees at the board."""
    with seat.at_the_board() as sitting:
        return shown(sitting)


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [True, False], ids=["killed", "stopped"])
def test_a_match_goes_on_as_the_person_left_it(
    arena: OwnArena, run: ArenaRun, *, is_killed: bool
) -> None:
    """The score, the turns and games so far, and the moves that were made of the open turn."""
    news: queue.SimpleQueue = queue.SimpleQueue()
    seat = Seat(lambda: news.put(None))
    seat.begin(run.address, run.entrant, run.tokens[run.entrant], run.folder)
    while not seat.sitting.over:
        played(seat, news, 1)
    played(seat, news, 2)
    while not seat.sitting.next_moves():
        if seat.sitting.phase == "turn":
            seat.answer(lambda sitting: sitting.confirm(sitting.question))  # a pass
        news.get(timeout=PATIENCE_S)
    with seat.at_the_board() as sitting:
        first = sitting.next_moves()[0]
        sitting.move(sitting.question, [(first.start, first.target)])
    before = seen(seat)
    if is_killed:
        arena.kill()
    run.stop()
    assert seat.wait(PATIENCE_S)
    again = arena.play(run.folder, None)
    seat = Seat(lambda: news.put(None))
    seat.begin(again.address, again.entrant, again.tokens[again.entrant], again.folder)
    while seat.sitting.phase != "turn":
        news.get(timeout=PATIENCE_S)
    assert seen(seat) == before


@pytest.mark.slow
def test_who_leaves_gives_up_the_games_that_are_left(run: ArenaRun) -> None:
    news: queue.SimpleQueue = queue.SimpleQueue()
    seat = Seat(lambda: news.put(None))
    seat.begin(run.address, run.entrant, run.tokens[run.entrant], run.folder)
    played(seat, news, 2)
    seat.leave()
    assert seat.wait(PATIENCE_S)
    assert seat.sitting.phase == "left"
    assert run.wait(PATIENCE_S)
    settled = [
        line
        for line in (run.folder / "tournament.jsonl").read_text().splitlines()
        if "fixture_settled" in line
    ]
    assert len(settled) == 1
    assert settled[0].count('"forfeit"') == 3


def refused(door: Door, folder: Path, code: str) -> Seat:
    """A seat that an arena has not let in, with this code."""
    seat = Seat(lambda: None)
    seat.begin(door.address, "you", "secret-of-you", folder)
    with door.open() as arena:
        arena.greet()
        arena.say(Error(code=code, message="no", fatal=True))
        assert seat.wait(PATIENCE_S)
    return seat


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("already_connected", "another program is connected there already"),
        ("bad_login", "it does not know the token of this link"),
        ("bad_token", "the arena says bad_token: no"),
    ],
)
def test_a_seat_that_is_refused_says_why(tmp_path: Path, code: str, why: str) -> None:
    with unix_door(tmp_path) as door:
        sitting = refused(door, tmp_path, code).sitting
    assert (sitting.phase, say(sitting.why_left)) == (
        "left",
        f"the arena does not let you take this seat: {why}",
    )


def test_a_seat_that_reaches_no_arena_says_so(tmp_path: Path) -> None:
    seat = Seat(lambda: None)
    seat.begin(f"unix:{tmp_path}/none", "you", "secret-of-you", tmp_path)
    assert seat.wait(PATIENCE_S)
    assert say(seat.sitting.why_left).startswith(
        f"the arena cannot be reached: cannot connect to unix:{tmp_path}/none"
    )


def test_an_answer_to_a_question_of_a_lost_connection_is_not_sent_on_the_next_one(
    tmp_path: Path,
) -> None:
    seat, table = Seat(lambda: None), Table()
    seat.answers.append((table.turn(table.game.start(), (3, 1)), Play(game=0, turn=1, choice=0)))
    with unix_door(tmp_path) as door:
        seat.begin(door.address, "you", "secret-of-you", tmp_path)
        with door.open() as arena:
            arena.greet()
            arena.say(Error(code="bad_token", message="no", fatal=True))
            assert seat.wait(PATIENCE_S)
