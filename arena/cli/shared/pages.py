"""Parts shared by the commands that serve pages: their options, the socket, the browser."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import click

from arena.cli.shared.language import language, translate
from arena.cli.shared.output import CHECK_FAILED, fail, note, with_options
from arena.words import Said
from arena.words.system_errors import reason_of, system_reason

if TYPE_CHECKING:
    import socket

    from arena.pages.serving.listening import ListeningPlace
    from arena.server.run.seat_pages import SeatPages
    from arena.server.setup.listen_section import ListenSection
    from arena.server.setup.seat_order import SeatOrder


END_SECONDS: Final = 5.0
"""Seconds that the pages may take to end."""


class Serving(NamedTuple):
    """Place where pages are served, as the options say."""

    listen: str
    is_behind_proxy: bool
    hosts: tuple[str, ...]
    is_opened: bool | None
    """True if a browser is opened; None: if this session has one."""


def pages_options(default: str | None) -> Callable[[Any], Any]:
    """Add the options of a command that serves pages, the fields of `Serving`.

    `default` is where it listens; None leaves that to the command.
    """
    return with_options(
        click.option(
            "--listen",
            metavar="HOST:PORT",
            default=default,
            help="Where to serve the pages; port 0 takes a free one.",
        ),
        click.option(
            "--behind-proxy",
            "is_behind_proxy",
            is_flag=True,
            help="A reverse proxy in front of the pages does the encryption.",
        ),
        click.option(
            "--host",
            "hosts",
            metavar="NAME",
            multiple=True,
            help="Answer only requests for this name, such as arena.example; "
            "give it once for each name. The first one may have the path "
            "under which the proxy serves the pages: club.example/arena.",
        ),
        click.option(
            "--open/--no-open",
            "is_opened",
            default=None,
            help="Open the browser.  [default: where there is one]",
        ),
    )


@contextmanager
def open_place(serving: Serving, likely: int = 0) -> Iterator[tuple[ListeningPlace, socket.socket]]:
    """Listen where the options say, and end the command if that fails later. Raises `ListenError`.

    With port 0 it takes the `likely` port if that is free.
    """
    from arena.pages.serving.listening import open_socket, place_of
    from arena.server.io.listening import ListenError

    place = place_of(serving.listen, is_behind_proxy=serving.is_behind_proxy, hosts=serving.hosts)
    sock = None
    if likely and not place.address.port:
        with suppress(ListenError):
            sock = open_socket(replace(place.address, port=likely))
    sock = sock or open_socket(place.address)
    if place.is_behind_proxy and place.address.is_loopback and not place.hosts:
        note(Said("pages.behind_proxy"))
    try:
        yield place, sock
    except OSError as error:
        fail(Said("pages.cannot_go_on", {"reason": system_reason(error)}), code=CHECK_FAILED)
    finally:
        sock.close()


def tell_address(address: str, serving: Serving) -> None:
    """Print the address of the pages; open it in the browser unless the options say otherwise."""
    click.echo(address)
    if serving.is_opened is not False and not open_browser(address) and serving.is_opened:
        note(Said("pages.no_browser"))


@contextmanager
def pages_beside(folder: Path, tell: Callable[[str], object]) -> Iterator[None]:
    """Serve the pages of a run while it is played, and afterwards on a terminal until Ctrl-C.

    `tell` gets each line that they print.
    """
    opening = "--open" if _has_browser() else "--no-open"
    command = [
        "arena",
        "--language",
        language(),
        "watch",
        str(folder),
        "--listen",
        "127.0.0.1:0",
        opening,
    ]
    pages = subprocess.Popen(  # noqa: S603 - this program itself
        [sys.executable, "-m", *command],
        stdin=subprocess.PIPE,
        # a line of theirs would land in the middle of the progress bar
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        # Ctrl-C must end the run first, and the run goes on without its pages
        start_new_session=True,
    )
    assert pages.stdout is not None, "it is a pipe"
    listening = threading.Thread(target=_tell_lines, args=(pages.stdout, tell), daemon=True)
    listening.start()
    try:
        yield
        _serve_until_closed(pages)
    finally:
        _end(pages)
        listening.join(END_SECONDS)
        pages.stdout.close()


def _tell_lines(printed: IO[bytes], tell: Callable[[str], object]) -> None:
    for line in printed:
        tell(line.decode(errors="replace").rstrip())


@contextmanager
def place_of_seats(listen: ListenSection) -> Iterator[tuple[ListeningPlace, socket.socket]]:
    """Listen where persons open their links; end the command if that fails."""
    import arena.pages.by_hand  # noqa: F401 - report missing pages before the run starts
    from arena.pages.serving.listening import open_socket, place_of
    from arena.server.io.listening import ListenError

    try:
        place = place_of(listen.pages, is_behind_proxy=bool(listen.hosts), hosts=listen.hosts)
    except ListenError as error:
        fail(Said("pages.bad_place", {"reason": reason_of(error)}))
    try:
        sock = open_socket(place.address)
    except ListenError as error:
        fail(Said("pages.bad_address", {"reason": reason_of(error)}))
    with sock:
        yield place, sock


@contextmanager
def seats_beside(
    place: ListeningPlace,
    sock: socket.socket,
    names: Mapping[str, str],
    tell: Callable[[str], object],
) -> Iterator[SeatPages]:
    """Yield the pages of persons, which a run starts and keeps; they end as in `pages_beside`.

    `tell` gets a line for each link, with the name of its person.
    """
    from arena.pages.by_hand import SEATS_OF_TOURNAMENT
    from arena.pages.serving.listening import front_of
    from arena.server.run.seat_pages import SeatPages

    def tell_links(order: SeatOrder) -> None:
        for seat in order.seats:
            tell(translate(Said("pages.seat", {"name": names[seat.entrant]})))
            tell(f"{front_of(place, sock)}#{seat.token}")
        tell(translate(Said("pages.each_link")))

    command = [sys.executable, "-m", SEATS_OF_TOURNAMENT]
    pages = SeatPages(command, sock, tell_links)
    try:
        yield pages
        if pages.process is not None:
            _serve_until_closed(pages.process, last_look_s=END_SECONDS)
    finally:
        if pages.process is not None:
            _end(pages.process)


def _serve_until_closed(pages: subprocess.Popen[bytes], last_look_s: float = 0.0) -> None:
    """Serve pages after the run.

    On a terminal they go on until Ctrl-C. Then they get `last_look_s` seconds to end by themselves.
    """
    assert pages.stdin is not None, "it is a pipe"
    if sys.stderr.isatty() and pages.poll() is None:
        note(Said("pages.still_served"))
        try:
            pages.wait()
        except KeyboardInterrupt:
            click.echo(err=True)
    pages.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        pages.wait(last_look_s)


def _end(pages: subprocess.Popen[bytes]) -> None:
    assert pages.stdin is not None, "it is a pipe"
    pages.stdin.close()
    pages.terminate()
    try:
        pages.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        pages.kill()
        pages.wait()


def _has_browser() -> bool:
    is_remote = bool(os.environ.get("SSH_CONNECTION"))
    is_windowed = sys.platform == "darwin" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    return is_windowed and not is_remote


def open_browser(address: str) -> bool:
    """Open an address in the browser of this session; False if there is none."""
    import webbrowser

    try:
        return _has_browser() and webbrowser.open(address)
    except webbrowser.Error:
        return False
