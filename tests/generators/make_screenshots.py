"""Takes the pictures of the live pages: `python -m tests.generators.make_screenshots [RUN]`.

With RUN, a finished run such as demo-run, that of docs/watching.md: the run is copied, and its last
matches are taken back into the middle of a game. Without it that of docs/playing.md, against a bot;
its dice are new each time. No test compares these pictures: browsers draw type differently.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec
from playwright.sync_api import Error as BrowserError

from tests.browser import chromium, chromium_path
from tests.generators.make_pictures import PICTURES

RUNNING: Final = 3
"""How many matches are shown as being played."""
TURNS: Final = 24
"""How many turns of the first game are played before the picture is taken."""
PLAY: Final = ".go-on, .hand-buttons .main:not([disabled])"


@contextmanager
def served_page(*words: str, width: int, height: int) -> Iterator[Any]:
    """The first page of `arena WORDS` in a window of this size; the command is ended afterwards."""
    command = [sys.executable, "-m", "arena", *words, "--listen", "127.0.0.1:0", "--no-open"]
    size = {"width": width, "height": height}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        try:
            with chromium(chromium_path()) as browser:
                page = browser.new_page(
                    color_scheme="light", reduced_motion="reduce", viewport=size, locale="en-GB"
                )
                page.goto(serving.stdout.readline().strip())
                yield page
        finally:
            serving.send_signal(signal.SIGINT)


def taken_back(run: Path, folder: Path) -> Path:
    """A copy of a run in which the last matches are not over."""
    (folder / "matches").mkdir()
    (folder / "tournament.toml").write_bytes((run / "tournament.toml").read_bytes())
    lines = (run / "tournament.jsonl").read_bytes().splitlines(keepends=True)
    facts = [msgspec.json.decode(line) for line in lines]
    settled = [fact["fixture"] for fact in facts if fact["event"] == "fixture_settled"]
    open_ones = set(settled[-RUNNING:])
    kept = [
        line
        for line, fact in zip(lines, facts, strict=True)
        if fact["event"] not in ("tournament_ended", "record_closed", "head_signed")
        and not (fact["event"] == "fixture_settled" and fact["fixture"] in open_ones)
    ]
    (folder / "tournament.jsonl").write_bytes(b"".join(kept))
    for fixture in settled:
        name = f"matches/{fixture}.jsonl"
        record = (run / name).read_bytes().splitlines(keepends=True)
        (folder / name).write_bytes(
            b"".join(record[: len(record) // 3] if fixture in open_ones else record)
        )
    return folder


def play_on(page: Any) -> None:
    """Play until so many turns are on the page and there is a choice of checkers."""
    while True:
        page.locator(f"{PLAY}, .can-land, .can-lift").first.wait_for()
        log = page.locator(".hand-log li").count()
        if (
            log >= TURNS
            and page.locator(".can-lift").count() > 2
            and not page.locator(".die.used").count()
        ):
            return
        for where in (PLAY, ".can-land rect", ".can-lift rect"):
            if page.locator(where).count():
                with suppress(BrowserError):  # a forced turn may play itself before the click
                    page.locator(where).last.click(force=True, timeout=2000)
                break
        page.wait_for_timeout(150)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        if len(sys.argv) > 1:
            with served_page(
                "watch", str(taken_back(Path(sys.argv[1]), Path(scratch))), width=1366, height=768
            ) as page:
                page.locator(".card .chances:not(.unknown)").nth(RUNNING - 1).wait_for()
                page.screenshot(path=PICTURES / "watching.png")
        else:
            with served_page(
                "play", "lookahead", "--out", f"{scratch}/run", width=1180, height=720
            ) as page:
                play_on(page)
                page.locator(".more-menu summary").click()
                page.get_by_role("button", name="Show me").click()
                page.locator(".hint").first.wait_for()
                page.screenshot(path=PICTURES / "playing.png")
