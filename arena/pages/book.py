"""The book that every page opens: the game, the glossary and the rules, in each language.

The English chapters are pages of the documentation. The Swedish ones lie beside the words, but for
the first, which is a page, too.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from arena.shipped import shipped
from arena.words import DEFAULT

if TYPE_CHECKING:
    from markdown_it.token import Token

CHAPTERS: Final = ("the-game", "glossary", "rules", "other-games")
"""The chapters in their order, by the English page of each."""
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
    folder: Traversable = shipped("docs")
    page = chapter
    if (chapter, language) == ("the-game", "sv"):
        page = "spelet"
    elif language != DEFAULT:
        folder = files("arena.words") / language
    return (folder / f"{page}.md").read_text(encoding="utf-8")


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
        for part in token.children or ():
            if part.type == "link_open":
                _lead_into_the_book(part, name)
            elif part.type == "image":
                _embed_picture(part)
    html = str(reader.renderer.render(tokens, reader.options, {}))
    return _CLAUSE.sub(r'\1 id="book-\3"\2', html)


def _lead_into_the_book(link: Token, chapter: str) -> None:
    """Turn a link in a chapter into one to its place in the book; others lead nowhere."""
    address = unquote(str(link.attrs.pop("href")))
    _, page, heading = _LINK.split(address, maxsplit=1)
    target = page or chapter
    if target not in CHAPTERS:
        return
    anchor = f"#book-{target}"
    if heading:
        anchor += f"-{heading}"
    link.attrSet("href", anchor)


def _embed_picture(image: Token) -> None:
    """Put the bytes of a picture in the place of its address."""
    file = shipped("docs") / str(image.attrs["src"])
    picture = b64encode(file.read_bytes()).decode()
    image.attrSet("src", f"data:image/svg+xml;base64,{picture}")


def _slug(heading: str) -> str:
    """Return the name by which links lead to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
