"""What a page weighs, and how calmly it comes up: measured in Chromium at an address.

    python benchmarks/pages.py http://127.0.0.1:8017/ [--find "#standings"] [--turns 1000]

For each width: bytes on the wire and requests of a first and of a second visit, milliseconds until
the first paint, layout shift (Cumulative Layout Shift, web.dev/cls) and where an element begins.
With `--turns` the page stays open until so many turns were drawn on its boards; its memory is told
ten times, each after a garbage collection: it may rise and fall, and must not grow with the turns.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, Final

from tests.browser import chromium, chromium_path, watch_shifts

SIZES: Final = ((1366, 768), (1920, 1080), (390, 844))
SLOW_LINE: Final = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 90_000,
}
"""A phone on a slow line: latency in milliseconds, bytes a second (`--slow`)."""

TURNS_COUNTED: Final = """() => {
  window.turns = 0;
  const seen = new Map();
  new MutationObserver(() => {
    for (const card of document.querySelectorAll(".card")) {
      const turn = card.textContent.match(/turn \\d+/)?.[0];
      if (seen.get(card) !== turn) window.turns += 1;
      seen.set(card, turn);
    }
  }).observe(document, { subtree: true, childList: true, characterData: true });
}"""
"""Counts the turns that are drawn on cards, in `window.turns`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 0."""
    parser = argparse.ArgumentParser(description="What a page weighs, and how calmly it comes up.")
    parser.add_argument("address")
    parser.add_argument("--find", default="#standings", help="an element whose place is told")
    parser.add_argument("--slow", action="store_true", help="by a slow line")
    parser.add_argument("--turns", type=int, default=0, help="stay open for so many live turns")
    options = parser.parse_args(arguments)
    with chromium(chromium_path()) as browser:
        for width, height in SIZES:
            context = browser.new_context(viewport={"width": width, "height": height})
            for visit in ("first", "second"):
                report(context, options, f"{width:5} {visit:6}")
            if options.turns:
                stay(context, options)
            context.close()
    return 0


def report(context: Any, options: argparse.Namespace, label: str) -> None:
    """Print the figures of one visit."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    if options.slow:
        session.send("Network.emulateNetworkConditions", SLOW_LINE)
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda done: sizes.append(done["encodedDataLength"]))
    page.add_init_script(watch_shifts())
    page.goto(options.address, wait_until="load")
    page.wait_for_timeout(3000)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
    shift = page.evaluate("window.shift")
    found = page.locator(options.find).first
    place = "-"
    if found.count():
        place = f"{found.evaluate('(node) => node.getBoundingClientRect().top + scrollY'):.0f}"
    requests = sum(size > 0 for size in sizes)
    print(
        f"{label}  {sum(sizes):9.0f} bytes in {requests:2} requests  first paint {paint:6.0f} ms"
        f"  shift {shift:.3f}  {options.find} at {place}"
    )
    page.close()


def stay(context: Any, options: argparse.Namespace) -> None:
    """Print the heap and the nodes of an open page while turns are drawn."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    page.add_init_script(f"({TURNS_COUNTED})()")
    page.goto(options.address, wait_until="load")
    page.wait_for_timeout(3000)
    for tenth in range(11):
        while page.evaluate("window.turns") < options.turns * tenth / 10:
            page.wait_for_timeout(200)
        turns = page.evaluate("window.turns")
        session.send("HeapProfiler.collectGarbage")
        counters = session.send("Memory.getDOMCounters")
        heap = session.send("Runtime.getHeapUsage")["usedSize"]
        print(f"      {turns:5} turns: {heap / 1e6:.2f} MB, {counters['nodes']} nodes")
    page.close()


if __name__ == "__main__":
    sys.exit(main())
