"""What it costs to watch a run: how soon a turn is seen, 1,000 viewers, the first page.

    python benchmarks/watch.py latency            64 games running, 20 seconds, to the socket
    python benchmarks/watch.py drawn              the same, to the board on the screen of a real Chromium
    python benchmarks/watch.py viewers            1,000 connections to one match, 20 seconds
    python benchmarks/watch.py first-page         5,000 matches with 500,000 turns; a minute to make them

Each measures one process of `arena watch`, started as anybody starts it. Viewers are real connections on loopback from
this process. CPU is that of the web process alone, from /proc, so other work on the machine affects little more than
the caches; a busy machine makes latencies longer. What watching costs the referee is in watch_referee.py, and whether a
day of it stays flat in watch_soak.py.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import resource
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median, quantiles

from machine import scratch_folder
from watched_runs import Viewer, a_game, big_run, header, listen, now_ms, pages, run_log, schedule, turn_line

from arena.matches.facts import GameStarted
from arena.records.lines import encode_line


class Playing:
    """Matches that are being played, each two turns a second."""

    def __init__(self, folder: Path, games: int) -> None:
        self.folder = folder
        self.names = schedule(["anna", "bo"], games)[:games]
        self.written: dict[tuple[str, int], int] = {}
        """When each turn was written, by match and number."""
        run_log(folder, ["anna", "bo"], games, self.names)
        chance = Random(1)
        self._left = {name: list(enumerate(a_game(chance), start=1)) for name in self.names}
        for name in self.names:
            one, other = re.fullmatch(r"r\d+-(.+)-v-(.+)", name).groups()  # type: ignore[union-attr]
            begun = GameStarted(at_ms=now_ms(), game=1, starter=1, opening=[])
            self._record(name).write_bytes(header(name, (one, other), now_ms()) + encode_line(begun) + b"\n")

    @property
    def longest(self) -> str:
        """The match that has most turns left: it is still played when the others are over."""
        return max(self.names, key=lambda name: len(self._left[name]))

    def _record(self, name: str) -> Path:
        return self.folder / "matches" / f"{name}.jsonl"

    async def play(self, seconds: float) -> None:
        """Go on for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for name in self.names:
                await asyncio.sleep(0.5 / len(self.names))
                if self._left[name]:
                    number, (dice, moves) = self._left[name].pop(0)
                    self.written[name, number] = now_ms()
                    with self._record(name).open("ab") as file:
                        file.write(turn_line(1, number, dice, moves, now_ms()))


def say_late(what: str, late: Sequence[int]) -> None:
    """Print how late turns were seen, in milliseconds."""
    cuts = quantiles(late, n=100)
    print(f"{what}: median {median(late):.0f} ms, 95 of 100 within {cuts[94]:.0f} ms, 99 {cuts[98]:.0f} ms")


async def latency(seconds: float, games: int) -> None:
    """How soon a turn that was written to a record arrives, with so many games running."""
    with scratch_folder() as folder:
        playing = Playing(folder, games)
        with pages(folder) as web:
            viewers = {name: Viewer(web.port, f"/events/matches/{name}") for name in playing.names}
            overview = Viewer(web.port, "/events/run")
            listening = asyncio.ensure_future(listen([*viewers.values(), overview]))
            await asyncio.sleep(2)
            cpu = web.cpu_seconds
            await playing.play(seconds)
            await asyncio.sleep(1)
            used = web.cpu_seconds - cpu
            listening.cancel()
            written = playing.written
            late = [
                viewers[name].turns[turn] - at for (name, turn), at in written.items() if turn in viewers[name].turns
            ]
            print(f"{games} games, {len(written)} turns in {seconds:.0f} s, {games + 1} viewers")
            print(f"missing turns: {len(written) - len(late)}")
            say_late("written to seen", late)
            print(f"web process: {100 * used / (seconds + 1):.0f} % of a core")


DRAWN = r"""() => {
  window.drawn = [];
  const match = location.hash.slice(1);
  const isInSight = ({ top, bottom }) => top >= 0 && bottom < innerHeight;
  const ofCard = (card) => Number(/turn (\d+)/.exec(card.querySelector(".where").textContent)?.[1] ?? 1) - 1;
  const turns = () => match ? [[match, Number(document.querySelector(".counter")?.textContent.split(" / ")[0] ?? 0)]]
    : [...document.querySelectorAll(".cards > li")].filter((card) => isInSight(card.getBoundingClientRect()))
      .map((card) => [card.dataset.fixture, ofCard(card)]);
  let last = "";
  const note = () => {
    const now = turns(), words = JSON.stringify(now);
    if (words !== last) drawn.push([Date.now(), now]);
    last = words;
  };
  const look = () => requestAnimationFrame(() => setTimeout(note));
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
"""Notes after a frame is drawn which turn each board shows: milliseconds since 1970, and a match and turn for each."""


async def drawn(seconds: float, games: int) -> None:
    """How soon a turn is on the screen: on the first page, of the boards in sight, and on the page of a match."""
    from playwright.async_api import async_playwright

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with scratch_folder() as folder:
        playing = Playing(folder, games)
        with pages(folder) as web:
            async with async_playwright() as running:
                browser = await running.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
                tab = await browser.new_page(viewport={"width": 1400, "height": 2000}, locale="en-GB")
                for what, place in (("first page", ""), ("page of a match", f"#{playing.longest}")):
                    await tab.goto("about:blank")
                    await tab.goto(web.address + place)
                    await tab.locator(".counter" if place else ".cards > li svg").last.wait_for()
                    await tab.evaluate(DRAWN)
                    playing.written.clear()
                    await playing.play(seconds)
                    await asyncio.sleep(1)
                    seen: dict[tuple[str, int], int] = {}
                    for at, boards in reversed(await tab.evaluate("drawn")):
                        for name, turn in boards:  # a board that skips a turn has shown it with the next one
                            seen.update(dict.fromkeys([(name, turn - back) for back in range(min(turn, 10))], at))
                    names = {name for name, _ in seen}
                    wanted = {one: at for one, at in playing.written.items() if one[0] in names}
                    late = [seen[one] - at for one, at in wanted.items() if one in seen]
                    missing = len(wanted) - len(late)
                    print(f"{what}, {games} games, {len(names)} in sight: {len(wanted)} turns, {missing} not drawn")
                    say_late("  written to drawn", late)
                await browser.close()


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
            say_late("written to seen", late)


def first_page() -> None:
    """A run with 5,000 matches: the first page without an index, with one, and asked for again."""
    with scratch_folder() as folder:
        big_run(folder, 5000, 500_000)
        for words in ("cold, without an index", "started again, with the index"):
            with pages(folder) as web:
                up = time.perf_counter() - web.started
                body, seconds = web.get("api/run")
                cpu = web.cpu_seconds
                again = min(web.get("api/run")[1] for _ in range(5))
                print(f"{words}: {cpu:.2f} s of processor time until the first page")
                print(
                    f"  process up in {up:.2f} s, first page {seconds:.2f} s ({up + seconds:.2f} s in all), "
                    f"again {again:.3f} s, {len(body) / 1024:.0f} KiB, {web.peak_mib:.0f} MiB"
                )
                print(
                    f"  found and sorted {web.get('api/games?find=bot-007&sort=turns')[1]:.3f} s, "
                    f"a bot {web.get('api/bots/bot-007')[1]:.3f} s, "
                    f"the cross-table {web.get('api/crosstable')[1]:.3f} s"
                )
                time.sleep(20 if words.startswith("cold") else 0)  # it reads match records for the index meanwhile
                print(f"  the first page after that {web.get('api/run')[1]:.3f} s, {web.peak_mib:.0f} MiB at most")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["latency", "drawn", "viewers", "first-page"])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--viewers", type=int, default=1000)
    parser.add_argument("--games", type=int, default=64)
    given = parser.parse_args()
    if given.what == "latency":
        asyncio.run(latency(given.seconds, given.games))
    elif given.what == "drawn":
        asyncio.run(drawn(given.seconds, given.games))
    elif given.what == "viewers":
        asyncio.run(many_viewers(given.seconds, given.viewers))
    else:
        first_page()


if __name__ == "__main__":
    main()
