"""Every command of README and docs is run as it stands, or says why it is not (tests/fixtures/doc_pages.py has the notes)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import chromium_path
from tests.docs.reader import PATH, Reader
from tests.fixtures.doc_pages import NOTES, PAGES, ROOT, Block, blocks
from tests.generators import make_pictures

BLOCKS = [block for page in PAGES for block in blocks(page)]
COMMAND = re.compile(
    r"(\$ |\.?[\w./-]*/)?(arena|bash|cargo|cp|dask|go|jq|make|mvn|node|npm|openssl|pip|python3?) ",
    re.MULTILINE,
)
"""What a line of an unmarked block begins with if it is a command in disguise."""


WITH_COMMANDS = sorted(
    {block.page for block in BLOCKS if block.commands and "not run" not in block.notes}
)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_every_command_of_the_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    """Its exit status, and of what is shown the words that are the same every day."""
    reader = Reader(tmp_path)
    try:
        for block in blocks(page):
            if "needs" in block.notes and shutil.which(block.notes["needs"], path=PATH) is None:
                break
            if "not run" not in block.notes:
                reader.follow(block)
        reader.finish()
    finally:
        reader.leave()


@pytest.mark.parametrize("block", [pytest.param(block, id=block.place) for block in BLOCKS])
def test_no_command_is_in_disguise(block: Block) -> None:
    """Only blocks marked `sh` or `console` hold commands; a shell script of another name would never be run."""
    assert block.language not in ("bash", "shell"), "mark it `sh`"
    if block.language == "":
        assert not COMMAND.match(block.text), (
            "commands: mark the block `sh`, or `console` with `$ ` before them"
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_notes_stand_before_blocks_of_commands(page: Path) -> None:
    """A note with a slip of the pen, or in the wrong place, would say nothing."""
    written = re.findall(
        r"^<!-- (?:" + "|".join(NOTES) + r")\b", page.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(written) == sum(len(block.notes) for block in blocks(page) if block.commands)


@pytest.mark.parametrize(
    "program", sorted({block.notes["needs"] for block in BLOCKS if "needs" in block.notes})
)
def test_the_programs_that_pages_need_are_here(program: str) -> None:
    """Otherwise what stands below on those pages was not run, which is said here."""
    if shutil.which(program, path=PATH) is None:
        places = [block.place for block in BLOCKS if block.notes.get("needs") == program]
        pytest.skip(f"{program} is missing; not run from here on: {', '.join(places)}")


@pytest.mark.slow
def test_the_pictures_are_current(tmp_path: Path) -> None:
    """Otherwise: `python -m tests.generators.make_pictures`."""
    pytest.importorskip(
        "playwright.sync_api", reason="playwright is missing: pip install -e '.[dev]'"
    )
    if chromium_path() is None:
        pytest.skip("chromium is missing: apt-get install chromium")
    # by itself: only one playwright can run in a process
    subprocess.run(
        [sys.executable, "-m", make_pictures.__name__, tmp_path], check=True, timeout=120, cwd=ROOT
    )
    board = make_pictures.EMPTY_BOARD
    kept = files_of(make_pictures.PICTURES) | {board.name: board.read_text(encoding="utf-8")}
    assert files_of(tmp_path) == kept


def files_of(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.svg")}


def test_every_picture_is_shown() -> None:
    """With words for those who cannot see it."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in make_pictures.PICTURE_OF:
        assert f"pictures/{name}.svg)" in text
    assert "![](" not in text
