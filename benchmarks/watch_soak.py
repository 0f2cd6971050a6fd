"""A day of a watched run in some minutes: is the memory of the web process flat, and is no stream dead?

    python benchmarks/watch_soak.py --matches 20000

So many matches of 20 turns are played, 64 at a time, as quickly as they can be written. Ten viewers stay on the first
page. Ten go from match to match and hang up. Ten follow matches from wherever they are to their end, and have to get
every turn. The memory of the web process is told as the matches pass, with its open files.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from machine import scratch_folder
from watched_runs import DIGEST, Pages, Viewer, a_game, header, listen, now_ms, pages, run_log, schedule, turn_line

from arena.games.result import Result
from arena.matches.facts import GameEnded, GameStarted, MatchEnded
from arena.records.facts import FixtureIssued, FixtureSettled
from arena.records.lines import closing_line, encode_line

AT_ONCE = 64
TURNS = 20
VIEWERS = 10
TURN_SECONDS = 0.05
PATIENCE_SECONDS = 60.0
"""So long may a stream of a match be silent; then it is dead."""
RESULT = Result(winner=1, ending="bearing_off", clause="B7.5", points=1, rank=7)


def resident_mib(web: Pages) -> float:
    status = Path(f"/proc/{web.process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    assert found is not None
    return int(found[1]) / 1024


def open_files(web: Pages) -> int:
    return sum(1 for _ in Path(f"/proc/{web.process.pid}/fd").iterdir())


class Soak:
    """A run that is played while it is watched."""

    def __init__(self, folder: Path, matches: int) -> None:
        self.folder = folder
        self.log = folder / "tournament.jsonl"
        self.entrants = [f"bot-{number}" for number in range(21)]
        cycles = matches // 210 + 1
        self.names = iter(schedule(self.entrants, cycles)[:matches])
        run_log(folder, self.entrants, cycles, [])
        self.games = [a_game(Random(number))[:TURNS] for number in range(5)]
        self.running: list[str] = []
        self.played = 0

    def say(self, fact: FixtureIssued | FixtureSettled) -> None:
        with self.log.open("ab") as file:
            file.write(encode_line(fact) + b"\n")

    async def play(self, name: str, game: int) -> None:
        one, other = re.fullmatch(r"r\d+-(.+)-v-(.+)", name).groups()  # type: ignore[union-attr]
        record = self.folder / "matches" / f"{name}.jsonl"
        self.say(FixtureIssued(at_ms=now_ms(), fixture=name, attempt=1, dice_commitment=DIGEST))
        begun = GameStarted(at_ms=now_ms(), game=1, starter=1, opening=[])
        record.write_bytes(header(name, (one, other), now_ms()) + encode_line(begun) + b"\n")
        self.running.append(name)
        with record.open("ab", buffering=0) as file:
            for number, (dice, moves) in enumerate(self.games[game], start=1):
                file.write(turn_line(1, number, dice, moves, now_ms()))
                await asyncio.sleep(TURN_SECONDS)
            ended = GameEnded(at_ms=now_ms(), game=1, turns=TURNS, result=RESULT, score=(1, 0))
            over = MatchEnded(at_ms=now_ms(), score=(1, 0), violations=(0, 0))
            file.write(encode_line(ended) + b"\n" + encode_line(over) + b"\n")
            file.write(closing_line(record.read_bytes()) + b"\n")
        settled = FixtureSettled(
            at_ms=now_ms(),
            fixture=name,
            attempt=1,
            games=[RESULT] * 3,
            score=(3, 0),
            winner=one,
            decision="soak",
            violations=(0, 0),
            record_sha256=DIGEST,
        )
        self.running.remove(name)
        self.say(settled)
        self.played += 1

    async def player(self, number: int) -> None:
        for name in self.names:
            await self.play(name, number % len(self.games))


class Visits:
    """What viewers of matches have seen."""

    def __init__(self, soak: Soak, web: Pages) -> None:
        self._soak, self._web = soak, web
        self.short = self.empty = self.whole = self.dead = 0

    async def _open(self, chance: Random) -> Viewer:
        while not self._soak.running:  # noqa: ASYNC110 - the players change it, one of many
            await asyncio.sleep(0.1)
        return Viewer(self._web.port, f"/events/matches/{chance.choice(self._soak.running)}")

    async def wander(self, chance: Random) -> None:
        """Go from match to match."""
        while True:
            viewer = await self._open(chance)
            await read_until(viewer, chance.uniform(0.2, 2), is_over=lambda: False)
            self.short += 1
            self.empty += not viewer.snapshots

    async def stay(self, chance: Random) -> None:
        """Follow a match to its end, and have all its turns then; after that another one."""
        while True:
            viewer = await self._open(chance)
            await read_until(viewer, PATIENCE_SECONDS, is_over=lambda viewer=viewer: len(viewer.turns) == TURNS)
            if set(viewer.turns) == set(range(1, TURNS + 1)):
                self.whole += 1
            else:
                self.dead += 1


async def read_until(viewer: Viewer, seconds: float, *, is_over: Callable[[], bool]) -> None:
    """Read for so long, or until it is over; then hang up."""
    listening, end = asyncio.ensure_future(listen([viewer])), time.monotonic() + seconds
    try:
        while time.monotonic() < end and not is_over():  # noqa: ASYNC110 - what comes is read beside this
            await asyncio.sleep(0.1)
    finally:
        listening.cancel()
        asyncio.get_running_loop().remove_reader(viewer.socket)
        viewer.socket.close()


async def soak_for(matches: int) -> None:
    with scratch_folder() as folder:
        soak = Soak(folder, matches)
        with pages(folder) as web:
            first = [Viewer(web.port, "/events/run") for _ in range(VIEWERS)]
            visits = Visits(soak, web)
            tasks = [asyncio.ensure_future(listen(first))]
            for number in range(VIEWERS):
                tasks.append(asyncio.ensure_future(visits.wander(Random(number))))
                tasks.append(asyncio.ensure_future(visits.stay(Random(-number))))
            players = [asyncio.ensure_future(soak.player(number)) for number in range(AT_ONCE)]
            told = 0
            while not all(player.done() for player in players):
                await asyncio.sleep(0.5)
                if soak.played >= told:
                    told += max(1, matches // 10)
                    print(
                        f"{soak.played:6} matches: {resident_mib(web):.1f} MiB, {open_files(web)} open files, "
                        f"{visits.whole} matches seen whole, {visits.dead} not",
                        flush=True,
                    )
            await asyncio.gather(*players)  # raises what went wrong there
            news = [viewer.news for viewer in first]
            await asyncio.sleep(2)
            for task in tasks:
                task.cancel()
            for viewer in first:
                viewer.socket.close()
            print(
                f"at the end: {resident_mib(web):.1f} MiB, {open_files(web)} open files; {visits.short} short visits, "
                f"{visits.empty} of them saw nothing; {visits.whole} matches seen whole, {visits.dead} not; news that "
                f"each viewer of the first page got: {min(news)} to {max(news)}"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=20_000)
    asyncio.run(soak_for(parser.parse_args().matches))
