"""A day of a watched run in some minutes: is the memory of the web process flat, and is no stream dead?

    python benchmarks/watch_soak.py --matches 2000

Eight matches are played at a time, each in some seconds, one after the other, as a day of play would bring them. Of
twenty viewers half stay on the first page, and the others go from match to match and hang up. The memory of the web
process is told as the matches pass, with its open files.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from pathlib import Path
from random import Random

from machine import scratch_folder
from watch import DIGEST, Pages, Viewer, a_game, header, listen, now_ms, pages, run_log, schedule, turn_line

from arena.games.result import Result
from arena.matches.facts import GameEnded, GameStarted, MatchEnded
from arena.records.facts import FixtureIssued, FixtureSettled
from arena.records.lines import closing_line, encode_line

AT_ONCE = 8
VIEWERS = 20
TURN_SECONDS = 0.02


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
        cycles = matches // 45 + 1
        self.entrants = [f"bot-{number}" for number in range(10)]
        self.names = schedule(self.entrants, cycles)[:matches]
        run_log(folder, self.entrants, cycles, [])
        self.games = [a_game(Random(number)) for number in range(5)]
        self.running: list[str] = []
        self.played = 0

    def say(self, *facts: object) -> None:
        with self.log.open("ab") as file:
            file.write(b"".join(encode_line(fact) + b"\n" for fact in facts))  # type: ignore[arg-type]

    async def play(self, name: str, game: int) -> None:
        one, other = re.fullmatch(r"r\d+-(.+)-v-(.+)", name).groups()  # type: ignore[union-attr]
        record = self.folder / "matches" / f"{name}.jsonl"
        self.say(FixtureIssued(at_ms=now_ms(), fixture=name, attempt=1, dice_commitment=DIGEST))
        begun = GameStarted(at_ms=now_ms(), game=1, starter=1, opening=[])
        record.write_bytes(header(name, (one, other), now_ms()) + encode_line(begun) + b"\n")
        self.running.append(name)
        result = Result(winner=1, ending="bearing_off", clause="B7.5", points=1, rank=7)
        with record.open("ab", buffering=0) as file:
            for number, (dice, moves) in enumerate(self.games[game], start=1):
                file.write(turn_line(1, number, dice, moves, now_ms()))
                await asyncio.sleep(TURN_SECONDS)
            ended = GameEnded(at_ms=now_ms(), game=1, turns=number, result=result, score=(1, 0))
            over = MatchEnded(at_ms=now_ms(), score=(1, 0), violations=(0, 0))
            file.write(encode_line(ended) + b"\n" + encode_line(over) + b"\n")
            file.write(closing_line(record.read_bytes()) + b"\n")
        self.say(
            FixtureSettled(
                at_ms=now_ms(),
                fixture=name,
                attempt=1,
                games=[result] * 3,
                score=(3, 0),
                winner=one,
                decision="soak",
                violations=(0, 0),
                record_sha256=DIGEST,
            )
        )
        self.running.remove(name)
        self.played += 1

    async def player(self, number: int) -> None:
        while self.names:
            await self.play(self.names.pop(0), number % len(self.games))


async def wander(soak: Soak, web: Pages, chance: Random, seen: list[int]) -> None:
    """A viewer that goes from match to match."""
    while True:
        if not soak.running:
            await asyncio.sleep(0.1)
            continue
        viewer = Viewer(web.port, f"/events/matches/{chance.choice(soak.running)}")
        listening = asyncio.ensure_future(listen([viewer]))
        await asyncio.sleep(chance.uniform(0.2, 2))
        listening.cancel()
        asyncio.get_running_loop().remove_reader(viewer.socket)
        seen.append(viewer.snapshots)
        viewer.socket.close()


async def soak_for(matches: int) -> None:
    with scratch_folder() as folder:
        soak = Soak(folder, matches)
        with pages(folder) as web:
            first = [Viewer(web.port, "/events/run") for _ in range(VIEWERS // 2)]
            seen: list[int] = []
            tasks = [asyncio.ensure_future(listen(first))]
            tasks += [asyncio.ensure_future(wander(soak, web, Random(n), seen)) for n in range(VIEWERS // 2)]
            players = [asyncio.ensure_future(soak.player(number)) for number in range(AT_ONCE)]
            told = 0
            while not all(player.done() for player in players):
                await asyncio.sleep(0.5)
                if soak.played >= told:
                    told += max(1, matches // 10)
                    print(
                        f"{soak.played:6} matches: {resident_mib(web):.1f} MiB, {open_files(web)} open files",
                        flush=True,
                    )
            for task in tasks:
                task.cancel()
            for viewer in first:
                viewer.socket.close()
            await asyncio.sleep(2)
            print(
                f"at the end: {resident_mib(web):.1f} MiB, {open_files(web)} open files; {len(seen)} visits, "
                f"{sum(not one for one in seen)} of them saw nothing"
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=2000)
    asyncio.run(soak_for(parser.parse_args().matches))
