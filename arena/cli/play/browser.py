"""The page on which a person plays: where it is served, and what the command says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.shared.output import CHECK_FAILED, fail
from arena.cli.shared.pages import open_browser

if TYPE_CHECKING:
    from arena.person.arena_run import Wanted


def serve_page(
    default: Wanted,
    folder: Path | None,
    wanted: Wanted | None,
    listen: str,
    place: dict[str, Any],
    *,
    out: Path | None,
    is_opened: bool | None,
) -> None:
    """Serve the page until Ctrl-C; ends the command if that cannot be done."""
    from arena.server.io.address import ListenError
    from arena.web.by_hand import play_in_browser
    from arena.web.listening import open_socket, place_of, url_of

    try:
        where = place_of(listen, **place)
        sock = open_socket(where.address)
    except ListenError as error:
        fail(str(error))

    def ready(token: str) -> None:
        address = f"{url_of(where, sock)}#{token}"
        click.echo(address)
        click.echo("this link is your seat: who has it plays for you; Ctrl-C ends", err=True)
        if is_opened is not False and not open_browser(address) and is_opened:
            click.echo("there is no browser to open here; open the link above in yours", err=True)

    try:
        left = play_in_browser(where, sock, default=default, wanted=wanted, folder=folder, out=out, ready=ready)
    except OSError as error:
        fail(f"the page cannot be served any longer: {error}", code=CHECK_FAILED)
    finally:
        sock.close()
    if left is not None:
        click.echo(f"the match is not over; go on with: arena play {left}", err=True)
