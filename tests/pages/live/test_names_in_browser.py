"""Names of entrants on the live pages: from right to left, and with numbers in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.fixtures.asked_pages import write_run
from tests.fixtures.report_runs import LONG, played_match
from tests.fixtures.sample_runs import whole_run
from tests.fixtures.small_run import FIXTURE, opened_tournament, run_of
from tests.pages.live.test_in_browser import RunSite

pytestmark = pytest.mark.slow
FROM_RIGHT = "محمد"
ISOLATED = f"\u2068{FROM_RIGHT}\u2069"
BARE = """(name) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const bare = [];
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const isBare = text.data.replaceAll(`\\u2068${name}\\u2069`, "").includes(name);
    if (isBare && !text.parentElement.closest("bdi, script, template")) bare.push(text.data);
  }
  return bare;
}"""
"""The texts of a page in which a name stands between other words without being isolated."""


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[RunSite]:
    sitting = played_match(terms=replace(LONG, turn_limit=20))
    header = replace(opened_tournament(sitting.opened.terms), names={"anna": FROM_RIGHT})
    found = RunSite(browser, write_run(tmp_path / "run", run_of(header, sitting)))
    yield found
    found.close()
    found.watcher.close()


@pytest.mark.parametrize(
    ("place", "drawn"), [("", "#crosstable table"), ("bot/anna", "#against"), (FIXTURE, ".moves")]
)
def test_a_name_from_right_to_left_is_isolated(site: RunSite, place: str, drawn: str) -> None:
    page = site.open(place, locale="en-GB")
    page.locator(drawn).wait_for()
    assert page.locator("bdi", has_text=FROM_RIGHT).count() > 0
    assert page.evaluate(BARE, FROM_RIGHT) == []
    if place:
        assert ISOLATED in page.title()


def test_opponents_are_listed_by_the_numbers_in_their_names(browser: Any, tmp_path: Path) -> None:
    header = opened_tournament(entrants=("bot-1", "bot-10", "bot-2"), violations=100)
    site = RunSite(browser, write_run(tmp_path / "run", whole_run(header)))
    page = site.open("bot/bot-1", locale="en-GB")
    rows = page.locator("#against tbody th")
    rows.first.wait_for()
    assert rows.all_inner_texts() == ["bot-2", "bot-10"]
    site.close()
    site.watcher.close()
