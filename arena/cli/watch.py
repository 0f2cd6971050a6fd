"""`arena watch`: pages that follow a run while it is played."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.shared.output import CHECK_FAILED, fail, run_folder
from arena.cli.shared.pages import need_web, open_browser

if TYPE_CHECKING:
    from arena.web.watching import Watcher

UNITS = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000}


def _delay(_ctx: click.Context, _param: click.Parameter, value: str) -> int:
    """A time as whole milliseconds: 60s, 5m."""
    found = re.fullmatch(r"(\d{1,7})\s*([a-z]*)", value.strip())
    unit = UNITS.get(found[2] or "s") if found else None
    if found is None or unit is None:
        raise click.BadParameter(f"found {value!r}; expected a time such as 60s, 5m or 1h")
    return int(found[1]) * unit


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:8017",
    show_default=True,
    help="Where to serve the pages; port 0 takes a free one.",
)
@click.option(
    "--delay",
    "delay_ms",
    callback=_delay,
    metavar="TIME",
    default="0s",
    show_default=True,
    help="Show everything so much later than it is played, such as 60s or 5m.",
)
@click.option(
    "--certificate",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TLS certificate, for an address that other machines reach.",
)
@click.option("--key", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The key of the certificate.")
@click.option("--behind-proxy", is_flag=True, help="A reverse proxy in front of these pages does the encryption.")
@click.option("--open/--no-open", "is_opened", default=None, help="Open the browser.  [default: where there is one]")
def command(
    run: Path,
    listen: str,
    delay_ms: int,
    certificate: Path | None,
    key: Path | None,
    *,
    behind_proxy: bool,
    is_opened: bool | None,
) -> None:
    """Serve pages that follow a RUN folder while it is played; a browser shows them.

    They have the boards of running matches, the standings and the cross-table as they change, every finished game to
    play through, and the history of each bot (docs/watching.md). Only programs of this machine can open them, unless
    you say otherwise. The command only reads the records: you can end it with Ctrl-C and start it again at any time,
    and the run is not touched. It needs the extra `web`.

    \b
    Examples:
      arena watch my-run
      arena watch my-run --delay 60s
      arena watch my-run --listen 0.0.0.0:8443 --certificate cert.pem --key key.pem
    """  # noqa: D301 - click's mark for a block that keeps its lines
    need_web()
    from arena.records.files import TOURNAMENT_FILE
    from arena.server.io.address import ListenError
    from arena.web.listening import open_socket, place_of, url_of
    from arena.web.watch import watch

    folder = run if (run / TOURNAMENT_FILE).is_file() else run_folder(run)  # one that is about to begin is a run, too
    try:
        place = place_of(listen, certificate=certificate, key=key, is_behind_proxy=behind_proxy)
        sock = open_socket(place.address)
    except ListenError as error:
        fail(str(error))
    address = url_of(place, sock)

    def ready(watcher: Watcher) -> None:
        click.echo(address)
        if watcher.index.why_in_memory:
            click.echo(f"{watcher.index.why_in_memory}; it is kept in memory", err=True)
        if is_opened is not False and not open_browser(address) and is_opened:
            click.echo("there is no browser to open here; open the address above in yours", err=True)
        if sys.stdin.isatty():  # else somebody started them who ends them, too
            click.echo("Ctrl-C ends the pages, and never the run", err=True)

    try:
        watch(folder, place, sock, delay_ms=delay_ms, ready=ready)
    except OSError as error:
        fail(f"the pages cannot be served any longer: {error}", code=CHECK_FAILED)
    finally:
        sock.close()
