"""A venue with one day of a ladder, as a process of its own, so that a test can kill it.

Arguments: the folder of the run, the address of the door, how many matches are settled before the day is
closed. Four programs of the house play, and `anna` from elsewhere, whose token is `a` 64 times.
"""

import sys
from contextlib import closing
from pathlib import Path

import trio

from arena.records.ladder_facts import EntrantCame, LadderOpened
from arena.server.door.connection_limits import Room
from arena.server.io.clock import RunningClock
from arena.server.run.ladder_roster import Presence
from arena.server.run.ladder_run import OpenDay
from arena.server.run.tournament import Run, play_in
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.setup.listen_section import ListenSection
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from arena.server.venue.venue import open_venue
from arena.tournaments.ladder_players import Player

BOTS = Path(__file__).parents[2] / "sample_bots"
HONEST = Path(__file__).parent / "bots" / "honest.py"
COMMANDS = {
    "random": str(BOTS / "random" / "bot.py"),
    "greedy": str(BOTS / "greedy" / "bot.py"),
    "first": str(HONEST),
    "steady": f"{HONEST} --steady",
}
PLAN = """
[tournament]
format = "ladder"
seats = 3
pairs = 1
[clock]
delay_ms = 10000
bank_ms = 60000
[limits]
turns = 12
startup_ms = 60000
grace_ms = 60000
join_ms = 60000
sandbox = "off"
"""


def anchor(name: str) -> Player:
    return Player(entrant=f"{name}-1", bot=name, version=1, is_house=True, is_anchor=True)


class Members:
    """The bots of this venue."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def house(self) -> list[tuple[BotSection, Presence]]:
        bots: list[tuple[BotSection, Presence]] = []
        for name, command in COMMANDS.items():
            section = BotSection(name=name, id=f"{name}-1", command=f"python {command}")
            coming = EntrantCame(at_ms=0, player=anchor(name), at_once=3)
            bots.append((section, coming))
        return bots

    def accounts(self) -> list[Account]:
        return [self._account]

    def presence(self, account: Account) -> Presence:
        if account.connection is None or account.login is None:
            return "left"
        player = Player(entrant="anna-1", bot="anna", version=1)
        return EntrantCame(at_ms=0, player=player, fingerprint=account.login.fingerprint)


async def main(path: Path, address: str, matches: int) -> None:
    """Play until the day is closed and sealed."""
    players = [anchor(name) for name in COMMANDS]
    account = Account("anna", "a" * 64, grace_ms=60_000)
    opening = LadderOpened(at_ms=0, key_commitment="", players=players)
    day = OpenDay(opening, Members(account))
    folder = RunFolder(path)
    folder.open(PLAN)
    run = Run(
        plan=parse_plan(PLAN),
        id="vasa",
        folder=folder,
        directory=Path.cwd(),
        report=lambda _: None,
        show=lambda event: print(event, flush=True),
        day=day,
    )
    with closing(folder):
        async with open_venue(print) as venue, trio.open_nursery() as nursery:
            with venue.entrance.expecting(Room(files=4, private=0, public=4)):
                venue.entrance.open_to_others(
                    ListenSection(address=address, insecure=True), Path.cwd()
                )
                venue.entrance.borrow(account)
                nursery.start_soon(close_after, day, matches)
                await play_in(venue, run)


async def close_after(day: OpenDay, matches: int) -> None:
    """Close the day when so many matches are decided."""
    await day.is_open.wait()
    while day.book.pairings - day.book.in_play < matches:  # noqa: ASYNC110 - no event tells of it
        await trio.sleep(0.05)
    day.close()


if __name__ == "__main__":
    trio.run(main, Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), clock=RunningClock())
