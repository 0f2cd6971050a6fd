"""A referee for tests that plays small round robins, one after the other, until it is ended."""

import sys
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

from arena.server.io.operator_log import Show
from arena.server.run.tournament import Run, play_in
from arena.server.series import referee
from arena.server.setup.referee_lines import Opened
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from arena.server.setup.venue_folder import VenueFolder
from arena.server.venue.venue import Venue

BOT = Path(__file__).parents[1] / "end_to_end" / "bots" / "honest.py"
PLAN = """
[tournament]
games = 3
at_once = 2
[clock]
bank_ms = 60000
[limits]
turns = 12
startup_ms = 60000
sandbox = "off"
check_bots = "off"
"""


def plan_text(think_ms: int) -> str:
    text = PLAN
    for name in ("anna", "bo", "cid"):
        command = f'["{sys.executable}", "{BOT}", "--think-ms", "{think_ms}"]'
        text += f'[[bot]]\nname = "{name}"\ncommand = {command}\n'
    return text


async def play(
    venue: Venue,
    venue_folder: VenueFolder,
    _front: str,
    show: Show,
    tell_opened: Callable[[Opened], object],
    *,
    think_ms: int = 5,
) -> None:
    tell_opened(Opened(door="unix:/nowhere", invite="a-secret"))
    for number in count(1):
        folder = RunFolder(venue_folder.runs / f"robin-{number}")
        if is_finished(folder):
            continue
        text = plan_text(think_ms)
        with closing(folder):
            folder.open(text)
            run = Run(
                plan=parse_plan(text),
                id=folder.path.name,
                folder=folder,
                directory=Path.cwd(),
                report=lambda _: None,
                show=show,
            )
            await play_in(venue, run)


def is_finished(folder: RunFolder) -> bool:
    record = folder.tournament_record
    return record.exists() and b'"event":"record_closed"' in record.read_bytes()


if __name__ == "__main__":
    referee.play = play
    referee.main()
