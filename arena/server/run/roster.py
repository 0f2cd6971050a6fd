"""The roster of a run: its bots from elsewhere, and those that it starts, for one match or for all of it."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import trio

from arena.records.facts import Way
from arena.server.io import secret_values
from arena.server.io.event_loop import EventLoop
from arena.server.io.operator_log import Log
from arena.server.io.private_folder import SOCKET, private_folder
from arena.server.play.player import Player
from arena.server.programs.bot_command import command_of
from arena.server.programs.containment import Containment, find_containment
from arena.server.programs.fork_server import fork_server
from arena.server.programs.launcher import Launched
from arena.server.run.entrance import Entrance
from arena.server.run.seat_pages import SeatPages
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.setup.run_folder import RunFolder, Secrets
from arena.server.setup.seat_order import Order
from arena.server.setup.tournament_file import Plan
from arena.tournaments.schedule import Fixture

LAST_WORD_SECONDS: Final = 0.2
"""How long the arena's last word may take to be delivered."""


@dataclass(slots=True, eq=False)
class _Started:
    """A bot whose program was started for one match."""

    player: Player
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    has_ended: trio.Event = field(default_factory=trio.Event)


@dataclass(slots=True, eq=False, repr=False)
class Roster:
    """Gives the players of every fixture."""

    _sections: Mapping[str, BotSection]
    """The bots of the tournament file, by entrant."""
    _folder: RunFolder
    _loop: EventLoop
    _entrance: Entrance
    _directory: Path
    """Where the arena was started."""
    _containment: Containment
    _builds: Mapping[str, str]
    _log: Log
    _programs: trio.Nursery
    _lasting: dict[str, Player]
    """The bots that stay for the whole run: all remote ones, and those started for it."""
    _started: dict[tuple[str, str], _Started] = field(default_factory=dict)
    """Those started for one match, by its id and the entrant."""

    @property
    def contained(self) -> dict[str, Way]:
        """Return how each bot is contained that this machine starts."""
        return {name: self._containment.way for name, bot in self._sections.items() if not bot.remote}

    def is_away(self, name: str) -> bool:
        """Return whether a bot connects from elsewhere, and is not connected."""
        player = self._entrance.remote.get(name)
        return player is not None and not player.is_connected

    def tell_attendance(self, tell: Callable[[str], object]) -> None:
        """Call `tell` with the name of a bot from elsewhere whenever it has come or gone."""
        self._entrance.attendance.on_change = tell

    def start_lasting(self) -> None:
        """Start the programs that stay for the whole run."""
        for name, section in self._sections.items():
            if section.process == "run":
                self._lasting[name] = self._start(name, None, self._builds.get(name)).player

    def prepare(self, fixture: Fixture, builds: Mapping[str, str] | None = None) -> tuple[Player, Player]:
        """Both players of a fixture; the programs of those that do not stay are started for it, if they were not yet.

        Those in `builds` must have this fingerprint.
        """
        found = []
        for name in (fixture.first, fixture.second):
            if (player := self._lasting.get(name)) is None:
                started = self._started.get((fixture.id, name))
                if started is None:
                    started = self._start(name, fixture.id, None if builds is None else builds.get(name))
                    self._started[fixture.id, name] = started
                player = started.player
            found.append(player)
        one, two = found
        return one, two

    async def release(self, fixture: Fixture) -> None:
        """The match is over, or is not to be played: end the programs that were started for it."""
        places = [(fixture.id, name) for name in (fixture.first, fixture.second)]
        over = [self._started.pop(place) for place in places if place in self._started]
        for one in over:
            one.player.account.dismiss("the match is over")
            self._entrance.logins.forget(one.player)
        self._loop.end_batch()
        for one in over:
            one.scope.cancel()
        for one in over:
            await one.has_ended.wait()

    def _start(self, name: str, fixture: str | None, build: str | None) -> _Started:
        """Start a program, for a fixture or the whole run; it must have the fingerprint `build`, if any."""
        account = Account(name, secret_values.new_token(), grace_ms=0, is_launched=True)
        account.build = build
        program = Launched(
            loop=self._loop,
            account=account,
            command=command_of(self._sections[name], self._directory),
            containment=self._containment,
            address=self._entrance.address,
            output=self._folder.bot_output(name, fixture),
            log=self._log.bind(match=fixture) if fixture else self._log,
        )
        started = _Started(Player(account, self._loop, program=program))
        self._entrance.logins.expect(started.player)
        self._programs.start_soon(self._run, program, started)
        return started

    async def _run(self, program: Launched, started: _Started) -> None:
        with started.scope:
            await program.run(started.player.program_ended)
        started.has_ended.set()

    async def dismiss(self) -> None:
        """Say goodbye to the bots that have stayed."""
        for player in self._lasting.values():
            player.account.dismiss("the tournament is over")
        await trio.sleep(LAST_WORD_SECONDS if self._lasting else 0)


@asynccontextmanager
async def open_roster(
    plan: Plan,
    folder: RunFolder,
    directory: Path,
    loop: EventLoop,
    secrets: Secrets,
    log: Log,
    *,
    builds: Mapping[str, str],
    hidden: Sequence[Path] = (),
    pages: SeatPages | None = None,
) -> AsyncIterator[Roster]:
    """Open the entrance, and wait for the bots from elsewhere; at the end close it. This is all that a run needs.

    Commands of bots run in `directory`. Bots in `builds` must have this fingerprint. `hidden` are places that no bot
    may see, besides the folder of the records. `pages` have the seats of persons; nobody is waited for before they are
    served. Raises `ListenError`, `PagesError`, and `OSError` or `ValueError` if a file of the operator can no longer be
    used.
    """
    containment = find_containment(plan, hidden=[folder.path, *hidden], directory=directory)
    entrance = Entrance(loop, plan, folder, directory, log)
    launched = [bot for bot in plan.bot if not bot.remote]
    with private_folder() as private, fork_server() if launched else nullcontext():  # which stays for the whole run
        try:
            entrance.open(private / SOCKET, secrets, builds)
            if launched:
                containment.log_to(log, launched, directory)
            async with trio.open_nursery() as programs:
                if pages is not None:
                    order = partial(_order_of_pages, folder, entrance)
                    await programs.start(pages.keep, order, log)
                await entrance.await_remote()
                bots, lasting = {bot.entrant: bot for bot in plan.bot}, dict(entrance.remote)
                yield Roster(bots, folder, loop, entrance, directory, containment, builds, log, programs, lasting)
                programs.cancel_scope.cancel()
        except BaseException:
            entrance.stop("the run was stopped; ask its operator whether it goes on")
            raise
        finally:
            entrance.shut()
        entrance.stop("the tournament is over")


def _order_of_pages(folder: RunFolder, entrance: Entrance) -> Order:
    return Order(run=str(folder.path), address=entrance.address, seats=entrance.seats())
