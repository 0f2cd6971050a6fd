"""`arena run --browser`: pages that follow the run, in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from arena.cli.shared.pages import has_browser

END_SECONDS: Final = 5.0
"""How long the pages may take to end."""


@contextmanager
def pages_beside(folder: Path) -> Iterator[None]:
    """Serve the pages of a run while it is played, and on a terminal afterwards until Ctrl-C.

    The pages are a process of their own, in a group of their own: Ctrl-C ends the run first, and whatever happens to
    the pages, the run goes on.
    """
    command = [sys.executable, "-m", "arena", "watch", str(folder), "--listen", "127.0.0.1:0"]
    opening = "--open" if has_browser() else "--no-open"
    pages = subprocess.Popen(  # noqa: S603 - this program itself
        [*command, opening], stdin=subprocess.DEVNULL, stdout=sys.stderr, start_new_session=True
    )
    try:
        yield
        if sys.stderr.isatty() and pages.poll() is None:
            click.echo("the run is over; its pages are served until you press Ctrl-C", err=True)
            try:
                pages.wait()
            except KeyboardInterrupt:
                click.echo(err=True)
    finally:
        pages.terminate()
        try:
            pages.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            pages.kill()
            pages.wait()
