"""The pages of the documentation, and what the reader is told to do in them.

A fenced block marked `sh` holds commands to type; one marked `console` holds commands after `$ `
and what they printed; one after the words "Save this as `NAME`" is a file. A comment on a line of
its own before a block is a note on it:

| note | says |
|---|---|
| `<!-- not run: WHY -->` | the block is for reading only |
| `<!-- needs: PROGRAM -->` | the page is read no further where there is no such program |
| `<!-- exit 1: WHY -->` | it ends with this exit status and not with 0 |
| `<!-- before: COMMANDS -->` | run before it, unseen by the reader |
| `<!-- meanwhile: WHY -->` | started, not waited for; `$MEANWHILE` is the process group of the first such |
| `<!-- afterwards: WHY -->` | waits until everything that was started meanwhile is over |
| `<!-- by chance: WORDS -->` | words of the output that are there on some days only |
| `<!-- forfeits: FOLDER -->` | bots of the run in this folder are meant to forfeit |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
NOTES: Final = (
    "not run",
    "needs",
    "exit",
    "before",
    "meanwhile",
    "afterwards",
    "by chance",
    "forfeits",
)

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_NOTE = re.compile(r"<!-- (" + "|".join(NOTES) + r")(?: (\d+))?: (.*?) -->", re.DOTALL)
_SAVED = re.compile(r"\b[Ss]ave (?:this|it) as `([\w./-]+)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block: `line` counts from 1, `notes` are by kind, `saved_as` is the file it is or None."""

    page: Path
    line: int
    language: str
    text: str
    notes: dict[str, str]
    saved_as: str | None

    @property
    def place(self) -> str:
        """Where it stands, `docs/report.md:3`."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def commands(self) -> str:
        """What is typed: all of a `sh` block, the lines after `$ ` (and after `> `) of a `console` block."""
        if self.language == "console":
            return "\n".join(
                line[2:] for line in self.text.splitlines() if line.startswith(("$ ", "> "))
            )
        return self.text if self.language == "sh" else ""

    @property
    def shown(self) -> list[str]:
        """The lines of output in a `console` block."""
        lines = self.text.splitlines() if self.language == "console" else []
        return [line for line in lines if not line.startswith(("$ ", "> "))]


@cache
def parsed(page: Path) -> list[Token]:
    """Return the parts of a page; every process of the tests needs them several times to know its tests."""
    return _MARKDOWN.parse(page.read_text(encoding="utf-8"))


def blocks(page: Path) -> list[Block]:
    found: list[Block] = []
    notes: dict[str, str] = {}
    saved_as: str | None = None
    for token in parsed(page):
        if token.type == "html_block":
            notes |= {kind: number or text for kind, number, text in _NOTE.findall(token.content)}
        elif token.type == "inline":
            saved = _SAVED.findall(token.content)
            saved_as = saved[-1] if saved else None
        elif token.type == "fence":
            assert token.map is not None
            language = token.info.strip()
            found.append(
                Block(
                    page=page,
                    line=token.map[0] + 1,
                    language=language,
                    text=token.content,
                    notes=notes,
                    saved_as=saved_as,
                )
            )
            notes, saved_as = {}, None
    return found


def in_line(page: Path) -> Iterator[tuple[int, str]]:
    """Every piece of code within a sentence or a table: the line it begins on or near, and the code."""
    for token in parsed(page):
        if token.type == "inline":
            assert token.children is not None
            line = token.map[0] + 1 if token.map else 0
            yield from (
                (line, child.content) for child in token.children if child.type == "code_inline"
            )
