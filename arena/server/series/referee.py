"""The referee of a venue that stays open: the process below `arena serve` that plays.

It ends with its standard input, and so with its parent. To standard output it writes the lines of
`arena/server/setup/referee_lines.py`.
"""

import os
import sys
from pathlib import Path

import trio

from arena.server.io.clock import RunningClock
from arena.server.io.failures import reason_of_all
from arena.server.io.line_pipes import LineSender, follow_input
from arena.server.io.operator_log import Event
from arena.server.series.operator_days import forget_old_lines
from arena.server.series.play import play
from arena.server.series.pulse import send_pulses
from arena.server.setup.referee_lines import Failed, Logged
from arena.server.setup.venue_folder import VenueFolder
from arena.server.venue.venue import open_venue
from arena.words import SaidError


async def referee(folder: Path, pipe: int, front: str) -> None:
    """Play in the venue of a folder until a signal or the end of standard input.

    Lines for the parent go to the file `pipe`. `front` is the address of the first page.
    """
    parent = LineSender(pipe)
    venue_folder = VenueFolder(folder)

    def show(event: Event) -> None:
        parent.send(Logged(logged=dict(event)))

    try:
        with trio.CancelScope() as scope:
            follow_input(lambda _line: None, scope.cancel)
            log_file = venue_folder.operator_log
            async with open_venue(show, log_file) as venue:
                venue.loop.spawn(venue.shutdown.obey_signals)
                venue.loop.spawn(send_pulses, venue, folder, parent)
                venue.loop.spawn(forget_old_lines, log_file, venue.log)
                await play(venue, venue_folder, front, show, parent.send)
    except* KeyboardInterrupt:
        pass  # by a signal, which every open run has obeyed
    except* (OSError, SaidError) as errors:
        parent.send(Failed(why=reason_of_all(errors)))
        raise SystemExit(1) from errors


def main() -> None:
    """Run as the referee.

    The arguments are the folder, the number of the file of its lock, and the first page's address.
    """
    folder, lock, front = sys.argv[1:]
    os.set_inheritable(int(lock), False)
    pipe = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # no program's output gets among the lines
    trio.run(referee, Path(folder), pipe, front, clock=RunningClock())


if __name__ == "__main__":
    main()
