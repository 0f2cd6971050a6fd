"""Names of files, modules and functions on the pages exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Final

import pytest

from tests.fixtures.doc_pages import PAGES

ROOT: Final = Path(__file__).parents[2]
TOPS: Final = ("arena", "protocol", "sample_bots", "tests", "docs", "benchmarks")
FILE: Final = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|js|mjs|json|sql|css))`")
"""A file of the project in backticks, with or without its folder."""
NAME_IN_FILE: Final = re.compile(
    r"`([A-Za-z_]\w+)(?:\(\))?`,? \(`([\w/.-]+\.(?:py|js))`\)"
    r"|`([A-Za-z_]\w+)(?:\(\))?` in `([\w/.-]+\.(?:py|js))`"
)
"""`tell` (`arena/cli/shared/language.py`), or `tell` in `words.js`."""
DOTTED: Final = re.compile(r"`((?:arena|protocol)(?:\.\w+)+)`")
NO_MODULES: Final = frozenset({"arena.example", "arena.key", "arena.pem"})
"""A host, and files of a reader."""
OF_OPERATORS: Final = frozenset({"secrets.json"})
"""A file of runs, which pages for those who work on the arena name."""
WORKSHOP: Final = ("architecture.md", "words.md", "extending.md", "races.md", "CONTRIBUTING.md")
"""Pages for those who work on the arena: a file without a folder is one of the project."""


def text_of(page: Path) -> str:
    """Return a page without its blocks of code, in which people name files of their own."""
    text = page.read_text(encoding="utf-8")
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def files_named(name: str) -> list[Path]:
    """Return the files of the project with this name or path."""
    if name.split("/", maxsplit=1)[0] in TOPS:
        return [path for path in [ROOT / name] if path.is_file()]
    return [path for top in TOPS for path in (ROOT / top).rglob(name) if path.is_file()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_exist(page: Path) -> None:
    """Each file that a page names is in the project."""
    missing = []
    for name in sorted(set(FILE.findall(text_of(page))) - OF_OPERATORS):
        is_of_project = name.startswith(tuple(f"{top}/" for top in TOPS))
        is_example = "NAME" in name
        if is_example or not (is_of_project or page.name in WORKSHOP):
            continue
        if not files_named(name):
            missing.append(name)
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_functions_stand_in_their_files(page: Path) -> None:
    """A name beside a file stands in that file."""
    problems = []
    for match in NAME_IN_FILE.finditer(text_of(page)):
        name, file = match.group(1, 2) if match.group(1) else match.group(3, 4)
        if not any(re.search(rf"\b{name}\b", path.read_text()) for path in files_named(file)):
            problems.append(f"{name} in {file}")
    assert problems == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_can_be_imported(page: Path) -> None:
    """Each module, class or function that a page names with its module exists."""
    names = set(DOTTED.findall(text_of(page))) - NO_MODULES
    assert sorted(name for name in names if not exists(name)) == []


def exists(name: str) -> bool:
    """Return True if this is a module, or an attribute of one."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            thing: object = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[count:]:
            if not hasattr(thing, attribute):
                return False
            thing = getattr(thing, attribute)
        return True
    return False
