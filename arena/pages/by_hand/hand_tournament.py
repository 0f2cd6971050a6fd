"""The seats of the persons in a tournament: a process beside `arena run`, with a page for each.

`arena/server/run/seat_pages.py` starts it, with what to serve on standard input and the number of a
socket that listens. It ends when its standard input ends, and so with the arena, however that ends.
"""

import os
import socket
import sys
from pathlib import Path
from typing import Final

import msgspec
import trio

from arena.pages.by_hand.hand_pages import HandPages
from arena.pages.by_hand.hand_seat import LOOK_SECONDS, SeatRoom
from arena.pages.by_hand.hand_state import InTournament, PageState
from arena.pages.contents import RunPage
from arena.pages.following import RunFollower
from arena.pages.growing_file import GrowingFile
from arena.pages.serving.connections import KEPT_FOR_SEATS
from arena.pages.serving.faults import survived
from arena.pages.serving.listening import place_of, served_until_signal
from arena.person.arena_run import Wanted
from arena.person.told import Refusal
from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD
from arena.server.io.disk import read_inside
from arena.server.setup.seat_order import SERVING, SeatOrder
from arena.server.setup.tournament_file import parse_plan
from arena.words import Said
from protocol.client import MatchStart

LAST_LOOK_SECONDS: Final = 2.0
"""For the pages to fetch what the end of the tournament has changed."""


class HandCourse:
    """The course of the tournament, as far as its record has it."""

    def __init__(self, folder: Path) -> None:
        self._file = GrowingFile(folder, TOURNAMENT_RECORD)
        self.run = RunFollower()

    def has_grown(self) -> bool:
        """Read what is new in the record; return whether there is something."""
        last_run = self.run
        for lines, is_again in self._file.read_all():
            if is_again:
                self.run = RunFollower()
            self.run.read(lines)
        return bool(self.run.advance()) or self.run is not last_run

    def next_opponent(self, room: SeatRoom) -> str:
        """Return the opponent in the first undecided match that is not on the board.

        Empty if none is known.
        """
        if self.run.state is None:
            return ""
        for fixture in self.run.state.left_to_play():
            if room.entrant in fixture.entrants and fixture.id != room.match_id:
                [opponent] = fixture.entrants - {room.entrant}
                return opponent
        return ""


class TournamentRoom(SeatRoom):
    """The seat of an entrant who plays one match after the other, as the tournament draws them."""

    role = "entrant"

    def __init__(self, course: HandCourse, name: str) -> None:
        super().__init__(name)
        self._course = course

    def state(self) -> PageState:
        """Return the whole state of the page."""
        course = self._course.run.state
        if course is None or self.seat is None:
            return super().state()
        self._opponent = ""
        match = self.seat.sitting.match
        if match is not None:
            self._opponent = course.names.get(match.opponent.name, "")
        coming: MatchStart | None = None
        if self.seat.later:
            coming = self.seat.later[0].match
        following = self._course.next_opponent(self)
        if coming is not None:
            following = coming.opponent.name
        has_undrawn = course.scheduled > len(course.fixtures)
        self.in_tournament = InTournament(
            name=course.opened.name,
            next_opponent=course.names.get(following, ""),
            may_follow=has_undrawn and self.entrant not in course.withdrawn,
            is_expected=coming is not None,
            decided=len(course.results),
            is_finished=course.is_finished,
        )
        return super().state()

    def standings(self) -> RunPage:
        """Return the standings. Raises `Refusal`."""
        if self._course.run.state is None:
            return super().standings()
        return self._course.run.page()

    def resign(self) -> None:
        """Refuse: an entrant who leaves one match would be away from the next as well."""
        raise Refusal(Said("refusal.no_resigning"))


async def serve_seats(order: SeatOrder, sock: socket.socket) -> None:
    """Serve the page of every seat of a run, at a socket that listens."""
    folder = Path(order.run)
    plan = parse_plan(read_inside(folder, TOURNAMENT_FILE).decode())
    hosts = plan.listen.hosts
    place = place_of(plan.listen.pages, is_behind_proxy=bool(hosts), hosts=hosts)
    sections = {bot.entrant: bot for bot in plan.bot}
    course = HandCourse(folder)
    rooms: dict[str, TournamentRoom] = {}
    for seat in order.seats:
        me = sections[seat.entrant]
        room = TournamentRoom(course, me.name)
        rooms[seat.token] = room
        room.sit_down(
            folder=folder,
            address=order.address,
            me=me,
            token=seat.token,
            opponent="",
            is_here=seat.is_taken,
        )
    pages = HandPages(rooms, Wanted(opponent="", command=None))
    async with served_until_signal(pages.app(place), sock, KEPT_FOR_SEATS) as nursery:
        for room in rooms.values():
            nursery.start_soon(room.settle)
        nursery.start_soon(_tell_rooms_of_changes, course, list(rooms.values()))
        nursery.start_soon(_end_with_the_arena, course, nursery.cancel_scope)
        os.write(sys.stdout.fileno(), SERVING)


async def _tell_rooms_of_changes(course: HandCourse, rooms: list[TournamentRoom]) -> None:
    """Read the record of the tournament now and then; tell all rooms when it has grown."""
    while True:
        with survived("the tournament is followed"):
            if course.has_grown():
                for room in rooms:
                    room.changed()
        await trio.sleep(LOOK_SECONDS)


async def _end_with_the_arena(course: HandCourse, scope: trio.CancelScope) -> None:
    """End when standard input ends: at once, or after a last look if the tournament is over."""
    await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
    with survived("the end of the tournament is read"):
        course.has_grown()
    if course.run.state is not None and course.run.state.is_finished:
        await trio.sleep(LAST_LOOK_SECONDS)
    scope.cancel()


if __name__ == "__main__":
    trio.run(
        serve_seats,
        msgspec.json.decode(sys.stdin.buffer.readline(), type=SeatOrder),
        socket.socket(fileno=int(sys.argv[1])),
    )
