"""The chapters of the documentation that every page opens: the game, the glossary and the rules."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.shipped import shipped

if TYPE_CHECKING:
    from markdown_it.token import Token

CHAPTERS: Final = {
    "the-game": "en",
    "spelet": "sv",
    "glossary": "en",
    "rules": "en",
    "other-games": "en",
}
"""Pages of docs, in this order, with the language of each."""
_LINK: Final = re.compile(r"^(?:([\w-]+)\.md)?#?")
"""The beginning of a link: the page, if it names one, and the mark before a heading."""
_CLAUSE: Final = re.compile(r"(<li>\s*(?:<p>)?<strong)(>([BMGT]\d+(?:\.\d+)?)</strong>)")
"""An entry of a list that begins with the number of a clause."""


@cache
def book() -> str:
    """Return the chapters as HTML, each an article with the id `book-CHAPTER`.

    A clause has the id `book-B4.1`, a heading `book-rules-b4-landing`. Pictures are inside, as a
    report is one file; a link to another page of the documentation is plain text.
    """
    docs = shipped("docs")
    articles = []
    for name, language in CHAPTERS.items():
        chapter = _chapter(docs, name)
        articles.append(f'<article id="book-{name}" lang="{language}">{chapter}</article>')
    return "".join(articles)


def _chapter(docs: Path, name: str) -> str:
    """Return a page of the documentation as HTML, with links that lead into the book."""
    from markdown_it import MarkdownIt  # only here: most commands show no page

    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse((docs / f"{name}.md").read_text(encoding="utf-8"))
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", f"book-{name}-{_slug(following.content)}")
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{int(token.tag[1]) + 1}"  # the page has its own first heading
        for part in token.children or ():
            if part.type == "link_open":
                _lead_into_the_book(part, name)
            elif part.type == "image":
                _embed_picture(part, docs)
    html = str(reader.renderer.render(tokens, reader.options, {}))
    return _CLAUSE.sub(r'\1 id="book-\3"\2', html)


def _lead_into_the_book(link: Token, chapter: str) -> None:
    """Turn a link in a chapter into one to its place in the book, or to nowhere."""
    address = str(link.attrs.pop("href"))
    _, page, heading = _LINK.split(address, maxsplit=1)
    target = page or chapter
    if target not in CHAPTERS:
        return
    anchor = f"#book-{target}"
    if heading:
        anchor += f"-{heading}"
    link.attrSet("href", anchor)


def _embed_picture(image: Token, docs: Path) -> None:
    """Put the bytes of a picture in the place of its address."""
    file = docs / str(image.attrs["src"])
    picture = b64encode(file.read_bytes()).decode()
    image.attrSet("src", f"data:image/svg+xml;base64,{picture}")


def _slug(heading: str) -> str:
    """Return the name by which links lead to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
