"""What it costs to watch a run: how soon a turn is seen, 1,000 viewers, the referee beside it, the first page.

    python benchmarks/watch.py latency            64 games running, 20 seconds
    python benchmarks/watch.py viewers            1,000 connections to one match, 20 seconds
    python benchmarks/watch.py first-page         5,000 matches with 500,000 turns; the first time a minute to make them
    python benchmarks/watch.py referee            the referee with and without a watched run, round by round

Each measures one process of `arena watch`, started as anybody starts it. Viewers are real connections on loopback from
this process. CPU is that of the web process alone, from /proc, so other work on the machine affects little more than
the caches; a busy machine makes latencies longer.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

from machine import BenchmarkError, scratch_folder

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
        self.snapshots = 0
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


async def latency(seconds: float, games: int) -> None:
    """How soon a turn that was written to a record arrives, with so many games running."""
    chance = Random(1)
    with scratch_folder() as folder:
        names = schedule(["anna", "bo"], games)[:games]
        run_log(folder, ["anna", "bo"], games, names)
        played = {name: a_game(chance) for name in names}
        for name in names:
            one, other = re.fullmatch(r"r\d+-(.+)-v-(.+)", name).groups()  # type: ignore[union-attr]
            begun = GameStarted(at_ms=now_ms(), game=1, starter=1, opening=[])
            data = header(name, (one, other), now_ms()) + encode_line(begun) + b"\n"
            (folder / "matches" / f"{name}.jsonl").write_bytes(data)
        with pages(folder) as web:
            viewers = {name: Viewer(web.port, f"/events/matches/{name}") for name in names}
            overview = Viewer(web.port, "/events/run")
            listening = asyncio.ensure_future(listen([*viewers.values(), overview]))
            await asyncio.sleep(2)
            written: dict[tuple[str, int], int] = {}
            number = dict.fromkeys(names, 0)
            cpu, end = web.cpu_seconds, time.monotonic() + seconds
            while time.monotonic() < end:
                for name in names:
                    await asyncio.sleep(0.5 / games)  # each game two turns a second
                    if number[name] < len(played[name]):
                        number[name] += 1
                        dice, moves = played[name][number[name] - 1]
                        written[name, number[name]] = now_ms()
                        with (folder / "matches" / f"{name}.jsonl").open("ab") as file:
                            file.write(turn_line(1, number[name], dice, moves, now_ms()))
            await asyncio.sleep(1)
            used = web.cpu_seconds - cpu
            listening.cancel()
            late = [
                viewers[name].turns[turn] - at for (name, turn), at in written.items() if turn in viewers[name].turns
            ]
            cuts = quantiles(late, n=100)
            print(f"{games} games, {len(written)} turns in {seconds:.0f} s, {games + 1} viewers")
            print(f"missing turns: {len(written) - len(late)}")
            print(
                f"written to seen: median {median(late):.0f} ms, "
                f"95 of 100 within {cuts[94]:.0f} ms, 99 {cuts[98]:.0f} ms"
            )
            print(f"web process: {100 * used / (seconds + 1):.0f} % of a core")


async def many_viewers(seconds: float, count: int) -> None:
    """Many viewers of one match, in which a turn is played every half second."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4 * count, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    turns = a_game(Random(2))
    with scratch_folder() as folder:
        [name] = schedule(["anna", "bo"], 1)
        run_log(folder, ["anna", "bo"], 1, [name])
        record = folder / "matches" / f"{name}.jsonl"
        begun = GameStarted(at_ms=now_ms(), game=1, starter=1, opening=[])
        record.write_bytes(header(name, ("anna", "bo"), now_ms()) + encode_line(begun) + b"\n")
        with pages(folder) as web:
            viewers = []
            for number in range(count):
                viewers.append(Viewer(web.port, f"/events/matches/{name}"))
                if number % 50 == 0:
                    await asyncio.sleep(0.05)
            listening = asyncio.ensure_future(listen(viewers))
            while (here := sum(viewer.snapshots for viewer in viewers)) < count:  # noqa: ASYNC110
                await asyncio.sleep(0.2)
            await asyncio.sleep(2)
            print(f"{here} viewers are there, {web.peak_mib:.0f} MiB")
            cpu, began = web.cpu_seconds, time.monotonic()
            number, written = 0, {}
            while time.monotonic() < began + seconds:
                number += 1
                written[number] = now_ms()
                with record.open("ab") as file:
                    file.write(turn_line(1, number, *turns[number - 1], now_ms()))
                await asyncio.sleep(0.5)
            await asyncio.sleep(3)
            used, passed = web.cpu_seconds - cpu, time.monotonic() - began
            listening.cancel()
            counts = Counter(len(viewer.turns) for viewer in viewers)
            late = [
                viewer.turns[turn] - at for viewer in viewers for turn, at in written.items() if turn in viewer.turns
            ]
            print(f"{number} turns in {passed:.0f} s; viewers by turns seen: {dict(counts)}")
            print(f"web process: {100 * used / passed:.1f} % of a core, at most {web.peak_mib:.0f} MiB")
            print(
                f"written to seen: median {median(late):.0f} ms, 95 of 100 within {quantiles(late, n=100)[94]:.0f} ms"
            )


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


def first_page() -> None:
    """A run with 5,000 matches: the first page without an index, with one, and asked for again."""
    with scratch_folder() as folder:
        big_run(folder, 5000, 500_000)
        for words in ("cold, without an index", "started again, with the index"):
            with pages(folder) as web:
                up = time.perf_counter() - web.started
                body, seconds = web.get("api/run")
                again = min(web.get("api/run")[1] for _ in range(5))
                print(
                    f"{words}: process up in {up:.2f} s, first page {seconds:.2f} s ({up + seconds:.2f} s in all), "
                    f"again {again:.3f} s, {len(body) / 1024:.0f} KiB, {web.peak_mib:.0f} MiB"
                )
                print(
                    f"  found and sorted {web.get('api/games?find=bot-007&sort=turns')[1]:.3f} s, "
                    f"a bot {web.get('api/bots/bot-007')[1]:.3f} s, "
                    f"the cross-table {web.get('api/crosstable')[1]:.3f} s"
                )
                time.sleep(20 if words.startswith("cold") else 0)  # it reads match records for the index meanwhile
                print(f"  the first page after that {web.get('api/run')[1]:.3f} s, {web.peak_mib:.0f} MiB at most")


def referee(rounds: int) -> None:
    """The time of a turn inside the arena, as turns.py measures it, with and without pages that follow its records."""
    found: dict[bool, list[float]] = {False: [], True: []}
    for number in range(2 * rounds):
        is_watched = bool(number % 2)
        with scratch_folder() as folder:
            names = [f"r{place}-anna-v-bo" for place in range(1, 65)]
            run_log(folder, ["anna", "bo"], 64, names)
            code = (
                "import sys, trio, time; sys.path.insert(0, 'benchmarks'); from pathlib import Path; import turns; "
                "times = []; trio.run(turns.play, Path(sys.argv[1]), 64, times); "
                "from statistics import median; print(median(times))"
            )
            command = [sys.executable, "-c", code, str(folder / "matches")]
            if is_watched:
                with pages(folder) as web:
                    viewer = Viewer(web.port, "/events/run")
                    viewer.socket.settimeout(0.05)
                    playing = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
                    while playing.poll() is None:
                        try:
                            viewer.read(viewer.socket.recv(1 << 18))
                        except TimeoutError:
                            continue
                    out = playing.stdout.read()  # type: ignore[union-attr]
            else:
                out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            found[is_watched].append(float(out))
            print(f"{'watched' if is_watched else 'alone  '}  {float(out):.1f} us a turn")
    ratio = median(found[True]) / median(found[False])
    print(f"median watched / alone: {ratio:.3f}; best of each: {min(found[True]) / min(found[False]):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["latency", "viewers", "first-page", "referee"])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    if given.what == "latency":
        asyncio.run(latency(given.seconds, given.games))
    elif given.what == "viewers":
        asyncio.run(many_viewers(given.seconds, given.viewers))
    elif given.what == "first-page":
        first_page()
    else:
        referee(given.rounds)


if __name__ == "__main__":
    main()
