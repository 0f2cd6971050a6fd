"""A venue under load: `arena serve` on this machine, and many scripted bots that join it and play.

    python benchmarks/venue.py                 newcomers, and then a crowd: some ten minutes
    python benchmarks/venue.py --only crowd --bots 200 --seats 16 --seconds 60
    python benchmarks/venue.py --on FOLDER     the share of pairing in the days of a venue that ended

All bots live in this process, each with its own account and connection. They answer at random,
after a time to think. Every figure stands beside its limit; the benchmark ends with 1 if one is
missed, and with 2 if nothing could be measured.

- Newcomers: 64 bots are connected and half of them play. Then newcomers log in one by one: the time
  from each login to the beginning of its first game. The house bots are those of a new venue.
- The crowd: 1,000 bots log in at once and play on 64 seats. The house bots are in C
  (c/random_bot): every new bot meets them first, and all of them on the same machine. At the end of its time the venue gets a
  SIGTERM, and `arena verify` must find everything in order. Nothing is lost: no bot was hung up on,
  and each match whose end was told to a bot is settled on the record, once. Beside that it says how
  much memory referee and pages had at most, how late the referee's loop was (`turn_lag_seconds` of
  /metrics), how often /healthz said that it did not turn within a second, and how long the bot that
  waited longest had no match.
- Pairing: a day of the crowd is paired and rated again from the lines of its record, by the
  functions that the referee used. The CPU time of that is the share of a core that pairing takes.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPException
from itertools import pairwise
from pathlib import Path
from statistics import mean, median, quantiles
from threading import Event, Thread
from typing import Final

import psutil
from machine import CHECKOUT, BenchmarkError, build, scratch_folder
from scripted_bots import PATIENCE_SECONDS, Bot, Crowd

from arena.records.facts import FixtureIssued, FixtureSettled, TournamentFact
from arena.records.ladder_draws import digest_of_free
from arena.records.ladder_facts import EntrantCame, PairDrawn
from arena.records.lines import opened_in, read_tournament
from arena.records.state import TournamentState
from arena.server.setup.referee_lines import PROGRAM
from arena.server.setup.venue_file import default_text

LOOK_SECONDS: Final = 0.5
SPARE_FILES: Final = 200

MOST_FIRST_SECONDS: Final = 10.0
MOST_MEBIBYTES: Final = 400.0
MOST_WAIT_SECONDS: Final = 600.0
MOST_END_SECONDS: Final = 20.0
MATCHES_A_SECOND: Final = 20
"""The share of a core that pairing takes is that at this pace."""


# The venue


@dataclass(kw_only=True)
class Watched:
    """What the pages said of the venue, and what its processes used."""

    late_looks: list[float] = field(default_factory=list)
    """The turn lag of each look, in seconds."""
    answers: list[float] = field(default_factory=list)
    """How long /healthz took to answer, in seconds."""
    unhealthy: int = 0
    """Looks at which /healthz did not say that the loop turned within a second."""
    finished: float = 0.0
    """Matches that were settled."""


class Venue:
    """A venue that is served from a folder."""

    def __init__(self, folder: Path, seats: int, turns: int | None, house: str = "") -> None:
        """`turns` end a game if they are given.

        `house` are the house bots as the file has them; those of a new venue by default.
        """
        self.folder = folder
        self.door = f"tcp:127.0.0.1:{free_port()}"
        self._pages_port = free_port()
        folder.mkdir()
        text = default_text()
        before_seats, after_seats = text.split("seats = 2 ")  # those of a new venue
        text = f"{before_seats}seats = {seats} {after_seats}"
        before_house, mark, after_house = text.partition("[[bot]]")
        if turns is not None:
            before_house += f"[ladder.limits]\nturns = {turns}\n"
        (folder / "venue.toml").write_text(before_house + (house or mark + after_house))
        settings = {
            "ARENA_LISTEN": self.door,
            "ARENA_PAGES": f"127.0.0.1:{self._pages_port}",
            "ARENA_JOINING": "open",
        }
        self.log = folder.with_suffix(".log").open("wb")
        self.parent = subprocess.Popen(
            [sys.executable, "-m", "arena", "serve", str(folder), "--no-open"],
            cwd=CHECKOUT,
            env=os.environ | settings,
            stdout=self.log,
            stderr=self.log,
        )
        self.watched = Watched()

    def await_open(self) -> None:
        """Wait until bots can play."""
        end_s = time.monotonic() + PATIENCE_SECONDS
        while self.ask("/readyz") != (200, "ok\n"):
            if self.parent.poll() is not None or time.monotonic() > end_s:
                raise BenchmarkError(f"the venue did not open:\n{self.said()}")
            time.sleep(0.1)

    def said(self) -> str:
        """Return what `arena serve` has printed."""
        return Path(self.log.name).read_text()

    def ask(self, path: str) -> tuple[int, str]:
        """Return the answer of the pages; 0 without one."""
        connection = HTTPConnection("127.0.0.1", self._pages_port, timeout=PATIENCE_SECONDS)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, HTTPException):
            return 0, ""
        finally:
            connection.close()

    def look(self) -> None:
        """Note how the venue is."""
        began_s = time.monotonic()
        status, _ = self.ask("/healthz")
        self.watched.answers.append(time.monotonic() - began_s)
        self.watched.unhealthy += status != 200
        for line in self.ask("/metrics")[1].splitlines():
            name, _, number = line.partition(" ")
            if name == "brade_arena_turn_lag_seconds":
                self.watched.late_looks.append(float(number))
            elif name == "brade_arena_matches_finished_total":
                self.watched.finished = float(number)

    def process(self, part: str) -> psutil.Process:
        """Return the child with this in its command line."""
        for child in psutil.Process(self.parent.pid).children():
            if any(part in word for word in child.cmdline()):
                return child
        raise BenchmarkError(f"{part} does not run:\n{self.said()}")

    def end(self, crowd: Crowd) -> float:
        """End the venue as its operator does, while the bots go on; returns the seconds it takes."""
        began_s = time.monotonic()
        self.parent.send_signal(signal.SIGTERM)
        crowd.run(lambda: self.parent.poll() is not None)
        return time.monotonic() - began_s

    def close(self) -> None:
        """End the venue however it is."""
        if self.parent.poll() is None:
            self.parent.terminate()
            self.parent.wait(PATIENCE_SECONDS)
        self.log.close()


def house_in_c(think_ms: int) -> str:
    """Return three house bots that cost next to nothing."""
    program = build("random_bot")
    text = ""
    for name in ("c", "d", "e"):
        text += (
            f'[[bot]]\nname = "{name}"\ncommand = ["{program}", "--sleep-us", "{think_ms}000"]\n'
        )
    return text


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@contextmanager
def looked_at(venue: Venue) -> Iterator[None]:
    """Look at the venue twice a second, in a thread."""
    is_over = Event()

    def look_on() -> None:
        while not is_over.wait(LOOK_SECONDS):
            venue.look()

    thread = Thread(target=look_on)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def mebibytes(process: psutil.Process) -> float:
    """Return the most memory that a process has had."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024


def cpu_and_wait_s(process: psutil.Process) -> tuple[float, float]:
    """Return how long the first thread of a process has had a CPU, and has waited for one."""
    running_ns, waiting_ns, _ = Path(f"/proc/{process.pid}/schedstat").read_text().split()
    return int(running_ns) / 1e9, int(waiting_ns) / 1e9


# What is measured


class Report:
    """Figures beside their limits."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def say(self, figure: str, number: float, unit: str, most: float | None = None) -> None:
        """Print a figure; a limit that it exceeds is missed."""
        verdict = ""
        if most is not None:
            verdict = f"at most {most:g}"
            if number > most:
                verdict += ": missed"
                self.missed.append(figure)
        print(f"{figure:48}{number:12,.2f} {unit:12}{verdict}".rstrip(), flush=True)


def names(stem: str, number: int) -> list[str]:
    """Return names of bots: none ends in a hyphen and digits."""
    return [f"{stem}{place}" for place in range(1, number + 1)]


def measure_newcomers(report: Report, options: argparse.Namespace) -> None:
    """Measure the time from the login of newcomers to their first game."""
    with scratch_folder() as scratch:
        venue = Venue(scratch / "venue", options.residents // 4, options.turns)
        crowd = Crowd(venue.door, options.think_ms)
        try:
            venue.await_open()
            crowd.join(names("resident", options.residents))
            half = options.residents // 2
            if not crowd.run(lambda: sum(bool(bot.ended) for bot in crowd.bots) >= half):
                raise BenchmarkError("half of the bots have not played after two minutes")
            seats_s = []
            waits_s = []
            for name in names("newcomer", options.newcomers):
                [newcomer] = crowd.join([name])
                if not crowd.run(lambda bot=newcomer: bot.first_s):
                    raise BenchmarkError(f"{newcomer.name} has no match after two minutes")
                seats_s.append(newcomer.seated_s - newcomer.login_s)
                waits_s.append(newcomer.first_s - newcomer.login_s)
        finally:
            crowd.close()
            venue.close()
    who = f"{len(waits_s)} newcomers to {options.residents}"
    report.say(f"first match of {who}, median", median(seats_s), "s")
    report.say(f"first match of {who}, longest", max(seats_s), "s", MOST_FIRST_SECONDS)
    report.say("its first game, with the start of a house bot, median", median(waits_s), "s")
    report.say("its first game, longest", max(waits_s), "s", MOST_FIRST_SECONDS)


def measure_crowd(report: Report, options: argparse.Namespace) -> None:
    """Measure a venue in which many bots play."""
    with scratch_folder() as scratch:
        venue = Venue(scratch / "venue", options.seats, options.turns, house_in_c(options.think_ms))
        crowd = Crowd(venue.door, options.think_ms)
        try:
            venue.await_open()
            play_crowd(report, options, venue, crowd)
        finally:
            crowd.close()
            venue.close()
        check_records(report, venue.folder, crowd)
        measure_pairing(report, venue.folder)


def play_crowd(report: Report, options: argparse.Namespace, venue: Venue, crowd: Crowd) -> None:
    began_s = time.monotonic()
    bots = crowd.join(names("bot", options.bots))
    report.say(f"{options.bots:,} bots join", time.monotonic() - began_s, "s")
    referee, pages = venue.process(PROGRAM), venue.process("venue_serving")
    turns_before, began_s = crowd.turns, time.monotonic()
    cpu_before_s, wait_before_s = cpu_and_wait_s(referee)
    with looked_at(venue):
        crowd.run(lambda: False, options.seconds)
        crowd.run(lambda: all(bot.first_s for bot in bots))
    seconds = time.monotonic() - began_s
    cpu_s, wait_s = cpu_and_wait_s(referee)
    crowd.close_waits()
    is_hung_up_on = len(crowd.lost)
    for why in crowd.lost[:5]:
        print(why)
    report.say("bots that the venue hung up on", is_hung_up_on, "bots", 0)
    watched = venue.watched
    report.say("turns of these bots", (crowd.turns - turns_before) / seconds, "a second")
    report.say("matches settled", watched.finished / seconds, "a second")
    report.say("referee", 100 * (cpu_s - cpu_before_s) / seconds, "% of core")
    waited = 100 * (wait_s - wait_before_s) / seconds
    report.say("it waited for a CPU that others had", waited, "% of time")
    report.say("memory of the referee", mebibytes(referee), "MiB", MOST_MEBIBYTES)
    report.say("memory of the pages", mebibytes(pages), "MiB", MOST_MEBIBYTES)
    report.say("longest time without a match", longest_idle(bots), "s", MOST_WAIT_SECONDS)
    report.say("bots that have not played", sum(not bot.first_s for bot in bots), "bots", 0)
    report.say("turn lag, median", 1000 * median(watched.late_looks), "ms")
    report.say("turn lag, highest hundredth", 1000 * quantiles(watched.late_looks, n=100)[-1], "ms")
    report.say("turn lag, longest", 1000 * max(watched.late_looks), "ms")
    report.say("answer of /healthz, longest", 1000 * max(watched.answers), "ms")
    looks = len(watched.answers)
    report.say(f"/healthz unhealthy, of {looks} looks", watched.unhealthy, "looks", 0)
    report.say("end after SIGTERM", venue.end(crowd), "s", MOST_END_SECONDS)


def longest_idle(bots: Sequence[Bot]) -> float:
    """Return the longest time that a bot had no match."""
    return max(bot.longest_idle_s for bot in bots)


def facts_of_days(folder: Path) -> Iterator[list[TournamentFact]]:
    """Yield the lines of each day."""
    for record in sorted(folder.glob("runs/*/tournament.jsonl")):
        yield [fact for _, fact in read_tournament(record.name, record.read_bytes())]


def check_records(report: Report, folder: Path, crowd: Crowd) -> None:
    """Check that nothing was lost: every match that bots played is on record, once."""
    settled: Counter[str] = Counter()
    issued: set[str] = set()
    for facts in facts_of_days(folder):
        for fact in facts:
            if isinstance(fact, FixtureSettled):
                settled[fact.fixture] += 1
            elif isinstance(fact, FixtureIssued):
                issued.add(fact.fixture)
    told = {match for bot in crowd.bots for match in bot.ended}
    report.say("matches whose end was told", len(told), "matches")
    report.say("of these not settled on the record", len(told - settled.keys()), "matches", 0)
    twice = sum(number > 1 for number in settled.values())
    report.say("matches settled twice", twice, "matches", 0)
    report.say("matches to go on with", len(issued - settled.keys()), "matches")
    began_s = time.monotonic()
    verified = subprocess.run(
        [sys.executable, "-m", "arena", "verify", str(folder)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    print(verified.stdout.strip() or verified.stderr.strip())
    report.say("errors of arena verify", verified.returncode, "", 0)
    report.say("arena verify", time.monotonic() - began_s, "s")


def measure_pairing(report: Report, folder: Path) -> None:
    """Pair and rate each day again from its lines."""
    for facts in facts_of_days(folder):
        comings_ms: list[float] = []
        pairings_ms: list[float] = []
        results_ms: list[float] = []
        state = TournamentState(opened_in(facts))
        for fact, later in pairwise(facts):
            took_ms = cpu_ms(partial(state.apply, fact))
            if isinstance(fact, EntrantCame):
                comings_ms.append(took_ms)
            elif isinstance(fact, FixtureSettled):
                results_ms.append(took_ms)
            if isinstance(later, PairDrawn):
                pairings_ms.append(cpu_ms(partial(draw_again, state, later)))
        if not results_ms:
            continue
        report.say("coming of a bot, mean", mean(comings_ms), "ms")
        report.say("pairing, mean", mean(pairings_ms), "ms")
        report.say("pairing, longest", max(pairings_ms), "ms")
        report.say("rating of a result, mean", mean(results_ms), "ms")
        report.say("rating of a result, longest", max(results_ms), "ms")
        share = (mean(pairings_ms) + mean(results_ms)) / 1000 * MATCHES_A_SECOND * 100
        figure = f"pairing and ratings at {MATCHES_A_SECOND} matches a second"
        report.say(figure, share, "% of core")


def draw_again(state: TournamentState, pairing: PairDrawn) -> None:
    """Draw a pair as the referee did."""
    assert state.book is not None, "it is opened with the second line"
    digest_of_free(state.book.free(pairing.at_ms))
    assert state.book.draws(pairing), f"the draw of {pairing.fixture} is another one here"


def cpu_ms(act: Callable[[], object]) -> float:
    """Return the milliseconds of CPU that something takes."""
    began_ns = time.process_time_ns()
    act()
    return (time.process_time_ns() - began_ns) / 1e6


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["newcomers", "crowd"], help="one of the two parts")
    parser.add_argument("--residents", type=int, default=64, help="bots before the newcomers")
    parser.add_argument("--newcomers", type=int, default=20)
    parser.add_argument("--bots", type=int, default=1000, help="bots of the crowd")
    parser.add_argument("--seats", type=int, default=64, help="matches of the crowd at once")
    parser.add_argument("--seconds", type=float, default=300, help="time of the crowd")
    parser.add_argument("--think-ms", type=int, default=50, help="time of a bot for a turn")
    parser.add_argument("--turns", type=int, help="the longest game, in turns; by default no limit")
    parser.add_argument("--on", type=Path, metavar="FOLDER", help="a venue that has ended")
    options = parser.parse_args(arguments)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = options.bots + SPARE_FILES
    if hard != resource.RLIM_INFINITY and hard < files:
        parser.error(f"{options.bots} bots need {files} open files, and {hard} are allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    report = Report()
    try:
        if options.on:
            measure_pairing(report, options.on)
            return 0
        if options.only != "crowd":
            measure_newcomers(report, options)
        if options.only != "newcomers":
            measure_crowd(report, options)
    except (BenchmarkError, OSError) as error:
        print(f"venue: {error}", file=sys.stderr)
        return 2
    return int(bool(report.missed))


if __name__ == "__main__":
    sys.exit(main())
