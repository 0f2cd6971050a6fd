"""A browser without a screen, for tests and pictures: one a process, since a second one would not start beside it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = ["--disable-gpu", "--no-first-run", "--disable-background-networking"]
PATIENCE_MS = 20_000
"""Far more than anything here takes; what does not come fails its test."""


PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Names of Chromium. The first is Chromium without windows, at two fifths of the processor time."""


def chromium_path() -> str | None:
    """Return where Chromium is, or None if the system does not have it."""
    installed = (shutil.which(program) for program in PROGRAMS)
    return next(filter(None, installed), None)


@contextmanager
def chromium(path: str | None) -> Iterator[Any]:
    """Chromium while it runs."""
    from playwright.sync_api import sync_playwright

    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else FLAGS
    with sync_playwright() as running:
        found = running.chromium.launch(executable_path=path, args=flags, timeout=3 * PATIENCE_MS)
        yield found
        found.close()


FORCED_TURNS_WAIT = """for (const name of ["arena-forced", "arena-whole-bots"])
  localStorage.getItem(name) ?? localStorage.setItem(name, "off");"""
"""A script for pages of playing: no turn plays itself, as the tests expect it."""


def watch_shifts(may_move: str = "none") -> str:
    """Return a script that adds up how far a page moves, in `window.shift` (web.dev/cls).

    What follows an input is left out, and what moves only elements of the selector `may_move`.
    """
    return f"""
      window.shift = 0;
      new PerformanceObserver((list) => {{
        for (const {{ hadRecentInput, sources, value }} of list.getEntries()) {{
          const isFree = sources.length > 0 && sources.every(({{ node }}) => node?.matches?.("{may_move}"));
          if (!hadRecentInput && !isFree) window.shift += value;
        }}
      }}).observe({{ type: "layout-shift", buffered: true }});
    """


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium as the system has it; tests that need it are skipped where it is missing."""
    pytest.importorskip(
        "playwright.sync_api", reason="playwright is missing: pip install -e '.[dev]'"
    )
    path = chromium_path()
    if path is None:
        pytest.skip("chromium is missing: apt-get install chromium")
    with chromium(path) as found:
        yield found


ON_NO_PAGE = """function () {
  const elements = this.filter((element) => !Object.hasOwn(element, "constructor"));
  return elements.filter((element) => !element.isConnected).length;
}"""
"""A function for a list of elements, in which the prototypes of elements stand, too."""


def detached_elements(page: Any) -> int:
    """Return how many elements scripts keep that stand on no page, after a garbage collection."""
    session = page.context.new_cdp_session(page)
    prototype = session.send("Runtime.evaluate", {"expression": "Element.prototype"})["result"]
    query = {"prototypeObjectId": prototype["objectId"]}
    elements = session.send("Runtime.queryObjects", query)["objects"]
    call = {"objectId": elements["objectId"], "functionDeclaration": ON_NO_PAGE}
    detached = session.send("Runtime.callFunctionOn", call)["result"]
    session.send("Runtime.releaseObject", {"objectId": elements["objectId"]})
    session.detach()
    return int(detached["value"])


def axe_violations(page: Any) -> list[tuple[str, list[str]]]:
    """What axe finds on a page by the rules of WCAG 2.1 A and AA, each rule with the first nodes that break it."""
    axe = pytest.importorskip(
        "axe_playwright_python", reason="axe is missing: pip install -e '.[dev]'"
    )
    page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })")
    return [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found["violations"]]


HOLD_SLIDES = """() => {
  window.sliding = [];
  const held = () => new Promise((arrive) => sliding.push(arrive));
  Element.prototype.animate = () => ({ finished: held() });
  const wait = window.setTimeout;
  // a slide also ends a little after its time
  window.setTimeout = (act, ms, ...more) => [480, 420].includes(ms) ? 0 : wait(act, ms, ...more);
}"""
"""Nothing that slides arrives, until it is released."""
RELEASE_SLIDES = """() => {
  Element.prototype.animate = () => ({ finished: Promise.resolve() });
  sliding.forEach((arrive) => arrive());
}"""
"""What was held arrives, and what slides next arrives at once."""
