"""A browser without a screen, one for all tests of a process: a second one would not start beside it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FLAGS = ["--disable-gpu", "--no-first-run", "--disable-background-networking"]
PATIENCE_MS = 20_000
"""Far more than anything here takes; what does not come fails its test."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium as the system has it; tests that need it are skipped where it is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install '.[dev]'")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("chromium is missing: apt-get install chromium")
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else FLAGS
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=path, args=flags, timeout=3 * PATIENCE_MS)
        yield found
        found.close()


def axe_violations(page: Any) -> list[tuple[str, list[str]]]:
    """What axe finds on a page by the rules of WCAG 2.1 A and AA, each rule with the first nodes that break it."""
    axe = pytest.importorskip("axe_playwright_python", reason="axe is missing: pip install '.[dev]'")
    page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })")
    return [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found["violations"]]
