"""The cost of refereeing many games at once, as ratios to two C programs that exchange the same frames one by one.

    python benchmarks/many_games.py            about two minutes
    python benchmarks/many_games.py --quick    about half a minute
    python benchmarks/many_games.py --apart    arena and bots on a CPU each

It measures `arena run` with two bots in C (c/random_bot) that are launched once and play up to 64
matches at once, each on one connection with window 64. Arena and bots are on one CPU, and so are
the two C programs. With --apart the arena and the sender of turns have one CPU, the bots and the
answerer another, as if bots took time to think. The time of a ply is the time from the beginning of
the 64th match to that of the last match, divided by the turns in between: matches that end and
begin are included. With 1 match at once it is the time between the first and the last turn of each
match, as in referee.py.

The rows "no log" keep no match records, so they show what the log costs. "2 workers" are two arenas
at the same time, each with its bots on a CPU of its own. The last line is the memory of one more
match at once: the difference between 200 matches under way and one, divided by the difference in
matches (three bots, Linux only).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from machine import BUILD, CHECKOUT, BenchmarkError, build, pin, run, scratch_folder

GAMES = 7  # of a match
AT_ONCE = 64
MATCHES = 100  # AT_ONCE of them begin at once; the others follow as places become free

ARENA = """
import json, sys
from pathlib import Path
from arena.cli import main
from arena.matches.facts import TurnPlayed
from arena.server.io.journal import Journal
from arena.server.setup import run_folder

times, has_log = Path(sys.argv[1]), sys.argv[2] == "log"
turns = {}

class Unwritten(Journal):
    def __init__(self, path):
        super().__init__(path)
        self.times = turns.setdefault(path.name, [])
    def write(self, fact):
        if fact.__class__ is TurnPlayed:
            self.times.append(fact.at_ms)
    def commit(self):
        pass
    def seal(self):
        return b""

if not has_log:
    run_folder.Journal = Unwritten
try:
    main(sys.argv[3:])
finally:
    times.write_text(json.dumps(list(turns.values())))
"""  # `arena`; with "no log" it keeps the times of turns instead of match records


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One way of playing the same tournament."""

    name: str
    at_once: int = AT_ONCE
    has_log: bool = True
    cpus: tuple[int, int] | None = None
    """The CPU of the arena and that of the bots, if they are kept apart."""
    names: tuple[str, ...] = ("anna", "bo")

    def plan(self, matches: int) -> str:
        """The tournament file, with so many matches of every two bots."""
        bot = shlex.join(
            [*self._kept_on(1), str(BUILD / "random_bot"), "--window", str(self.at_once)]
        )
        lines = [
            "[tournament]",
            f"games = {GAMES}",
            f"cycles = {matches}",
            f"at_once = {self.at_once}",
        ]
        for name in self.names:
            lines += ["[[bot]]", f'name = "{name}"', f'command = "{bot}"', 'process = "run"']
            lines += [f"matches_at_once = {self.at_once}"]
        return "\n".join(lines)

    def command(self, folder: Path, matches: int) -> list[str]:
        """The command that plays it in a folder, where it leaves `run` and `times`."""
        (folder / "plan.toml").write_text(self.plan(matches))
        log = "log" if self.has_log else "no log"
        told = [str(folder / "times"), log]
        arena = ["run", "--quiet", str(folder / "plan.toml"), "--out", str(folder / "run")]
        return [*self._kept_on(0), sys.executable, "-P", "-c", ARENA, *told, *arena]

    def _kept_on(self, which: int) -> list[str]:
        """The command that keeps a program on its CPU."""
        return ["taskset", "-c", str(self.cpus[which])] if self.cpus else []

    def us_a_ply(self, folder: Path) -> float:
        """Microseconds of a ply in a run."""
        times = (
            turns_of_each_match(folder / "run") if self.has_log else kept_times(folder / "times")
        )
        if self.at_once == 1:
            return (
                sum(match[-1] - match[0] for match in times)
                * 1000
                / sum(len(match) - 1 for match in times)
            )
        begun = sorted(match[0] for match in times)
        first, last = begun[self.at_once - 1], begun[-1]
        turns = sum(first < at_ms <= last for match in times for at_ms in match)
        if turns < 1000:
            raise BenchmarkError(
                f"only {turns} turns were played with {self.at_once} matches under way"
            )
        return (last - first) * 1000 / turns


def kept_times(file: Path) -> list[list[int]]:
    """When each turn of each match was played, as `ARENA` kept it instead of records."""
    times: list[list[int]] = json.loads(file.read_text())
    if not any(times):
        raise BenchmarkError(
            "no turn was kept: ARENA no longer replaces the Journal that the arena opens for a match"
        )
    return times


def turns_of_each_match(run_folder: Path) -> list[list[int]]:
    """When each turn of each match was played, from the records."""
    times = []
    for record in (run_folder / "matches").iterdir():
        facts = [json.loads(line) for line in record.read_text().splitlines()]
        if any(fact["event"] == "turn_rejected" or fact.get("cause") for fact in facts):
            raise BenchmarkError(f"the bots are not sound; see {record.name}")
        times.append([fact["at_ms"] for fact in facts if fact["event"] == "turn_played"])
    return times


def us_of(setting: Setting, matches: int) -> float:
    """Microseconds of a ply."""
    with scratch_folder() as folder:
        run(setting.command(folder, matches), CHECKOUT)
        return setting.us_a_ply(folder)


def us_of_workers(setting: Setting, matches: int, cpus: Sequence[int]) -> float:
    """Microseconds of a ply of one arena on each CPU at the same time, taken together."""
    with scratch_folder() as folder:
        running = []
        for cpu in cpus:
            (folder / str(cpu)).mkdir()
            command = ["taskset", "-c", str(cpu), *setting.command(folder / str(cpu), matches)]
            running.append(subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.DEVNULL))
        ends = [process.wait() for process in running]
        if any(ends):
            raise BenchmarkError("one of the arenas that played at the same time failed")
        return 1 / sum(1 / setting.us_a_ply(folder / str(cpu)) for cpu in cpus)


def us_of_pingpong(frames: Path, exchanges: int, cpus: Sequence[int]) -> float:
    """Microseconds of an exchange, on one CPU or between two."""
    return float(run([BUILD / "pingpong", frames, str(exchanges), *map(str, cpus)], CHECKOUT)[0])


def record_frames(frames: Path) -> None:
    """Play a match for the frames of one bot."""
    with scratch_folder() as folder:
        bots = {"anna": ["--record", str(frames)], "bo": []}
        given = [
            f"{name}={shlex.join([str(BUILD / 'random_bot'), *more])}"
            for name, more in bots.items()
        ]
        command = [
            sys.executable,
            "-m",
            "arena",
            "run",
            "--quiet",
            "--out",
            str(folder / "run"),
            "--games",
            str(GAMES),
        ]
        command += ["--set", "limits.sandbox=off"]  # in it the bot that records could not write
        run([*command, *(word for bot in given for word in ("--bot", bot))], CHECKOUT)


def kilobytes_of_a_match() -> float:
    """Memory of one more match at once."""
    bots = ("anna", "bo", "cilla")
    few, many = 1, 200
    before, after = (
        kilobytes_in_play(Setting(name="memory", at_once=number, names=bots))
        for number in (few, many)
    )
    return (after - before) / (many - few)


def kilobytes_in_play(setting: Setting) -> int:
    """The peak memory of an arena in the first second in which all its matches at once are under way."""
    with scratch_folder() as folder:
        arena = subprocess.Popen(
            setting.command(folder, MATCHES), cwd=CHECKOUT, stdout=subprocess.DEVNULL
        )
        try:
            memory, record = Path(f"/proc/{arena.pid}/statm"), folder / "run" / "tournament.jsonl"
            end, kilobytes = math.inf, 0
            while time.monotonic() < end:
                if arena.poll() is not None:
                    raise BenchmarkError(
                        "the arena whose memory is measured ended before all matches were under way"
                    )
                told = record.read_bytes() if record.exists() else b""
                if end < math.inf:
                    kilobytes = max(
                        kilobytes,
                        int(memory.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024,
                    )
                elif (
                    told.count(b'"fixture_issued"') - told.count(b'"fixture_settled"')
                    >= setting.at_once
                ):
                    end = time.monotonic() + 1
                time.sleep(0.02)
            return kilobytes
        finally:
            arena.terminate()
            arena.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 0, or 2 if nothing could be measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds; about half a minute")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (default 7, with --quick 3)")
    parser.add_argument(
        "--apart", action="store_true", help="arena and bots on a CPU each, instead of all on one"
    )
    options = parser.parse_args(arguments)
    rounds = options.rounds or (3 if options.quick else 7)
    cpus = sorted(os.sched_getaffinity(0))[-2:]
    if options.apart and len(cpus) < 2:
        parser.error("--apart needs two CPUs, and there is one")
    apart = (cpus[0], cpus[1]) if options.apart else None
    settings = [
        Setting(
            name=f"{at_once} at once{'' if has_log else ', no log'}",
            at_once=at_once,
            has_log=has_log,
            cpus=apart,
        )
        for at_once in (1, AT_ONCE)
        for has_log in (True, False)
    ]
    found: dict[str, list[float]] = {}
    try:
        build("random_bot")
        build("pingpong")
        where = f"arena on CPU {apart[0]}, bots on CPU {apart[1]}" if apart else pin(realtime=False)
        with scratch_folder() as folder:
            record_frames(folder / "frames")
            for _ in range(rounds):
                found.setdefault("ping-pong", []).append(
                    us_of_pingpong(folder / "frames", 60_000, apart or ())
                )
                for setting in settings:
                    matches = MATCHES if setting.at_once > 1 else 12
                    found.setdefault(setting.name, []).append(us_of(setting, matches))
                if len(cpus) == 2 and not apart:
                    whole = Setting(name="workers")
                    found.setdefault("2 workers", []).append(us_of_workers(whole, MATCHES, cpus))
        kilobytes = kilobytes_of_a_match() if sys.platform == "linux" else None
    except (BenchmarkError, subprocess.CalledProcessError, OSError) as error:
        print(f"many_games: {error}", file=sys.stderr)
        return 2
    report(found, where, rounds)
    if kilobytes is not None:
        print(f"one more match at once takes {kilobytes:.1f} kB of memory")
    return 0


def report(found: dict[str, list[float]], where: str, rounds: int) -> None:
    """Print the table: medians, and medians of the ratios within each round."""

    def ratio(one: str, other: str) -> float:
        return median(b / a for a, b in zip(found[one], found[other], strict=True))

    print(f"medians of {rounds} rounds (lowest-highest), {where}; 2 workers on two CPUs")
    print(
        f"{'':32}{'us a ply':>10}{'':>16}{'ratio to ping-pong':>20}{'to the same with a log':>25}"
    )
    for name, us in found.items():
        spread = f"({min(us):.1f}-{max(us):.1f})"
        logged = name.replace(", no log", "")
        beside = f"{1 / ratio(name, logged):25.2f}" if logged != name else ""
        print(f"{name:32}{median(us):10.2f}{spread:>16}{ratio(name, 'ping-pong'):20.3f}{beside}")
    if "2 workers" in found:
        print(
            f"2 workers play {ratio('2 workers', f'{AT_ONCE} at once'):.2f} times the plies of one"
        )


if __name__ == "__main__":
    sys.exit(main())
