"""The chapters of the documentation that every page opens: the game in five minutes, the glossary and the rules."""

import re
from base64 import b64encode
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from arena.shipped import shipped

CHAPTERS: Final = {
    "the-game": "en",
    "spelet": "sv",
    "glossary": "en",
    "rules": "en",
    "other-games": "en",
}
"""Pages of docs, in this order, with the language of each."""


@cache
def book() -> str:
    """Return the chapters as HTML, each an article with the id `book-CHAPTER`.

    A clause has the id `book-B4.1`, a heading `book-rules-b4-landing`. Pictures are inside, as a
    report is one file; a link to another page of the documentation is plain text.
    """
    docs = shipped("docs")
    return "".join(
        f'<article id="book-{name}" lang="{tag}">{_chapter(docs, name)}</article>'
        for name, tag in CHAPTERS.items()
    )


def _chapter(docs: Path, name: str) -> str:
    from markdown_it import MarkdownIt  # only here: most commands show no page

    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse((docs / f"{name}.md").read_text(encoding="utf-8"))
    for token, after in pairwise(tokens):
        if token.type == "heading_open":
            token.attrSet("id", f"book-{name}-{_slug(after.content)}")
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{int(token.tag[1]) + 1}"  # the page has its own first heading
        for inside in token.children or ():
            if inside.type == "link_open":
                _, page, heading = re.split(
                    r"^(?:([\w-]+)\.md)?#?", str(inside.attrs.pop("href")), maxsplit=1
                )
                if (page or name) in CHAPTERS:
                    inside.attrSet(
                        "href", "#" + "-".join(filter(None, ("book", page or name, heading)))
                    )
            elif inside.type == "image":
                picture = b64encode((docs / str(inside.attrs["src"])).read_bytes()).decode()
                inside.attrSet("src", f"data:image/svg+xml;base64,{picture}")
    html = str(reader.renderer.render(tokens, reader.options, {}))
    return re.sub(
        r"(<li>\s*(?:<p>)?<strong)(>([BMGT]\d+(?:\.\d+)?)</strong>)", r'\1 id="book-\3"\2', html
    )


def _slug(heading: str) -> str:
    """Return the name by which links lead to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
