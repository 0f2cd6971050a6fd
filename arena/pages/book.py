"""The book that every page opens: the game, the glossary and the rules, in each language.

The English chapters are pages of the documentation. The Swedish ones lie beside the words, but for
the first, which is a page, too.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from arena.shipped import shipped
from arena.words import DEFAULT

if TYPE_CHECKING:
    from markdown_it.token import Token

CHAPTERS: Final = ("the-game", "glossary", "rules", "other-games")
"""The chapters in their order, by the English page of each."""
_PAGES: Final = {"spelet": "the-game"}
"""Chapters by the page of docs that has another name."""
_LINK: Final = re.compile(r"^(?:([\w-]+)\.md)?#?")
"""The beginning of a link: the page, if it names one, and the mark before a heading."""
_CLAUSE: Final = re.compile(r"(<li>\s*(?:<p>)?<strong)(>([BMGT]\d+(?:\.\d+)?)</strong>)")
"""An entry of a list that begins with the number of a clause."""


@cache
def book(language: str) -> str:
    """Return the chapters as HTML, each an article with the id `book-CHAPTER`.

    A clause has the id `book-B4.1`, a heading `book-rules-b4-landing`. Pictures are inside, as a
    report is one file; a link to another page of the documentation is plain text.
    """
    articles = []
    for name in CHAPTERS:
        chapter = _chapter(name, _text_of(name, language))
        articles.append(f'<article id="book-{name}">{chapter}</article>')
    return "".join(articles)


def _text_of(chapter: str, language: str) -> str:
    """Return a chapter as Markdown."""
    docs = shipped("docs")
    if language == DEFAULT:
        return (docs / f"{chapter}.md").read_text(encoding="utf-8")
    for page, name in _PAGES.items():
        if name == chapter:
            return (docs / f"{page}.md").read_text(encoding="utf-8")
    page_of_words = files("arena.words") / language / f"{chapter}.md"
    return page_of_words.read_text(encoding="utf-8")


def _chapter(name: str, text: str) -> str:
    """Return a chapter as HTML, with links that lead into the book."""
    from markdown_it import MarkdownIt  # only here: most commands show no page

    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(text)
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", f"book-{name}-{_slug(following.content)}")
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{int(token.tag[1]) + 1}"  # the page has its own first heading
        token.children = _led_into_the_book(token.children or [], name)
        for part in token.children:
            if part.type == "image":
                _embed_picture(part)
    html = str(reader.renderer.render(tokens, reader.options, {}))
    return _CLAUSE.sub(r'\1 id="book-\3"\2', html)


def _led_into_the_book(parts: list[Token], chapter: str) -> list[Token]:
    """Return the parts of a text with links to places in the book; others become plain text."""
    kept = []
    is_link = False
    for part in parts:
        if part.type == "link_open":
            anchor = _anchor(str(part.attrs["href"]), chapter)
            is_link = anchor is not None
            part.attrs["href"] = anchor or ""
        if is_link or part.type not in ("link_open", "link_close"):
            kept.append(part)
    return kept


def _anchor(address: str, chapter: str) -> str | None:
    """Return the place in the book of a link in a chapter; None if it leads elsewhere."""
    _, page, heading = _LINK.split(unquote(address), maxsplit=1)
    target = _PAGES.get(page, page) or chapter
    if target not in CHAPTERS or "://" in address:
        return None
    anchor = f"#book-{target}"
    if heading:
        anchor += f"-{heading}"
    return anchor


def _embed_picture(image: Token) -> None:
    """Put the bytes of a picture in the place of its address."""
    file = shipped("docs") / str(image.attrs["src"])
    picture = b64encode(file.read_bytes()).decode()
    image.attrSet("src", f"data:image/svg+xml;base64,{picture}")


def _slug(heading: str) -> str:
    """Return the name by which links lead to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
