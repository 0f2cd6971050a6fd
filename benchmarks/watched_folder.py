"""The pages of a folder of runs: the time until they are up, and the time of each answer.

    python -m tests.generators.make_many_runs /tmp/runs --runs 10000 --matches 10
    python benchmarks/watched_folder.py /tmp/runs

It starts `arena watch` twice. The first time there may be no index yet: it waits until every run is
read, and says how long that took. The second time it measures with the index there. A plain request
of the same server, for a file of the pages, is the measure of the machine: beside it stand ratios.
The dice of the generated matches do not replay, so no game is asked for; it takes as long as its
own match record, whatever is beside it.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import quote, urlsplit

TIMES = 20
PAUSE_SECONDS = 0.5


class Pages:
    """Pages that are served."""

    def __init__(self, address: str) -> None:
        self.host = urlsplit(address).netloc

    def ask(self, path: str) -> tuple[float, bytes]:
        """Return the seconds that an answer takes, and the answer."""
        begun = time.perf_counter()
        connection = http.client.HTTPConnection(self.host, timeout=600)
        connection.request("GET", path, headers={"accept-encoding": "gzip"})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        seconds = time.perf_counter() - begun
        if answer.status != 200:
            sys.exit(f"{path}: {answer.status} {content[:200]!r}")
        if answer.getheader("content-encoding") == "gzip":
            content = gzip.decompress(content)
        return seconds, content


@contextmanager
def served(folder: Path) -> Iterator[Pages]:
    """Start `arena watch`, and end it afterwards."""
    command = [sys.executable, "-m", "arena", "watch", str(folder), "--no-open"]
    command += ["--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        try:
            yield Pages(serving.stdout.readline().strip())
        finally:
            serving.send_signal(signal.SIGINT)


def read_all(folder: Path) -> float:
    """Wait until the index has every run; return the seconds."""
    begun = time.perf_counter()
    with served(folder) as pages:
        while True:
            page = json.loads(pages.ask("/api/runs?most=1")[1])
            if not page["is_looking"] and not page["unread"]:
                return time.perf_counter() - begun
            time.sleep(PAUSE_SECONDS)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of runs, all of them finished")
    folder = parser.parse_args().folder
    print(f"every run is in the index after {read_all(folder):.1f} s")
    begun = time.perf_counter()
    with served(folder) as pages:
        pages.ask("/")
        rows = json.loads(pages.ask("/api/runs")[1])["rows"]
        print(f"with the index there the list is up after {time.perf_counter() - begun:.2f} s")
        opened = time.perf_counter()
        run = f"/runs/{quote(rows[0]['folder'])}/"
        overview = json.loads(pages.ask(f"{run}api/run")[1])
        print(f"and its first run is open {time.perf_counter() - opened:.2f} s later")
        bot = overview["run"]["entrants"][0]["id"]
        match = overview["games"]["rows"][0]["fixture"]
        paths = {
            "a file": "/assets/x/icon.svg",
            "the list": "/api/runs",
            "the list, searched": "/api/runs?find=run+1",
            "the end of the list": f"/api/runs?start={max(0, len(rows) - 1)}",
            "a run": f"{run}api/run",
            "its cross-table": f"{run}api/crosstable",
            "its games": f"{run}api/games",
            "its games, sorted": f"{run}api/games?sort=ending",
            "its games, searched": f"{run}api/games?find=forfeit+bot-02",
            "a bot": f"{run}api/bots/{bot}",
            "a match": f"{run}api/matches/{match}",
        }
        plain = 0.0
        for name, path in paths.items():
            seconds = [pages.ask(path)[0] for _ in range(TIMES)]
            middle = median(seconds) * 1000
            plain = plain or middle
            longest = max(seconds) * 1000
            print(f"{name:22} {middle:7.1f} ms, at most {longest:7.1f} ms, {middle / plain:6.1f}")


if __name__ == "__main__":
    main()
