"""The pages of a venue: a process below `arena serve`, which starts it again whenever it ends.

The arguments are the folder of the venue, where the pages are served (JSON), and the number of a
socket that listens. Pulses of the referee come on standard input, and the process ends with it.
"""

import signal
import socket
import sys
from functools import partial
from pathlib import Path

import msgspec

from arena.pages.live.run_pages import serve_pages
from arena.pages.live.venue import Venue
from arena.pages.live.venue_health import Health
from arena.pages.live.venue_pages import VenuePages
from arena.pages.serving.listening import ListeningPlace, place_of
from arena.server.io.line_pipes import follow_input


def serve_venue(folder: Path, place: ListeningPlace, sock: socket.socket) -> None:
    """Serve the pages of a venue, at a socket that listens."""
    health = Health()
    venue = Venue(folder, why_paused=health.notice)
    routes = [*health.routes(), *VenuePages(venue).routes()]
    end = partial(signal.raise_signal, signal.SIGTERM)
    serve_pages((venue, routes), place, sock, partial(follow_input, health.hear, end))


if __name__ == "__main__":
    [folder_name, where, number] = sys.argv[1:]
    listen, is_behind_proxy, hosts = msgspec.json.decode(where, type=tuple[str, bool, list[str]])
    serve_venue(
        Path(folder_name),
        place_of(listen, is_behind_proxy=is_behind_proxy, hosts=hosts),
        socket.socket(fileno=int(number)),
    )
