"""The pages as text: one template for all.

A report has everything in it; a live page has links to its parts.

The report contains text from bots and operators, which may be anything. It is embedded as JSON in
which no tag can begin, and the script only ever makes text of it. The page's policy (CSP) allows
only the script whose hash it names.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from arena.pages.book import book
from arena.pages.scripts import FOLDER, joined_modules, modules_of, read_asset
from arena.pages.site_files import TYPES, book_name, catalogue_name, site_version
from arena.words import DEFAULT, LANGUAGES, catalogues_script

if TYPE_CHECKING:
    # numpy comes with it, and users wait for pages that are started again
    from arena.pages.findings import Report

GENERATOR: Final = b'<meta name="generator" content="arena report">'
"""The mark of a report, among its first 2,000 bytes."""

TITLE_TYPE: Final = "title.woff2"
"""The type of titles and scores (tests/generators/make_title_type.py)."""
_NAMED_FILE: Final = re.compile(r'url\("([\w.]+)"\)')

Kind = Literal["watch", "run", "runs", "venue", "venue_run", "play"]
"""The live pages: a run by itself, a run of a folder, the list of a folder, a venue, a run of a
venue, play by hand."""
STYLES: Final = {
    "report": ("boards.css", "report.css", "views.css"),
    "watch": ("boards.css", "report.css", "views.css"),
    "run": ("boards.css", "report.css", "views.css", "runs.css"),
    "runs": ("boards.css", "report.css", "views.css", "runs.css"),
    "venue": ("boards.css", "report.css", "views.css", "runs.css", "venue.css"),
    "venue_run": ("boards.css", "report.css", "views.css", "runs.css"),
    "play": ("boards.css", "report.css", "views.css", "by_hand.css"),
}


def page_of(report: Report) -> str:
    """Return the whole HTML file of a report."""
    script = catalogues_script(*LANGUAGES) + joined_modules("report.js")
    style = _with_files("".join(map(read_asset, STYLES["report"])))
    policy = (
        "default-src 'none'; "
        f"script-src '{_hash(script)}'; "
        f"style-src '{_hash(style)}'; "
        "img-src data:; "
        "font-src data:; "
        "base-uri 'none'; "
        "form-action 'none'"
    )
    head = (
        f'{GENERATOR.decode()}\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<link rel="icon" href="{_data_address("icon.svg")}">\n<style>{style}</style>'
    )
    text = msgspec.json.encode(report).decode()
    # without any `<`, `>` or `&`, so that nothing in it can end the element or begin another
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    contents = f'<script type="application/json" id="report">{text}</script>'
    books = ""
    for language in LANGUAGES:
        books += f'<template id="book-{language}">{book(language)}</template>'
    return _filled(
        language=DEFAULT,
        head=head,
        book=books,
        scripts=f"{contents}\n<script>{script}</script>",
    )


def page_of_server(kind: Kind, language: str, depth: int = 0) -> str:
    """Return a live page: the same for everybody, it fetches everything else.

    All addresses are relative, here and in the scripts: a proxy may serve the pages under a path of
    a site. `depth` is the number of folders between the page and the first one.
    """
    top = "../" * depth
    folder = f"{top}assets/{site_version()}"
    modules = modules_of(f"{kind}.js")
    head = [
        f'<link rel="icon" href="{folder}/icon.svg" type="image/svg+xml">',
        f'<link rel="preload" href="{folder}/{TITLE_TYPE}" as="font" crossorigin>',
        *[f'<link rel="stylesheet" href="{folder}/{name}">' for name in STYLES[kind]],
        *[f'<link rel="modulepreload" href="{folder}/{name}">' for name in modules],
    ]
    if depth:
        head.append(f'<link rel="up" href="{top}">')
    scripts = [
        f'<script defer src="{folder}/{catalogue_name(language)}"></script>',
        f'<script type="module" src="{folder}/{kind}.js"></script>',
    ]
    return _filled(
        language=language,
        head="\n".join(head),
        book=f'<template id="book-{language}" data-address="{folder}/{book_name(language)}">'
        "</template>",
        scripts="\n".join(scripts),
    )


def _filled(*, language: str, head: str, book: str, scripts: str) -> str:
    page = read_asset("page.html")
    page = page.replace("@@LANGUAGE@@", language).replace("@@HEAD@@", head)
    page = page.replace("@@BOOK@@", book).replace("@@BOARD@@", read_asset("empty_board.svg"))
    return page.replace("@@SCRIPTS@@", scripts)  # what bots say comes last


def is_report(start: bytes) -> bool:
    """Return whether a file that begins with these bytes (2,000 of them) is a report."""
    return GENERATOR in start


def _with_files(style: str) -> str:
    """Return a style with the files in it that it names, for a page of one file."""
    style = style.replace("font-display: optional", "font-display: block")  # it is there at once
    return _NAMED_FILE.sub(lambda named: f'url("{_data_address(named[1])}")', style)


def _data_address(name: str) -> str:
    """Return an address that has the whole content of an asset."""
    content = base64.b64encode((FOLDER / name).read_bytes()).decode()
    return f"data:{TYPES[PurePath(name).suffix]};base64,{content}"


def _hash(text: str) -> str:
    """Return the hash of an inline script or style for a Content-Security-Policy."""
    digest = hashlib.sha256(text.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()
