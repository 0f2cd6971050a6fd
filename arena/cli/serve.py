"""`arena serve`: keep a venue open."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.shared.language import language
from arena.cli.shared.output import A_PATH, messages, note
from arena.cli.shared.pages import Serving, open_place, pages_options, tell_address
from arena.words import Said

if TYPE_CHECKING:
    from arena.server.io.operator_log import Event
    from arena.server.setup.referee_lines import Opened
    from arena.server.setup.venue_file import PagesSection


@click.command()
@click.argument("folder", type=A_PATH, default=Path("venue"), metavar="[FOLDER]")
@pages_options(None)
def command(folder: Path, **options: Any) -> None:
    """Keep a venue open: its pages, and a referee that plays one run after the other.

    FOLDER is the venue's; it is made if it is not there, and otherwise the venue goes on. Referee
    and pages are processes of their own, and each is started again if it ends. The first Ctrl-C or
    SIGTERM lets turns in play be answered, and ends the venue within 20 seconds; the second ends it
    at once. Nothing is lost in either case (docs/opening-a-venue.md).

    \b
    Examples:
      arena serve
      arena serve club --listen 127.0.0.1:8080 --behind-proxy --host arena.example
    """
    from arena.pages.live import VENUE_PAGES
    from arena.pages.serving.listening import front_of
    from arena.server.setup.venue_file import read_venue, write_default
    from arena.server.setup.venue_folder import VenueFolder
    from arena.services.serving import serve

    venue_folder = VenueFolder(folder)
    with ExitStack() as stack:
        lock = stack.enter_context(venue_folder.locked())
        write_default(folder)
        serving = _serving(read_venue(folder).pages, options)
        place, sock = stack.enter_context(open_place(serving))
        front = front_of(place, sock)

        def tell_opened(opened: Opened) -> None:
            tell_address(front, serving)
            if opened.door:
                note(Said("serve.door", {"address": opened.door}))
            if opened.invite:
                note(Said("serve.invite", {"invite": opened.invite}))
            if sys.stdin.isatty():
                note(Said("serve.ctrl_c"))

        where = json.dumps([serving.listen, serving.is_behind_proxy, serving.hosts])
        pages = [sys.executable, "-m", VENUE_PAGES, str(folder), where]
        serve(venue_folder, lock, front, pages, sock.fileno(), tell_opened, _show)


def _serving(pages: PagesSection, options: Mapping[str, Any]) -> Serving:
    """Return where the pages are served: an option goes before the file."""
    hosts = options["hosts"] or pages.hosts
    return Serving(
        listen=options["listen"] or pages.address,
        is_behind_proxy=options["is_behind_proxy"] or bool(pages.hosts),
        hosts=hosts,
        is_opened=options["is_opened"],
    )


def _show(event: Event) -> None:
    """Print an event of the operator's log."""
    from rich.text import Text

    from arena.server.io.operator_log import console_line, sentence

    line = console_line(event["level"], sentence(event, language()), language())
    messages().print(Text.from_ansi(line), soft_wrap=True)
