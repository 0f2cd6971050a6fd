"""`arena watch`: pages that follow a run while it is played."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.shared.output import note, run_argument
from arena.cli.shared.pages import Serving, open_place, pages_options, tell_address
from arena.cli.shared.usage import BadValueError
from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD, VENUE_RECORD
from arena.services.sources import run_folder
from arena.words import Said

if TYPE_CHECKING:
    from arena.pages.live.run_pages import Pages

UNITS = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "min": 60_000,
    "h": 3_600_000,
}


def _delay(_ctx: click.Context, _param: click.Parameter, text: str) -> int:
    """Return a time as whole milliseconds: 60s, 5m."""
    match = re.fullmatch(r"(\d{1,7})\s*([a-z]*)", text.strip())
    if match is not None:
        unit = UNITS.get(match[2] or "s")
        if unit is not None:
            return int(match[1]) * unit
    raise BadValueError(Said("watch.bad_delay", {"found": repr(text)}))


@click.command()
@run_argument
@click.option(
    "--delay",
    "delay_ms",
    callback=_delay,
    metavar="TIME",
    default="0s",
    help="Show everything this much later than it is played, such as 60s or 5m.",
)
@pages_options("127.0.0.1:8017")
def command(run: Path, delay_ms: int, **options: Any) -> None:
    """Serve pages that follow a RUN folder while it is played; a browser shows them.

    Instead of one run you can give a folder with many, such as runs: the pages list them, and each
    opens as it does by itself. The folder of a venue has pages of its ladders, bots and cups too.

    They show the boards of running matches, the standings and the cross-table as they change, all
    finished games to play through, and the history of each bot (docs/watching.md). Only programs
    of this machine can open them, unless you say otherwise. The command only reads the records: you
    can end it with Ctrl-C and start it again at any time without touching the run.

    \b
    Examples:
      arena watch my-run
      arena watch my-run --delay 60s
      arena watch runs
      arena watch my-run --behind-proxy --host arena.example
    """
    from arena.pages.live.run_pages import serve_pages
    from arena.pages.serving.listening import front_of

    pages_of = _pages_for(run)
    serving = Serving(**options)
    with open_place(serving) as (place, sock):

        def ready() -> None:
            tell_address(front_of(place, sock), serving)
            if sys.stdin.isatty():  # otherwise another program started the pages, and ends them
                note(Said("watch.ctrl_c"))

        serve_pages(pages_of(run, delay_ms), place, sock, ready)


def _pages_for(path: Path) -> Callable[[Path, int], Pages]:
    """Return what makes the pages of a run, a venue or a folder of runs. Raises `SourceError`."""
    is_run = (path / TOURNAMENT_RECORD).exists()
    if not is_run:
        is_run = (path / TOURNAMENT_FILE).is_file()  # it is about to begin
    if not is_run and (path / VENUE_RECORD).exists():
        from arena.pages.live.venue_pages import pages_of_venue

        return pages_of_venue
    if not is_run and path.is_dir():
        from arena.pages.live.runs_folder import find_runs
        from arena.pages.live.runs_pages import pages_of_folder

        if find_runs(path, most=1).runs:
            return pages_of_folder
    if not is_run:
        run_folder(path)
    from arena.pages.live.run_pages import pages_of_run

    return pages_of_run
