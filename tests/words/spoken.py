"""The modules of the commands that speak every language, as programs read them."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from arena.cli.shared.language import IN_ALL_LANGUAGES

ROOT = Path(__file__).parents[2]
CLI = ROOT / "arena" / "cli"


@cache
def spoken_modules() -> tuple[Path, ...]:
    """Return the commands that speak every language, and every module of `arena.cli` that one of them imports."""
    paths: set[Path] = {
        path for name in IN_ALL_LANGUAGES for path in _files_of(f"arena.cli.{name}")
    }
    waiting = list(paths)
    while waiting:
        for name in imports_of(waiting.pop()):
            new = {path for path in _files_of(name) if path not in paths}
            paths |= new
            waiting += new
    return tuple(sorted(paths))


def imports_of(path: Path) -> Iterator[str]:
    """Return the modules of `arena.cli` that a module imports, at its top or when it needs them."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("arena.cli."):
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _files_of(module: str) -> Iterator[Path]:
    place = ROOT.joinpath(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            yield path
