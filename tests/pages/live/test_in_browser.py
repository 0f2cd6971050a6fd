"""The live pages in a real browser: a game that grows, both languages, a phone, keyboard, hostile names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from starlette.types import ASGIApp

from arena.pages.live.run_pages import RunPages
from arena.pages.live.watching import Watcher
from arena.pages.serving.app import web_app
from tests.browser import axe_violations
from tests.fixtures.asked_pages import HERE, add, begun, lines_of, write_run
from tests.fixtures.report_runs import (
    FORMATS,
    HOSTILE,
    SEEDS,
    games_to_play,
    long_run,
    run_of_format,
)
from tests.fixtures.small_run import FIXTURE, RECORD, Files
from tests.pages.live.site import Site

pytestmark = pytest.mark.slow
LOG = "tournament.jsonl"
Start = Callable[[Files], "RunSite"]


class RunSite(Site):
    def __init__(self, browser: Any, folder: Path) -> None:
        self.folder = folder
        super().__init__(browser, self._pages_of_run)

    def _pages_of_run(self, nursery: trio.Nursery) -> ASGIApp:
        self.watcher = Watcher(self.folder)
        nursery.start_soon(self.watcher.follow)
        return web_app(RunPages(self.watcher).routes(), HERE)

    def open(self, place: str = "", **context: Any) -> Any:
        return self.show(self.browser.new_page(**context), place)


@pytest.fixture
def start(browser: Any, tmp_path: Path) -> Iterator[Start]:
    sites: list[RunSite] = []

    def begin(files: Files) -> RunSite:
        sites.append(RunSite(browser, write_run(tmp_path / "run", files)))
        return sites[-1]

    yield begin
    for site in sites:
        site.close()
        site.watcher.close()


def playing(ruleset: str = "vasa", lines: int = 12) -> tuple[Files, list[bytes], list[bytes]]:
    """A run whose match has so many lines, and what follows: of the match, and of the tournament."""
    files = long_run(games_to_play()[ruleset])
    return begun(files, lines), lines_of(files[RECORD])[lines:], lines_of(files[LOG])[2:]


def overflow(page: Any) -> int:
    return int(
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )


@pytest.mark.parametrize("ruleset", ["vasa", "brandubh-1"])
def test_a_game_is_seen_as_it_is_played(start: Start, ruleset: str) -> None:
    files, record, _ = playing(ruleset)
    site = start(files)
    page = site.open(FIXTURE, locale="en-GB")
    rows = page.locator(".moves li")
    rows.nth(1).wait_for()
    before = rows.count()
    board = page.locator(".board").get_attribute("aria-label")
    add(site.folder, RECORD, record[:1])
    rows.nth(before).wait_for()
    assert page.locator(".moves [aria-current]").inner_text() == rows.nth(before).inner_text()
    page.wait_for_function(
        "(old) => document.querySelector('.board')?.getAttribute('aria-label') !== old", arg=board
    )
    assert " rolls " in page.locator(".sentence").inner_text() or ruleset == "brandubh-1"
    page.keyboard.press("ArrowLeft")
    back = page.locator(".to-live")
    back.wait_for()
    counter = page.locator(".counter").inner_text()
    add(site.folder, RECORD, record[1:3])
    rows.nth(before + 2).wait_for()
    assert page.locator(".counter").inner_text().split(" /")[0] == counter.split(" /")[0]
    back.click()
    assert page.locator(".counter").inner_text() == f"{before + 2} / {before + 2}"
    page.wait_for_url(re.compile(f"#{FIXTURE}$"))


def test_the_overview_follows_the_run(start: Start) -> None:
    files, record, log = playing()
    site = start(files)
    page = site.open(locale="en-GB")
    where = page.locator(".card .where")
    where.wait_for()
    before = where.inner_text()
    add(site.folder, RECORD, record[:2])
    page.wait_for_function(
        "(old) => document.querySelector('.card .where').textContent !== old", arg=before
    )
    page.locator(".card").focus()
    page.keyboard.press("Enter")
    page.locator(".moves").wait_for()
    page.go_back()
    add(site.folder, RECORD, record[2:])
    add(site.folder, LOG, log)
    page.locator(".overview .lead", has_text="won by").first.wait_for()
    assert page.get_by_text("Now playing").count() == 0
    assert page.locator("#games tbody tr").count() == 3
    page.locator("#filter").fill("nobody")
    page.get_by_text("No game is found.").wait_for()
    page.locator("#standings a").first.focus()
    page.keyboard.press("Enter")
    page.locator(".bot h1").wait_for()
    assert page.locator("#against tbody tr").count() == 1


def test_the_pages_come_back_after_the_server(start: Start) -> None:
    files, record, _ = playing()
    site = start(files)
    page = site.open(FIXTURE, locale="en-GB")
    page.locator(".moves li").nth(1).wait_for()
    page.evaluate("window.dispatchEvent(new Event('offline'))")
    page.context.set_offline(True)
    add(site.folder, RECORD, record[:4])
    page.context.set_offline(False)
    page.locator(".moves li").nth(5).wait_for()
    labels = page.locator(".moves .label").all_inner_texts()
    assert len(labels) == len(set(labels))


SHOWN: str = """() => {
  const found = [], known = /^\\P{L}*$/u;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, above = node.parentElement;
    if (!above.checkVisibility() || above.closest("[lang=en]:not(html), script, noscript, code")) continue;
    if (!known.test(node.textContent)) found.push(node.textContent);
  }
  for (const node of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
    for (const name of ["aria-label", "title", "placeholder"]) {
      const words = node.getAttribute(name);
      if (words && !known.test(words)) found.push(words);
    }
  }
  return found;
}"""
MARKED = "const CATALOGUES = { sv: new Proxy({}, { get: (_, words) => `⟦${String(words)}⟧`, has: () => true }) };"


def answer_with(script: str, route: Any) -> None:
    route.fulfill(content_type="text/javascript", body=script)


@pytest.mark.parametrize("place", ["", *FORMATS, FIXTURE, f"{FIXTURE}/1/3", "bot/anna"])
def test_every_word_comes_from_the_catalogue(start: Start, place: str) -> None:
    files = run_of_format(FORMATS[place]) if place in FORMATS else long_run()
    site = start(files)
    page = site.browser.new_page(locale="sv-SE")
    page.route("**/words.sv.js", partial(answer_with, MARKED))
    is_first_page = place in ("", *FORMATS)
    site.show(page, "" if is_first_page else place)
    page.locator(
        "#pairings .pairing, #pairings table, #crosstable table" if is_first_page else "table"
    ).first.wait_for()
    if not is_first_page:
        page.wait_for_load_state("networkidle")
    names = [
        *SEEDS,
        "small",
        "vasa",
        "Bräde arena",
        "Svenska",
        "English",
        FIXTURE,
        HOSTILE,
        "SVG",
        "PNG",
        f"{FIXTURE} · vasa",
    ]
    bare = [words for words in page.evaluate(SHOWN) if not words.strip().startswith("⟦")]
    unknown = [words for words in bare if words.strip(" ,:()") not in names and "⟦" not in words]
    times = re.compile(
        r"^[\d.,: ]+(ms|s|min)$|^\w+/\w+|^▶|^(bar/)?\d+/|^\d+/off|^\d+ \w+\.? 20\d\d|^r\d-\w+-v-\w+$|^\d+[a-z]$"
        r"|^B\d+\.\d+$",
        re.IGNORECASE,
    )
    assert [words for words in unknown if not times.match(words.strip())] == []


def test_a_phone_never_scrolls_sideways_beside_small_boards(start: Start) -> None:
    """In Swedish, where words are longer."""
    files, _, _ = playing()
    page = start(files).open(
        viewport={"width": 360, "height": 740}, locale="sv-SE", color_scheme="dark"
    )
    page.locator("h1").wait_for()
    assert page.locator("html").get_attribute("lang") == "sv"
    assert overflow(page) == 0


def test_the_language_is_switched_and_kept(start: Start) -> None:
    files, _, _ = playing()
    page = start(files).open(locale="en-GB")
    page.get_by_role("button", name="Svenska").click()
    page.get_by_role("heading", name="Ställning", exact=True).wait_for()
    page.reload()
    page.get_by_role("heading", name="Ställning", exact=True).wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", ["", FIXTURE, "bot/anna"])
def test_axe_finds_nothing(start: Start, place: str, scheme: str) -> None:
    files, _, _ = playing()
    page = start(files).open(place, color_scheme=scheme, reduced_motion="reduce")
    page.locator("h1").wait_for()
    page.wait_for_timeout(500)
    assert axe_violations(page) == []
