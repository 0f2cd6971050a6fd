"""The pages as text: one template for all.

A report has everything in it; a live page has links to its parts.

The report contains text from bots and operators, which may be anything. It is embedded as JSON in
which no tag can begin, and the script only ever makes text of it. The page's policy (CSP) allows
only the script whose hash it names.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from arena.pages.book import book
from arena.words import catalogues_script

if TYPE_CHECKING:
    # numpy comes with it, and users wait for pages that are started again
    from arena.pages.findings import Report

GENERATOR: Final = b'<meta name="generator" content="arena report">'
"""The mark of a report, among its first 2,000 bytes."""

CATALOGUES: Final = "catalogues.js"
"""The name under which live pages get the catalogues."""

_FIRST: Final = ("words.js", "elements.js", "book.js", "page_head.js")
_BOARDS: Final = (
    "play.js",
    "boards.js",
    "sounds.js",
    "slides.js",
    "steps.js",
    "charts.js",
    "replay.js",
)
_PAGES: Final = (
    "standings.js",
    "pairings.js",
    "figures.js",
    "matches.js",
    *_BOARDS,
    "match_view.js",
    "bot_page.js",
    "overview.js",
)

SCRIPTS: Final = {
    "report": (*_FIRST, "inside.js", *_PAGES, "main.js"),
    "watch": (*_FIRST, "live_stream.js", "server.js", *_PAGES, "main.js"),
    "play": (
        *_FIRST,
        "standings.js",
        *_BOARDS,
        "live_stream.js",
        "hand_spots.js",
        "hand_table.js",
        "hand_around.js",
        "by_hand.js",
    ),
}
"""The parts of each page's script after the catalogues: each part needs only those before it."""
STYLES: Final = {
    "report": ("boards.css", "report.css"),
    "watch": ("boards.css", "report.css"),
    "play": ("boards.css", "report.css", "by_hand.css"),
}

_FOLDER = files("arena.pages") / "assets"


def page_of(report: Report) -> str:
    """Return the whole HTML file of a report."""
    script = catalogues_script() + "".join(map(_read, SCRIPTS["report"]))
    style = "".join(map(_read, STYLES["report"]))
    policy = (
        "default-src 'none'; "
        f"script-src '{_hash(script)}'; "
        f"style-src '{_hash(style)}'; "
        "img-src data:; "
        "base-uri 'none'; "
        "form-action 'none'"
    )
    head = (
        f'{GENERATOR.decode()}\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<link rel="icon" href="data:,">\n<style>{style}</style>'
    )
    text = msgspec.json.encode(report).decode()
    # without any `<`, `>` or `&`, so that nothing in it can end the element or begin another
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    contents = f'<script type="application/json" id="report">{text}</script>'
    return _filled(head, f"{contents}\n<script>{script}</script>")


def page_of_server(kind: Literal["watch", "play"]) -> str:
    """Return a live page: the same for everybody, it fetches everything else.

    All addresses are relative, here and in the scripts: a proxy may serve the pages under a path of
    a site.
    """
    links = [f'<link rel="stylesheet" href="assets/{name}">' for name in STYLES[kind]]
    head = ['<link rel="icon" href="assets/icon.svg" type="image/svg+xml">', *links]
    scripts = [f'<script src="assets/{name}"></script>' for name in (CATALOGUES, *SCRIPTS[kind])]
    return _filled("\n".join(head), "\n".join(scripts))


def _filled(head: str, scripts: str) -> str:
    page = _read("page.html").replace("@@HEAD@@", head).replace("@@BOOK@@", book())
    return page.replace("@@SCRIPTS@@", scripts)  # what bots say comes last


def is_report(start: bytes) -> bool:
    """Return whether a file that begins with these bytes (2,000 of them) is a report."""
    return GENERATOR in start


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the hash of an inline script or style for a Content-Security-Policy."""
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()
