"""What is played in a venue that stays open: its ladders and cups, until it ends."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from functools import partial
from importlib.metadata import version

import trio

from arena.records.venue_facts import ArenaStarted
from arena.server.io.clock import system_time_ms
from arena.server.io.failures import log_failure
from arena.server.io.operator_log import Show
from arena.server.io.private_folder import private_folder
from arena.server.series.accounts import Accounts, open_door
from arena.server.series.admin import ADMIN_SOCKET, serve_orders
from arena.server.series.admin_orders import MakeInvite
from arena.server.series.administration import Administration
from arena.server.series.cups import Cups
from arena.server.series.days import Surroundings
from arena.server.series.house_build import check_files
from arena.server.series.ladders import Ladders
from arena.server.series.venue_log import VenueLog
from arena.server.setup.referee_lines import Opened
from arena.server.setup.venue_file import read_venue
from arena.server.setup.venue_folder import VenueFolder
from arena.server.venue.venue import Venue


async def play(
    venue: Venue,
    folder: VenueFolder,
    front: str,
    show: Show,
    tell_opened: Callable[[Opened], object],
) -> None:
    """Play the ladders and cups of a venue, for ever.

    `front` is the address of its first page. `show` gets the events of each run that the operator
    should know; `tell_opened` is called once bots can connect, and when the operator's file has
    changed. Raises `SaidError` and `OSError` if the venue cannot be opened or go on.
    """
    path = folder.path
    plan = read_venue(path)
    with ExitStack() as stack:
        log = VenueLog(path, plan.venue.name, system_time_ms)
        log.write(ArenaStarted(at_ms=log.at_ms(), version=version("brade-arena")))
        accounts = Accounts(venue.entrance, log, plan, front=front)
        stack.enter_context(closing(accounts))
        check_files(plan.bot, path.resolve())
        accounts.enrol_house(plan.bot)
        administration = Administration(path, venue.entrance, accounts, log)
        around = Surroundings(
            venue=venue,
            runs=folder.runs,
            directory=path.resolve(),
            log=log,
            accounts=accounts,
            show=show,
        )
        ladders = Ladders(around)
        cups = Cups(around, ladders)
        administration.on_plan += [ladders.wake, cups.take_plan]
        socket = stack.enter_context(private_folder()) / ADMIN_SOCKET
        failed = partial(log_failure, venue.log)
        async with trio.open_nursery() as nursery:
            await nursery.start(serve_orders, path, socket, administration.obey, failed)
            await nursery.start(ladders.keep)
            # only now: the days say which versions have open matches
            door = stack.enter_context(open_door(venue.entrance, plan, path))
            nursery.start_soon(cups.keep)
            invite = ""
            if plan.venue.joining == "invite" and not log.book.invites:
                invite = administration.obey(MakeInvite()).invite

            def tell(invite: str = "") -> None:
                analyses = accounts.plan.analysis.on
                tell_opened(Opened(door=str(door), invite=invite, analyses=analyses))

            tell(invite)
            administration.on_plan.append(tell)
