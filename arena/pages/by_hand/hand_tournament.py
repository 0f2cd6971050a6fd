"""The seats of the persons in a tournament: a process beside `arena run`, with a page and a link for each of them.

It ends when its standard input ends, and so with the arena, however that ends.
"""

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
from arena.pages.serving.app import web_app
from arena.pages.serving.faults import survived
from arena.pages.serving.listening import open_socket, place_of, served_until_signal, url_of
from arena.person.arena_run import Wanted
from arena.person.told import Refusal
from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD
from arena.server.io.disk import read_inside
from arena.server.setup.credentials import read_token
from arena.server.setup.run_folder import SECRETS_FILE, Secrets
from arena.server.setup.tournament_file import parse_plan
from arena.words import Said

LAST_LOOK_SECONDS: Final = 2.0
"""For the pages to fetch what the end of the tournament has changed."""


class Course:
    """The course of the tournament, as far as its record has it."""

    def __init__(self, folder: Path) -> None:
        self._file = GrowingFile(folder, TOURNAMENT_RECORD)
        self.run = RunFollower()

    def has_grown(self) -> bool:
        """Read what is new in the record; true if there is something."""
        before = self.run
        for lines, is_again in self._file.read_all():
            if is_again:
                self.run = RunFollower()
            self.run.read(lines)
        return bool(self.run.advance()) or self.run is not before

    def next_opponent(self, room: SeatRoom) -> str:
        """Return the opponent of the next match of the entrant in a room; empty if none is known."""
        match = room.seat.sitting.match if room.seat else None
        for fixture in self.run.state.left_to_play() if self.run.state else ():
            if room.entrant in fixture.entrants and not (match and fixture.id == match.match):
                [opponent] = fixture.entrants - {room.entrant}
                return opponent
        return ""


class TournamentRoom(SeatRoom):
    """The seat of an entrant who plays one match after the other, as the tournament draws them."""

    role = "entrant"

    def __init__(self, course: Course, name: str) -> None:
        super().__init__(name)
        self._course = course

    def state(self) -> PageState:
        """Return the whole state of the page."""
        course = self._course.run.state
        if course is not None and self.seat is not None:
            match, coming = self.seat.sitting.match, self.seat.later[0].match if self.seat.later else None
            self._opponent = course.names.get(match.opponent.name, "") if match else ""
            following = coming.opponent.name if coming else self._course.next_opponent(self)
            self.in_tournament = InTournament(
                name=course.opened.name,
                next_opponent=course.names.get(following, ""),
                may_follow=course.scheduled > len(course.fixtures) and self.entrant not in course.withdrawn,
                is_expected=coming is not None,
                decided=len(course.results),
                is_finished=course.is_finished,
            )
        return super().state()

    def standings(self) -> RunPage:
        """Give the standings. Raises `Refusal`."""
        return self._course.run.page() if self._course.run.state else super().standings()

    def resign(self) -> None:
        """Refuse: an entrant who leaves one match would be away from the next as well."""
        raise Refusal(Said("refusal.no_resigning"))


async def serve_seats(folder: Path, address: str) -> None:
    """Serve the page of every person of the run in a folder, whose arena waits for them at an address."""
    plan = parse_plan(read_inside(folder, TOURNAMENT_FILE).decode())
    tokens = msgspec.json.decode(read_inside(folder, SECRETS_FILE), type=Secrets).tokens
    listen, course, rooms = plan.listen, Course(folder), dict[str, TournamentRoom]()
    place = place_of(listen.pages, is_behind_proxy=bool(listen.hosts), hosts=listen.hosts)
    sock = open_socket(place.address)
    for bot in plan.by_pages:
        token = read_token(Path(bot.token_file)) if bot.token_file else tokens[bot.entrant]
        rooms[token] = TournamentRoom(course, bot.name)
        rooms[token].sit_down(folder, address, bot, token, "")
    pages = HandPages(rooms, Wanted(opponent="", command=None))
    begin = f"https://{listen.hosts[0]}/" if listen.hosts else url_of(sock)
    async with served_until_signal(web_app(pages.routes(), place), sock) as nursery:
        for token, room in rooms.items():
            nursery.start_soon(room.settle)
            sys.stdout.write(f"{room.state().me} plays by hand at\n{begin}#{token}\n")
        sys.stdout.write("each link is a seat: give it to nobody else, who has it plays\n")
        sys.stdout.flush()
        nursery.start_soon(_follow, course, list(rooms.values()))
        nursery.start_soon(_end_with_the_arena, nursery.cancel_scope)


async def _follow(course: Course, rooms: list[TournamentRoom]) -> None:
    while True:
        with survived("the tournament is followed"):
            if course.has_grown():
                for room in rooms:
                    room.changed()
        await trio.sleep(LOOK_SECONDS)


async def _end_with_the_arena(scope: trio.CancelScope) -> None:
    await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
    await trio.sleep(LAST_LOOK_SECONDS)
    scope.cancel()


if __name__ == "__main__":
    trio.run(serve_seats, Path(sys.argv[1]), sys.argv[2])
