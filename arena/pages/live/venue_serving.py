"""The pages of a venue: a process below `arena serve`, which starts it again whenever it ends.

The arguments are the folder of the venue, where the pages are served (JSON), and the number of a
socket that listens. Pulses of the referee come on standard input, and the process ends with it.
"""

import socket
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import trio

from arena.pages.live.venue import Venue
from arena.pages.live.venue_health import Health
from arena.pages.live.venue_pages import VenuePages
from arena.pages.serving.app import web_app
from arena.pages.serving.listening import ListeningPlace, place_of, served_until_signal
from arena.server.io.line_pipes import follow_input


async def serve_venue(folder: Path, place: ListeningPlace, sock: socket.socket) -> None:
    """Serve the pages of a venue, at a socket that listens."""
    health = Health()
    with closing(Venue(folder, why_paused=health.notice)) as venue:
        app = web_app([*health.routes(), *VenuePages(venue).routes()], place)
        async with served_until_signal(app, sock) as nursery:
            follow_input(health.hear, nursery.cancel_scope.cancel)
            nursery.start_soon(venue.follow)


if __name__ == "__main__":
    [folder_name, where, number] = sys.argv[1:]
    listen, is_behind_proxy, hosts = msgspec.json.decode(where, type=tuple[str, bool, list[str]])
    trio.run(
        serve_venue,
        Path(folder_name),
        place_of(listen, is_behind_proxy=is_behind_proxy, hosts=hosts),
        socket.socket(fileno=int(number)),
    )
