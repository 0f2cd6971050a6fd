"""What a page weighs, and how calmly it comes up: measured in Chromium at an address.

    python benchmarks/pages.py http://127.0.0.1:8017/ [--find "#standings"] [--turns 1000]

For each width: bytes on the wire and requests of a first and of a second visit, milliseconds until
the first paint, layout shift (Cumulative Layout Shift, web.dev/cls) and where an element begins.
With `--seconds` the page stays open for that time; its memory is told before and after.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, Final

from tests.browser import chromium, chromium_path

SIZES: Final = ((1366, 768), (1920, 1080), (390, 844))
SLOW_LINE: Final = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 90_000,
}
"""A phone on a slow line: latency in milliseconds, bytes a second (`--slow`)."""
OBSERVED: Final = """() => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 0."""
    parser = argparse.ArgumentParser(description="What a page weighs, and how calmly it comes up.")
    parser.add_argument("address")
    parser.add_argument("--find", default="#standings", help="an element whose place is told")
    parser.add_argument("--slow", action="store_true", help="by a slow line")
    parser.add_argument("--seconds", type=int, default=0, help="stay open, and tell the memory")
    options = parser.parse_args(arguments)
    with chromium(chromium_path()) as browser:
        for width, height in SIZES:
            context = browser.new_context(viewport={"width": width, "height": height})
            for visit in ("first", "second"):
                report(context, options, f"{width:5} {visit:6}")
            if options.seconds:
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
    page.add_init_script(f"({OBSERVED})()")
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
    """Print the heap and the nodes of an open page, at first and after some time."""
    page = context.new_page()
    session = context.new_cdp_session(page)
    page.goto(options.address, wait_until="load")
    for seconds in (3, options.seconds):
        page.wait_for_timeout(1000 * seconds)
        session.send("HeapProfiler.collectGarbage")
        counters = session.send("Memory.getDOMCounters")
        heap = session.send("Runtime.getHeapUsage")["usedSize"]
        print(f"      after {seconds} s: {heap / 1e6:.1f} MB, {counters['nodes']} nodes")
    page.close()


if __name__ == "__main__":
    sys.exit(main())
