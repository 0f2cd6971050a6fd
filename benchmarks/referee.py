"""How fast the whole referee is, as a ratio to the fastest exchange this machine can do.

    python benchmarks/referee.py              about two minutes
    python benchmarks/referee.py --quick      about half a minute
    python benchmarks/referee.py --profile    where the arena spends its time, by cProfile

It measures an unchanged `arena run`: two bots in processes of their own on a Unix socket, one match
and one game at a time, window 1, every turn judged, recorded and checked, and the arena and both
bots on one CPU. The bots (c/random_bot) play at random and take a microsecond or two for a turn.
They come in two kinds: one knows the rules and answers with moves, the other asks the arena for all
legal turns and answers with the index of one.

The yardstick is c/pingpong: two C processes on the same CPU that exchange the frames of a recorded
match without looking at them. The ratio of a row is plies per second to exchanges per second of its
own frames. Start-up does not count: the time of a ply is the time between the first and the last
turn of each match, divided by the turns in between, games that end and begin included.

The rows alternate within each round, and it prints medians over the rounds. A round during which
something else used that CPU for long is played again, up to a limit. With --realtime nothing else
gets in between, which helps on a busy machine. But then a bot that gets a turn runs only when the
arena waits for it: compare such figures only with each other.
"""

from __future__ import annotations

import argparse
import json
import pstats
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from machine import BUILD, CHECKOUT, HERE, BenchmarkError, build, pin, run, scratch_folder

GAMES = 7  # of a match
DISTURBED = 0.08  # a run does not count if others used more than this share of the CPU

PROFILED = """
import cProfile, sys
from arena.cli import main
from arena.server.run import tournament
run_tournament, profile = tournament.run_tournament, cProfile.Profile()
tournament.run_tournament = lambda *arguments: profile.runcall(run_tournament, *arguments)
try:
    main(sys.argv[2:])
finally:
    profile.dump_stats(sys.argv[1])
"""  # `arena` with a profile of the tournament alone, without the start of Python


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """An arena with bots of one kind."""

    name: str
    checkout: Path
    bot: tuple[str, ...]
    """The arguments of both bots."""

    def command(
        self,
        folder: Path,
        cycles: int,
        arena: Sequence[str] = ("-m", "arena"),
        record: Path | None = None,
    ) -> list[str]:
        """Return the command that plays a tournament into a folder, from a file beside it.

        Run it in the checkout.
        """
        text = f"[tournament]\ngames = {GAMES}\ncycles = {cycles}\nat_once = 1\n"
        if record:
            text += '[limits]\nsandbox = "off"\n'  # in it the bot that records could not write
        bot = [str(BUILD / "random_bot"), *self.bot]
        for name in (
            "anna",
            "bo",
        ):  # started once: the programs of the next match would start while this one is played
            more = ["--record", str(record)] if record and name == "anna" else []
            text += f'[[bot]]\nname = "{name}"\ncommand = {json.dumps([*bot, *more])}\nprocess = "run"\n'
        file = folder.with_suffix(".toml")  # a file is the same for every checkout
        file.write_text(text)
        return [sys.executable, *arena, "run", str(file), "--quiet", "--out", str(folder)]


# What a record tells


def turns_and_ms(folder: Path) -> tuple[int, int]:
    """Turns played in a run, the first of each match left out, and the milliseconds they took."""
    turns = passed_ms = 0
    for record in (folder / "matches").iterdir():
        facts = [json.loads(line) for line in record.read_text().splitlines()]
        for fact in facts:
            if fact["event"] == "turn_rejected" or fact.get("cause"):
                raise BenchmarkError(f"the bots are not sound: {fact}")
        times = [fact["at_ms"] for fact in facts if fact["event"] == "turn_played"]
        turns += len(times) - 1
        passed_ms += times[-1] - times[0]
    return turns, passed_ms


def record_frames(contestant: Contestant, frames: Path, cycles: int) -> None:
    """Play real matches for the frames of one bot, and check what comes out."""
    verdict = verified(contestant, cycles, frames)
    kind = f"a bot that {contestant.name}"
    data = frames.read_bytes()
    starts = [0]
    while starts[-1] < len(data):
        starts.append(starts[-1] + 4 + int.from_bytes(data[starts[-1] :][:4], "big"))
    sizes = [end - start for start, end in pairwise(starts)]
    asked, answered = sizes[::2], sizes[1::2]
    print(
        f"{kind}: turns of {median(asked):.0f} bytes, answers of {median(answered):.0f} (medians)"
    )
    print(f"  verify: {verdict}")


def verified(contestant: Contestant, cycles: int, frames: Path | None = None) -> str:
    """Play real matches; returns the verdict of `arena verify` on their records."""
    with scratch_folder() as folder:
        run(contestant.command(folder / "run", cycles, record=frames), contestant.checkout)
        verdict, _ = run(
            [sys.executable, "-m", "arena", "verify", str(folder / "run")], contestant.checkout
        )
        turns_and_ms(folder / "run")
    return verdict.strip()


# The run


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One run of one contestant or of the yardstick."""

    us: float
    disturbance: float
    """The share of the CPU that others used."""


def measure_arena(contestant: Contestant, cycles: int) -> Measured:
    """Microseconds of a ply."""
    with scratch_folder() as folder:
        _, disturbance = run(contestant.command(folder / "run", cycles), contestant.checkout)
        turns, passed_ms = turns_and_ms(folder / "run")
    return Measured(us=passed_ms * 1000 / turns, disturbance=disturbance)


def measure_pingpong(frames: Path, exchanges: int) -> Measured:
    """Microseconds of an exchange."""
    printed, disturbance = run([BUILD / "pingpong", frames, str(exchanges)], HERE)
    return Measured(us=float(printed), disturbance=disturbance)


def measure(
    contestants: Sequence[Contestant],
    frames: dict[tuple[str, ...], Path],
    *,
    rounds: int,
    cycles: int,
    exchanges: int,
) -> tuple[list[dict[str, float]], int]:
    """The least disturbed of some interleaved rounds, as microseconds by name, and how many are still disturbed."""
    played: list[tuple[float, dict[str, float]]] = []
    while sum(worst <= DISTURBED for worst, _ in played) < rounds and len(played) < 2 * rounds:
        found = {yardstick(bot): measure_pingpong(path, exchanges) for bot, path in frames.items()}
        found |= {contestant.name: measure_arena(contestant, cycles) for contestant in contestants}
        worst = max(one.disturbance for one in found.values())
        played.append((worst, {name: one.us for name, one in found.items()}))
    best = sorted(played, key=lambda one: one[0])[:rounds]
    return [figures for _, figures in best], sum(worst > DISTURBED for worst, _ in best)


def yardstick(bot: tuple[str, ...]) -> str:
    """The name of the yardstick for bots with these arguments."""
    return f"ping-pong {' '.join(bot)}"


def report(contestants: Sequence[Contestant], rounds: list[dict[str, float]]) -> dict[str, float]:
    """Print the table; returns the ratio of each contestant."""
    ratios = {}
    print(f"{'':46}{'us':>8}{'':>16}{'a second':>11}{'ratio':>9}")
    for bot in dict.fromkeys(contestant.bot for contestant in contestants):
        what = "turns with all legal ones" if bot else "turns as they are"
        print_row(f"ping-pong, {what}", [one[yardstick(bot)] for one in rounds], 1.0)
        for contestant in contestants:
            if contestant.bot == bot:
                ratio = median(one[yardstick(bot)] / one[contestant.name] for one in rounds)
                ratios[contestant.name] = ratio
                print_row(
                    f"arena, each bot {contestant.name}",
                    [one[contestant.name] for one in rounds],
                    ratio,
                )
    return ratios


def print_row(name: str, us: list[float], ratio: float) -> None:
    spread = f"({min(us):.2f}-{max(us):.2f})"
    print(f"{name:46}{median(us):8.2f}{spread:>16}{1e6 / median(us):11,.0f}{ratio:9.3f}")


def profile(contestant: Contestant, cycles: int) -> None:
    """Print where the arena spends its time; the profiler slows down calls of Python functions most."""
    with scratch_folder() as folder:
        arena = ["-c", PROFILED, str(folder / "profile")]
        run(contestant.command(folder / "run", cycles, arena), contestant.checkout)
        turns, _ = turns_and_ms(folder / "run")
        stats = pstats.Stats(str(folder / "profile"))
    print(
        f"\narena, each bot {contestant.name}: {turns} plies under cProfile; send, poll and recv include the bots"
    )
    print("  us a ply   calls a ply   function")
    entries = sorted(stats.stats.items(), key=lambda entry: -entry[1][2])  # type: ignore[attr-defined]
    for (file, line, function), (_, calls, own, _, _) in entries[:30]:
        where = f"  {'/'.join(Path(file).parts[-3:])}:{line}" if line else ""
        print(f"  {own * 1e6 / turns:8.2f}   {calls / turns:11.2f}   {function}{where}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Plies a second of the whole referee, against a bare ping-pong."
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer and shorter rounds; about half a minute"
    )
    parser.add_argument("--rounds", type=int, help="interleaved rounds (default 9, with --quick 3)")
    parser.add_argument(
        "--cycles", type=int, help=f"matches of {GAMES} games a run (default 50, with --quick 12)"
    )
    parser.add_argument("--profile", action="store_true", help="only run the arena under cProfile")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FOLDER",
        help="another checkout, measured in the same rounds",
    )
    parser.add_argument(
        "--realtime", action="store_true", help="go before all other work on that CPU; needs root"
    )
    parser.add_argument(
        "--require",
        type=float,
        metavar="RATIO",
        help="exit with 1 unless it is reached with bots that know",
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 0, 1 if it is not fast enough, or 2 if nothing could be measured."""
    options = parse(arguments)
    rounds = options.rounds or (3 if options.quick else 9)
    cycles = options.cycles or (12 if options.quick else 50)
    knows = Contestant(name="knows the rules", checkout=CHECKOUT, bot=())
    asks = Contestant(name="asks what is legal", checkout=CHECKOUT, bot=("--legal",))
    contestants = [knows, asks]
    if options.against:
        other = options.against.resolve()
        contestants += [
            Contestant(name=f"{one.name}, {other.name}", checkout=other, bot=one.bot)
            for one in (knows, asks)
        ]
    try:
        build("random_bot")
        build("pingpong")
        where = pin(realtime=options.realtime)
        if options.profile:
            for contestant in contestants:
                profile(contestant, cycles)
            return 0
        with scratch_folder() as folder:
            frames: dict[tuple[str, ...], Path] = {}
            for number, one in enumerate((knows, asks)):
                frames[one.bot] = folder / f"{number}.frames"
                record_frames(one, frames[one.bot], 2 if options.quick else 10)
            exchanges = 60_000 if options.quick else 200_000
            found, disturbed = measure(
                contestants, frames, rounds=rounds, cycles=cycles, exchanges=exchanges
            )
    except (BenchmarkError, subprocess.CalledProcessError, OSError) as error:
        print(f"referee: {error}", file=sys.stderr)
        return 2
    print(
        f"\nmedians of {len(found)} rounds (lowest-highest), runs of {cycles} matches of {GAMES} games, {where}"
    )
    if disturbed:
        print(
            f"in {disturbed} of them other work used this CPU as well; the figures of a quiet machine are better"
        )
    ratios = report(contestants, found)
    if options.require is None:
        return 0
    reached = ratios[knows.name] >= options.require
    print(f"required is {options.require}: {'reached' if reached else 'not reached'}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
