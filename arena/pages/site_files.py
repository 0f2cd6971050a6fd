"""The files that live pages load: scripts, styles, pictures, catalogues and the book.

They stand in one folder that is named by the hash of all of them, so that browsers may keep them
for as long as they like: when one changes, all have another address.
"""

import hashlib
from functools import cache
from pathlib import PurePath
from typing import Final

from arena.pages.book import book
from arena.pages.scripts import FOLDER, minified
from arena.words import LANGUAGES, catalogues_script

IN_PAGES: Final = frozenset({"page.html", "empty_board.svg"})
"""Files that stand in the pages themselves."""
TYPES: Final = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".html": "text/html",
    ".woff2": "font/woff2",
}
"""The files that are sent, by their ending, with their media types."""


def catalogue_name(language: str) -> str:
    """Return the name of the script with the words of a language."""
    return f"words.{language}.js"


def book_name(language: str) -> str:
    """Return the name of the file with the book in a language."""
    return f"book.{language}.html"


@cache
def site_files() -> dict[str, bytes]:
    """Return the files by name."""
    contents = {}
    for language in LANGUAGES:
        contents[book_name(language)] = book(language).encode()
        contents[catalogue_name(language)] = catalogues_script(language).encode()
    for file in FOLDER.iterdir():
        ending = PurePath(file.name).suffix
        if ending == ".js":
            contents[file.name] = minified(file.read_text(encoding="utf-8")).encode()
        elif ending in TYPES and file.name not in IN_PAGES:
            contents[file.name] = file.read_bytes()
    return contents


@cache
def site_version() -> str:
    """Return the hash of all files, the name of their folder."""
    digest = hashlib.sha256()
    for name, content in sorted(site_files().items()):
        digest.update(f"{name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()[:16]
