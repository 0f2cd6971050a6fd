"""Takes the picture of docs/playing.md: `python -m tests.generators.make_playing_picture`, against a bot that plays.

The dice are new each time, and no test compares the picture: browsers draw type differently.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

from tests.generators.make_pictures import PICTURES
from tests.generators.served_page import served_page

TURNS: Final = 24
"""How many turns of the first game are played before the picture is taken."""
PLAY: Final = ".go-on, .hand-buttons .main:not([disabled])"


def play_on(page: Any) -> None:
    """Play until so many turns are on the page and there is a choice of checkers."""
    while True:
        page.locator(f"{PLAY}, .can-land, .can-lift").first.wait_for()
        log = page.locator(".hand-log li").count()
        if log >= TURNS and page.locator(".can-lift").count() > 2 and not page.locator(".die.used").count():
            return
        for where in (PLAY, ".can-land rect", ".can-lift rect"):
            if page.locator(where).count():
                page.locator(where).last.click(force=True)
                break
        page.wait_for_timeout(150)


def take(folder: Path, path: Path) -> None:
    """Play against `lookahead`, ask for a hint, and take the picture."""
    with served_page("play", "lookahead", "--out", str(folder / "run"), width=1180, height=720) as page:
        play_on(page)
        page.get_by_role("button", name="Show me").click()
        page.locator(".hint").first.wait_for()
        page.screenshot(path=path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        take(Path(scratch), PICTURES / "playing.png")
