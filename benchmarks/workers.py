"""How much faster many workers play a tournament of launched bots than one, and what a game costs.

    python benchmarks/workers.py            about a quarter of an hour on a quiet machine with two cores
    python benchmarks/workers.py --quick    about two minutes

It plays the same fixtures with `--workers 1` and `--workers N`, and on Dask clusters of this machine with one worker
and with N (one thread each; left out if the extra `cluster` is not installed). The settings alternate, so that other
load meets all alike. It compares the time between the first fixture issued and the last settled, and every record:
dice, turns and results must be the same. Programs are started for every match. Bots are in C (c/random_bot) and burn
CPU time over every turn. Since a bot waits while its opponent thinks, a match keeps one core busy, except for the
moment in which two programs start at once. The bots in Python are the sample bots: for each match two interpreters
start at the same time, so one worker can use two cores.

The last rows are the cost of a game: CPU time of the arena by itself, and of the programs with their supervisors.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from machine import CHECKOUT, BenchmarkError, build, run

GAMES = 3
FIELD = 5
FIXTURES_A_CYCLE = 10
TIMES = {"at_ms", "spent_ms", "left_ms", "lag_ms", "sha256", "record_sha256"}
"""The fields that may differ: times, and hashes over them."""
ARENA = """
import json, resource, sys
from arena.cli import main
try:
    main(sys.argv[2:])
finally:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    with open(sys.argv[1], "w") as file:
        json.dump([one.ru_utime + one.ru_stime for one in used], file)
"""  # `arena`, which also reports its CPU time, and that of its children
CLUSTER = CHECKOUT / "tests" / "end_to_end" / "local_cluster.py"


def thinking(think_us: int) -> list[str]:
    """Bots in C that always do the same."""
    program = build("random_bot")
    return [f"{program} --seed {number} --think-us {think_us}" for number in range(1, FIELD + 1)]


def in_python() -> list[str]:
    """Sample bots, whose turns depend on chance."""
    names = ["greedy", "random"]
    return [f"{sys.executable} sample_bots/{names[number % 2]}/bot.py" for number in range(FIELD)]


def plan(bots: Sequence[str], cycles: int) -> str:
    """The tournament file; nobody forfeits on time, however busy the machine is."""
    lines = ["[tournament]", f"games = {GAMES}", f"cycles = {cycles}", "at_once = 1"]
    lines += ["[clock]", "delay_ms = 60000", "[limits]", "startup_ms = 60000", 'sandbox = "off"']
    for number, command in enumerate(bots, 1):
        lines += ["[[bot]]", f'name = "bot{number}"', f'command = "{command}"']
    return "\n".join(lines)


class Setting:
    """One way of playing."""

    def __init__(self, name: str, *options: str) -> None:
        self.name = name
        self.options = options
        self.seconds = 0.0

    def play(self, folder: Path) -> None:
        """Play the tournament that is in the folder."""
        subprocess.run(
            [sys.executable, "-m", "arena", "run", str(folder), "--quiet", *self.options],
            cwd=CHECKOUT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        facts = lines_of(folder / "tournament.jsonl")
        begun = min(fact["at_ms"] for fact in facts if fact["event"] == "fixture_issued")
        settled = [fact for fact in facts if fact["event"] == "fixture_settled"]
        if any(game["cause"] for fact in settled for game in fact["games"]):
            raise BenchmarkError(f"there were forfeits; see {folder}")
        self.seconds += (max(fact["at_ms"] for fact in settled) - begun) / 1000


def lines_of(path: Path) -> list[dict[str, object]]:
    """The facts in a record."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def without_times(path: Path) -> list[dict[str, object]]:
    """A match record without times, and without the order of readiness, which depends on time."""
    facts = [{key: value for key, value in fact.items() if key not in TIMES} for fact in lines_of(path)]
    ready = [place for place, fact in enumerate(facts) if fact["event"] == "bot_ready"]
    for place, fact in zip(
        ready, sorted((facts[place] for place in ready), key=lambda fact: fact["seat"]), strict=True
    ):
        facts[place] = fact
    return facts


def compare(first: Path, other: Path) -> None:
    """Raise `BenchmarkError` if the records of two runs differ."""
    for record in sorted((first / "matches").iterdir()):
        if without_times(record) != without_times(other / "matches" / record.name):
            raise BenchmarkError(f"{record.name} is not the same in {first} and {other}")


@contextmanager
def cluster(workers: int) -> Iterator[str]:
    """A Dask cluster of this machine; yields its address."""
    with subprocess.Popen(
        [sys.executable, str(CLUSTER), str(workers)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def measure(bots: Sequence[str], settings: Sequence[Setting], *, cycles: int, rounds: int, is_same: bool) -> None:
    """Play the same tournament with each setting alternately, and compare the records."""
    for setting in settings:
        setting.seconds = 0.0
    text = plan(bots, cycles)
    for number in range(rounds):
        with tempfile.TemporaryDirectory(prefix="workers-") as scratch:
            key = os.urandom(32).hex()
            turned = [*settings[number % len(settings) :], *settings[: number % len(settings)]]
            folders = {setting: Path(scratch) / setting.name.replace(" ", "-") for setting in turned}
            for setting, folder in folders.items():
                (folder / "matches").mkdir(parents=True)
                (folder / "tournament.toml").write_text(text)
                (folder / "secrets.json").write_text(json.dumps({"dice_key": key, "tokens": {}}))
                (folder / "secrets.json").chmod(0o600)
                setting.play(folder)
            if is_same:
                for folder in folders.values():
                    compare(folders[turned[0]], folder)


def costs(bots: Sequence[str], cycles: int) -> tuple[float, float, float]:
    """CPU milliseconds of a game: of the arena, and of programs and supervisors; and bytes of record a game."""
    with tempfile.TemporaryDirectory(prefix="workers-") as scratch:
        folder = Path(scratch)
        (folder / "plan.toml").write_text(plan(bots, cycles))
        arena = [sys.executable, "-c", ARENA, str(folder / "used"), "run", "--quiet", str(folder / "plan.toml")]
        run([*arena, "--out", str(folder / "run")], CHECKOUT)
        own, others = json.loads((folder / "used").read_text())
        games = cycles * FIXTURES_A_CYCLE * GAMES
        size = median(path.stat().st_size for path in (folder / "run" / "matches").iterdir())
        return own * 1000 / games, others * 1000 / games, size / GAMES


def main() -> int:
    parser = argparse.ArgumentParser(description="How much faster many workers play than one.")
    parser.add_argument("--quick", action="store_true", help="fewer fixtures")
    parser.add_argument("--only", action="append", choices=["thinking", "quick", "python"], help="one kind of bots")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="compare N with one; 2 unless given")
    parser.add_argument("--think-us", type=int, default=2000, help="what bots in C think over a turn")
    parser.add_argument("--realtime", action="store_true", help="in the real-time class, on a busy machine (root)")
    options = parser.parse_args()
    if options.realtime:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    cycles, rounds = (4, 1) if options.quick else (10, 2)
    kinds = {
        "thinking": (f"bots in C that think for {options.think_us} us a turn", thinking(options.think_us), True),
        "quick": ("bots in C that do not think", thinking(0), True),
        "python": ("sample bots in Python", in_python(), False),
    }
    try:
        with ExitStack() as stack:
            pairs = [tuple(Setting(f"--workers {number}", "--workers", str(number)) for number in (1, options.workers))]
            if find_spec("distributed"):
                addresses = {number: stack.enter_context(cluster(number)) for number in (1, options.workers)}
                pairs.append(
                    tuple(Setting(f"Dask with {number}", "--dask", where) for number, where in addresses.items())
                )
            print(f"{cycles * rounds * FIXTURES_A_CYCLE} fixtures of {GAMES} games, on {os.cpu_count()} CPUs")
            for kind in options.only or kinds:
                title, bots, is_same = kinds[kind]
                settings = [setting for pair in pairs for setting in pair]
                measure(bots, settings, cycles=cycles, rounds=rounds, is_same=is_same)
                for less, more in pairs:
                    times = f"{less.name}: {less.seconds:.1f} s; {more.name}: {more.seconds:.1f} s"
                    same = ", records the same" if is_same else ""
                    print(f"{title}: {times}; ratio {less.seconds / more.seconds:.2f}{same}", flush=True)
            for title, bots, _ in (kinds["quick"], kinds["python"]):
                own, others, size = costs(bots, cycles)
                print(
                    f"{title}: a game takes {own:.1f} ms of CPU time of the arena, {others:.1f} ms of programs and "
                    f"supervisors, {size / 1000:.1f} kB of record"
                )
    except (BenchmarkError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
