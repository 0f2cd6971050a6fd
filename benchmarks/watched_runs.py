"""Shared by the benchmarks of the live pages: runs that are written for them, a process of `arena watch`, viewers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from machine import BenchmarkError

from arena.games import load_game, ruleset_record
from arena.games.result import Result
from arena.matches.facts import GameEnded, GameStarted, MatchOpened, Terms, TurnPlayed
from arena.records.facts import FixtureIssued, FixtureSettled, TournamentOpened
from arena.records.lines import encode_line
from arena.tournaments.formats.round_robin import RoundRobin

RULES = load_game("vasa")
TERMS = Terms(games=3, delay_ms=1000, bank_ms=60_000, rejections=3, turn_limit=1000, startup_ms=5000)
DIGEST = "00" * 32


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def a_game(chance: Random) -> list[tuple[tuple[int, int], Any]]:
    """The dice and moves of a game played at random."""
    position, turns, ending = RULES.start(), [], None
    while ending is None and len(turns) < 400:
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        legal = RULES.legal_turns(position, dice)
        number = chance.randrange(len(legal))
        turn = legal[number]
        turns.append((dice, legal.moves(number)))
        ending = turn.ending
        position = RULES.flip(turn.position)
    return turns


def header(fixture: str, entrants: tuple[str, str], at_ms: int) -> bytes:
    opened = MatchOpened(
        at_ms=at_ms,
        match=fixture,
        attempt=1,
        ruleset=ruleset_record(RULES),
        terms=TERMS,
        entrants=entrants,
        dice_commitment=DIGEST,
    )
    return encode_line(opened) + b"\n"


def turn_line(game: int, number: int, dice: Any, moves: Any, at_ms: int) -> bytes:
    seat = 1 if number % 2 else 2
    fact = TurnPlayed(
        at_ms=at_ms, game=game, turn=number, seat=seat, dice=dice, moves=moves, spent_ms=5, left_ms=60_000
    )
    return encode_line(fact) + b"\n"


def run_log(folder: Path, entrants: list[str], cycles: int, running: list[str], settled: list[str] = []) -> None:  # noqa: B006
    """The tournament record, with matches that are settled and others that are being played."""
    (folder / "matches").mkdir(parents=True, exist_ok=True)
    (folder / "tournament.toml").write_text("")
    opened = TournamentOpened(
        at_ms=now_ms(),
        name="benchmark",
        schedule=RoundRobin(cycles=cycles),
        best_game="value",
        violations=5,
        entrants=entrants,
        ruleset=ruleset_record(RULES),
        terms=TERMS,
        file_sha256=DIGEST,
    )
    result = Result(winner=1, ending="bearing_off", clause="B7.5", points=1, rank=7)
    lines: list[Any] = [opened]
    for fixture in settled:
        first = re.fullmatch(r"r\d+-(.+)-v-.+", fixture)
        assert first is not None
        issued = FixtureIssued(at_ms=now_ms(), fixture=fixture, attempt=1, dice_commitment=DIGEST)
        lines += [
            issued,
            FixtureSettled(
                at_ms=now_ms(),
                fixture=fixture,
                attempt=1,
                games=[result] * 3,
                score=(3, 0),
                winner=first[1],
                decision="benchmark",
                violations=(0, 0),
                record_sha256=DIGEST,
            ),
        ]
    lines += [FixtureIssued(at_ms=now_ms(), fixture=name, attempt=1, dice_commitment=DIGEST) for name in running]
    (folder / "tournament.jsonl").write_bytes(b"".join(encode_line(line) + b"\n" for line in lines))


def schedule(entrants: list[str], cycles: int) -> list[str]:
    return [fixture.id for fixture in RoundRobin(cycles=cycles).fixtures(entrants)]


class Pages:
    """A process of `arena watch`."""

    def __init__(self, folder: Path) -> None:
        self.started = time.perf_counter()
        command = [sys.executable, "-m", "arena", "watch", str(folder), "--listen", "127.0.0.1:0", "--no-open"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise BenchmarkError("the pages did not start")
        self.port = int(self.address.rstrip("/").rpartition(":")[2])

    def get(self, path: str) -> tuple[bytes, float]:
        """An answer, and how many seconds it took."""
        began = time.perf_counter()
        with urllib.request.urlopen(f"{self.address}{path}") as answer:
            return answer.read(), time.perf_counter() - began

    @property
    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def peak_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)


@contextmanager
def pages(folder: Path) -> Iterator[Pages]:
    found = Pages(folder)
    try:
        yield found
    finally:
        found.close()


class Viewer:
    """A connection that reads a stream of one match, and notes when each of its turns came."""

    def __init__(self, port: int, path: str) -> None:
        self.turns: dict[int, int] = {}
        self.snapshots = self.news = 0
        self.rest = b""
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())

    def read(self, data: bytes) -> None:
        came_ms = now_ms()
        *blocks, self.rest = (self.rest + data).split(b"\n\n")
        for block in blocks:
            at = block.find(b"data: ")
            if at < 0:
                continue
            content = block[at + 6 :]
            self.snapshots += b"event: snapshot" in block
            self.news += b"event: news" in block
            if b"event: snapshot" in block:
                for game in json.loads(content.partition(b"\r")[0]).get("open", []):
                    for step in game["steps"]:
                        self.turns.setdefault(step[1], came_ms)
            elif found := re.search(rb'"steps":\[\["turn",(\d+),', content):
                self.turns.setdefault(int(found[1]), came_ms)


async def listen(viewers: list[Viewer]) -> None:
    """Read what comes until cancelled."""
    loop = asyncio.get_running_loop()

    def ready(viewer: Viewer) -> None:
        data = viewer.socket.recv(1 << 18)
        if not data:
            loop.remove_reader(viewer.socket)
        viewer.read(data)

    for viewer in viewers:
        viewer.socket.setblocking(False)
        loop.add_reader(viewer.socket, ready, viewer)
    await asyncio.Event().wait()


def big_run(folder: Path, matches: int, turns: int) -> None:
    """A finished run: every match the same hundred turns in three games, under its own name."""
    entrants = [f"bot-{number:03}" for number in range(101)]
    names = schedule(entrants, 1)[:matches]
    run_log(folder, entrants, 1, [], names)
    chance, lines = Random(3), []
    for game in (1, 2, 3):
        lines.append(encode_line(GameStarted(at_ms=now_ms(), game=game, starter=1, opening=[])))
        played = (a_game(chance) * 3)[: turns // matches // 3 + 1]
        lines += [turn_line(game, number, *one, now_ms())[:-1] for number, one in enumerate(played, start=1)]
        result = Result(winner=1, ending="bearing_off", clause="B7.5", points=1, rank=7)
        lines.append(
            encode_line(GameEnded(at_ms=now_ms(), game=game, turns=len(played), result=result, score=(game, 0)))
        )
    body = b"\n".join(lines) + b"\n"
    for name in names:
        one, other = re.fullmatch(r"r\d+-(.+)-v-(.+)", name).groups()  # type: ignore[union-attr]
        (folder / "matches" / f"{name}.jsonl").write_bytes(header(name, (one, other), now_ms()) + body)
    print(f"{len(names)} matches, {len(names) * body.count(b'turn_played')} turns")
