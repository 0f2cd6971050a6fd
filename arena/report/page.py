"""The page as text: its template, style and scripts with the report in it; opening it fetches nothing.

The report contains text from bots and operators, which may be anything. It is embedded as JSON in which no tag can
begin, and the script only ever makes text of it. The page's policy (CSP) allows only the script whose hash it names.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Final

import msgspec

from arena.report.findings import Report

GENERATOR: Final = b'<meta name="generator" content="arena report">'
"""The mark of a report, among its first 2,000 bytes."""

SCRIPTS: Final = (
    "swedish.js",
    "sentences_swedish.js",
    "words.js",
    "elements.js",
    "choices.js",
    "charts.js",
    "standings.js",
    "conduct.js",
    "matches.js",
    "luck.js",
    "play.js",
    "tables_board.js",
    "brandubh_board.js",
    "slides.js",
    "saving.js",
    "steps.js",
    "curve.js",
    "replay.js",
    "main.js",
)
"""The parts of the script, in the order in which they need each other."""

_FOLDER = files("arena.report") / "assets"


def page_of(report: Report) -> str:
    """The whole HTML file."""
    script = "".join(_read(name) for name in SCRIPTS)
    style = _read("report.css")
    parts = {
        "STYLE": style,
        "SCRIPT": script,
        "STYLE_HASH": _hash(style),
        "SCRIPT_HASH": _hash(script),
        "DATA": _embedded(report),
    }
    pieces = _read("page.html").split("@@")  # text, name, text, name, ..., text
    return "".join(parts[piece] if number % 2 else piece for number, piece in enumerate(pieces))


def is_report(start: bytes) -> bool:
    """Return whether a file that begins with these bytes (2,000 of them) is a report."""
    return GENERATOR in start


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The hash of an inline script or style for a Content-Security-Policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _embedded(report: Report) -> str:
    """The report as JSON without any `<`, `>` or `&`, so that nothing in it can end the element or begin another."""
    text = msgspec.json.encode(report).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
