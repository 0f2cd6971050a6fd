"""The page on which a person plays: what the command says of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.shared.pages import Serving, open_place, tell_address

if TYPE_CHECKING:
    from arena.person.arena_run import Wanted


def serve_page(
    default: Wanted, folder: Path | None, wanted: Wanted | None, serving: Serving, *, out: Path | None
) -> None:
    """Serve the page until Ctrl-C; ends the command if that cannot be done."""
    from arena.pages.by_hand.hand_pages import play_in_browser
    from arena.pages.serving.listening import url_of

    with open_place(serving) as (place, sock):

        def ready(token: str) -> None:
            tell_address(f"{url_of(sock)}#{token}", serving)
            click.echo("this link is your seat: who has it plays for you; Ctrl-C ends", err=True)

        left = play_in_browser(place, sock, default=default, wanted=wanted, folder=folder, out=out, ready=ready)
    if left is not None:
        click.echo(f"the match is not over; go on with: arena play {left}", err=True)
