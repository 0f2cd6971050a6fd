"""What the commands share: where results and progress go, and how wrong use ends."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console

WRONG_USE = 2
CHECK_FAILED = 1
INTERRUPTED = 130


def output() -> Console:
    """Standard output, for results. No colour off a terminal or with NO_COLOR set."""
    return Console(highlight=False, soft_wrap=True)


def messages() -> Console:
    """Standard error, for progress and messages."""
    return Console(stderr=True, highlight=False)


def fail(message: str, *, code: int = WRONG_USE) -> NoReturn:
    """End the command with a message on standard error."""
    click.echo(f"Error: {message}", err=True)
    raise SystemExit(code)


def run_folder(path: Path) -> Path:
    """The folder, if a run was begun in it; else ends the command."""
    if not (path / "tournament.jsonl").exists():
        fail(f"{path} is no run folder: it has no tournament.jsonl; give the folder that `arena run --out` wrote")
    return path
