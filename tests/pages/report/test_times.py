"""Times and numbers in a report, as the reader writes them."""

from __future__ import annotations

import re

import pytest

from tests.fixtures.report_runs import run
from tests.fixtures.small_run import FIXTURE
from tests.pages.report.conftest import Open


def test_a_time_is_that_of_the_clock_of_the_reader(opened: Open) -> None:
    hours = {}
    for zone in ("UTC", "Asia/Tokyo"):
        tab = opened(run(), timezone_id=zone, locale="en-GB").go()
        tab.page.locator(".facts summary").click()
        words = tab.page.locator(".intro").inner_text()
        begun = re.search(r"Played from .*?(\d\d):(\d\d) (\S+) to ", words)
        assert begun, words
        hours[begun[3]] = int(begun[1])
    assert list(hours) == ["UTC", "GMT+9"]
    assert hours["GMT+9"] == (hours["UTC"] + 9) % 24


@pytest.mark.parametrize(("locale", "half"), [("en-GB", "0.5"), ("sv-SE", "0,5")])
def test_decimals_are_behind_the_mark_of_the_language(opened: Open, locale: str, half: str) -> None:
    tab = opened(run(), locale=locale).go(f"{FIXTURE}/1/0")
    slowest = tab.page.locator(".tools select option").first.inner_text()
    assert slowest.split()[0] == half
