"""`arena play`: the page of playing by hand, its routes, their users, and the stream of its state.

The link that the command prints carries a token after the `#`, and pages send it as a header, so
that it gets into no log. Every request has it, and what changes something names the tab that it
comes from. Each seat has a link of its own. One tab has its board: the last one that was opened.
"""

import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import trio
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from arena.games import GameError, load_game, option_names, ruleset_names
from arena.pages.boards import board_of, position_text
from arena.pages.by_hand.hand_room import HandRoom
from arena.pages.by_hand.hand_seat import A_SECOND, SeatRoom
from arena.pages.by_hand.kept_link import KeptLink, forget_link, keep_link, read_link
from arena.pages.serving.app import Json, Refused, front, web_app
from arena.pages.serving.connections import KEPT_FOR_SEATS, seat_shown
from arena.pages.serving.event_stream import RETRY, EventResponse, Write, event, wait_for
from arena.pages.serving.faults import survived
from arena.pages.serving.listening import ListeningPlace, served_until_signal
from arena.person.arena_run import Wanted
from arena.person.lessons import Lesson, lessons
from arena.person.told import Refusal
from arena.records.lines import UNREADABLE
from arena.sample_opponents import (
    OPPONENTS,
    PERSON,
    SampleOpponent,
    default_opponent,
    opponent_named,
    opponents_for,
)
from arena.server.io import secret_values
from arena.server.setup.tournament_file import PlanError, parse_plan
from arena.words import Said

Tab = Annotated[str, Meta(pattern="^[0-9a-f]{8,64}$")]
Word = Annotated[str, Meta(max_length=100)]
Spot = int | Annotated[str, Meta(max_length=4)]
DeedAtTheTable = Literal[
    "move",
    "turn",
    "undo",
    "confirm",
    "answer",
    "accept_draw",
    "call",
    "ready",
    "resign",
    "hint",
    "next",
]
DeedOfTheHost = Literal["choose", "begin", "resume", "rematch", "learn"]


class Act(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that the person does."""

    do: DeedAtTheTable | DeedOfTheHost
    tab: Tab
    question: Word = ""
    moves: Annotated[Sequence[tuple[Spot, Spot]], Meta(max_length=8)] = ()
    dice: int = 0
    offers_draw: bool = False
    opponent: Word = ""
    ruleset: Word = ""
    options: Annotated[Sequence[Word], Meta(max_length=8)] = ()
    games: Literal[3, 5, 7] = 3
    run: Annotated[str, Meta(max_length=4096)] = ""
    """The run folder of a match to go on with."""
    lesson: Word = ""
    step: int = 0
    """The step of the lesson, from 0."""
    number: int = 0
    """The answer to a question of a lesson."""
    names: tuple[Word, Word] = ("", "")
    """The names of two persons: of the one who chooses, and of the other."""


def play_in_browser(
    place: ListeningPlace,
    sock: socket.socket,
    *,
    default: Wanted,
    wanted: Wanted | None,
    folder: Path | None,
    out: Path | None,
    ready: Callable[[str], None],
) -> Path | None:
    """Serve the page until SIGINT or SIGTERM.

    `default` has the choices that are not made on the page. `wanted` begins at once; `folder` is a
    match to go on with, by the link that it had. `ready` gets the token of the link once the page
    can be opened. Returns the folder of a match that is not over.
    """

    async def play() -> Path | None:
        _, port, *_ = sock.getsockname()
        link: KeptLink | None = None
        if folder is not None:
            link = read_link(folder)
        if link is None:
            token = secret_values.new_token()
            guest_token = secret_values.new_token()
            link = KeptLink(port=port, token=token, guest_token=guest_token)
        room = HandRoom(Path("runs"), default.name, out, link.guest_token)
        pages = HandPages({link.token: room, link.guest_token: room.guest}, default)

        async with served_until_signal(pages.app(place), sock, KEPT_FOR_SEATS) as nursery:
            nursery.start_soon(room.settle)
            nursery.start_soon(room.guest.settle)
            nursery.start_soon(_keep_links, room, msgspec.structs.replace(link, port=port))
            ready(link.token)
            if wanted is not None or folder is not None:
                with survived("a match is started"):
                    await room.begin(wanted, folder)
        in_play = room.in_play
        room.stop()
        return in_play

    return trio.run(play)


async def _keep_links(room: HandRoom, link: KeptLink) -> None:
    """Keep the link in the folder of the match that is in play, and in no other."""
    last_folder: Path | None = None
    while True:
        now = room.in_play
        with survived("the link of the page is kept"):
            if last_folder is not None and last_folder != now:
                forget_link(last_folder)
            if now is not None and now != last_folder:
                keep_link(now, link)
            last_folder = now
        await room.more.wait()


class HandPages:
    """The routes of the pages of persons; each person has a link."""

    def __init__(self, rooms: Mapping[str, SeatRoom], default: Wanted) -> None:
        """Serve these rooms, which are given by the tokens of their links.

        `default` has the choices that are not made on the page, such as the clock.
        """
        self._rooms, self._default = rooms, default

    def app(self, place: ListeningPlace) -> ASGIApp:
        """Return the application that serves the pages."""
        routes: list[BaseRoute] = [
            front("play"),
            Route("/api/choice", self._choice),
            Route("/api/act", self._act, methods=["POST"]),
            Route("/api/record", self._record),
            Route("/api/match", self._match),
            Route("/api/past", self._past),
            Route("/api/review", self._past_review),
            Route("/api/standings", self._standings),
            Route("/events", self._events),
        ]
        return web_app(routes, place, [(Refusal, _refuse)])

    def _room(self, request: Request) -> SeatRoom:
        """Return the room to which the token of the link leads; refuse any other token.

        The connection of the request counts as one of the seat.
        """
        shown_token = request.headers.get("x-seat", "")
        if shown_token.isascii():
            for token, room in self._rooms.items():
                if secret_values.is_token(shown_token, token):
                    seat_shown(request.scope, token)
                    return room
        raise Refused(403, Said("refusal.whose_seat"))

    async def _choice(self, request: Request) -> Response:
        """Answer with the choices: rulesets with their options and opponents, and the lessons."""
        self._room(request)
        choice = {
            "rulesets": [_ruleset_choice(name) for name in ruleset_names()],
            "chosen": self._default.ruleset,
            "options": self._default.options,
            "games": self._default.games,
            "strengths": {bot.name: bot.strength for bot in OPPONENTS},
            "lessons": [_names(lessons().first_steps), _names(lessons().sound_game)],
            "steps": lessons().by_name,
        }
        return Json(choice)

    async def _record(self, request: Request) -> Response:
        """Answer with the record of the match that is over, for the page to check its dice."""
        record = self._room(request).record()
        return Response(
            record, media_type="application/x-ndjson", headers={"cache-control": "no-store"}
        )

    async def _match(self, request: Request) -> Response:
        """Answer with the match that is over, for the page to play it through."""
        return Json(await trio.to_thread.run_sync(self._room(request).played_match))

    async def _past(self, request: Request) -> Response:
        """Answer with the latest matches of the person."""
        return Json(await trio.to_thread.run_sync(self._host_room(request).past))

    async def _past_review(self, request: Request) -> Response:
        """Answer with one of these matches and its judgement."""
        room = self._host_room(request)
        run = request.query_params.get("run", "")
        return Json(await trio.to_thread.run_sync(room.past_review, run))

    def _host_room(self, request: Request) -> HandRoom:
        room = self._room(request)
        if not isinstance(room, HandRoom):
            raise Refusal(Said("refusal.invited"))
        return room

    async def _standings(self, request: Request) -> Response:
        """Answer with the standings of the tournament."""
        return Json(self._room(request).standings())

    # What the person does

    async def _act(self, request: Request) -> Response:
        """Do something; answer a refusal with its reason, and else nothing: the stream tells."""
        room = self._room(request)
        if room.asks_too_often():
            raise Refused(429, Said("refusal.too_many", {"number": A_SECOND}))
        try:
            act = msgspec.json.decode(await request.body(), type=Act)
        except UNREADABLE as error:
            raise Refused(400, Said("refusal.unreadable", {"error": str(error)})) from error
        if act.tab != room.holder:
            raise Refusal(Said("refusal.another_tab"))
        return Json({"found": await self._do(room, act)})

    async def _do(self, room: SeatRoom, act: Act) -> object:
        """Do what the person wants, at the board or as the host; return hints for `hint`."""
        question = act.question
        match act.do:  # a table of cases
            case "move" | "turn":
                is_whole = act.do == "turn"
                room.at_the_board(
                    lambda sitting: sitting.move(question, act.moves, is_whole=is_whole)
                )
            case "undo":
                room.at_the_board(lambda sitting: sitting.undo(question))
            case "confirm":
                room.confirm(question, offers_draw=act.offers_draw)
            case "answer":
                room.practising.answer(act.number)
                room.changed()
            case "accept_draw":
                room.seated.answer(lambda sitting: sitting.accept_draw(question))
            case "call":
                room.seated.answer(lambda sitting: sitting.call(question, act.dice))
            case "ready":
                room.seated.ready(question)
            case "resign":
                room.resign()
            case "hint":
                return await room.hints(question)
            case "next":
                room.next_match()
            case "choose" | "begin" | "resume" | "rematch" | "learn":
                await self._do_as_host(room, act)
        return None

    async def _do_as_host(self, room: SeatRoom, act: Act) -> None:
        """Do what only the person may do who chooses the matches."""
        if not isinstance(room, HandRoom):
            raise Refusal(Said("refusal.invited"))
        match act.do:
            case "learn":
                room.learn(act.lesson, act.step)
            case "choose":
                await room.choose_again()
            case "rematch":
                await room.rematch()
            case "begin":
                await room.begin(self._chosen(act))
            case "resume":
                await room.begin(None, Path(room.past_match(act.run).run))

    def _chosen(self, act: Act) -> Wanted:
        """Return the match that was chosen on the page, against a bot of the arena or a person."""
        if act.ruleset not in ruleset_names():
            raise Refusal(Said("refusal.not_on_the_lists"))
        if act.opponent == PERSON:
            me, opponent = act.names
            command = None
        else:
            bot = _bot_named(act.opponent, act.ruleset)
            me, opponent = self._default.name, bot.name
            command = bot.command()
        try:
            load_game(act.ruleset, act.options)
        except GameError as error:
            raise Refusal(error.problems[0]) from error
        wanted = msgspec.structs.replace(
            self._default,
            opponent=opponent,
            command=command,
            ruleset=act.ruleset,
            options=tuple(act.options),
            games=act.games,
            name=me,
        )
        try:
            parse_plan(wanted.text())
        except PlanError as error:
            raise Refusal(Said("refusal.names", {"error": error.problems[0]})) from error
        return wanted

    # What the page is told

    async def _events(self, request: Request) -> Response:
        """Stream the state whenever it changes.

        A newly opened tab gets the board; a tab that reconnects gets it only if no tab has it.
        """
        room = self._room(request)
        tab = request.query_params.get("tab", "")
        _check_tab(tab)
        # browsers send this header when they reconnect a stream
        is_reconnect = "last-event-id" in request.headers
        if not is_reconnect or not room.holder:
            room.arrive(tab)
        return EventResponse(partial(tell_states, room, tab))


def _check_tab(tab: str) -> None:
    """Check the name of a tab. Raises `Refused`."""
    try:
        msgspec.convert(tab, Tab)
    except msgspec.ValidationError as error:
        raise Refused(400, Said("refusal.no_tab")) from error


def _ruleset_choice(name: str) -> dict[str, object]:
    """Return a ruleset with its board, its options and the opponents that play it."""
    rules = load_game(name)
    board = board_of(rules)
    bots = [bot.name for bot in opponents_for(name)]
    return {
        "name": name,
        "board": board,
        "start": position_text(rules, board, rules.start(), 1),
        "options": option_names(name),
        "opponents": [*bots, PERSON],
        "default": default_opponent(name).name,
    }


def _names(lessons: Sequence[Lesson]) -> list[str]:
    return [lesson.name for lesson in lessons]


def _bot_named(name: str, ruleset: str) -> SampleOpponent:
    """Return a bot that ships with the arena. Raises `Refusal` unless it plays this ruleset."""
    bot = opponent_named(name)
    if bot is None:
        raise Refusal(Said("refusal.not_on_the_lists"))
    if bot not in opponents_for(ruleset):
        raise Refusal(Said("refusal.does_not_play", {"bot": bot.name, "ruleset": ruleset}))
    return bot


async def _refuse(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal), "it answers no other"
    return Json({"refused": error.said, "clause": error.clause}, 409)


async def tell_states(room: SeatRoom, tab: str, write: Write) -> None:
    """Write every state for one tab, the present one first, until another tab takes the board."""
    await write(RETRY)
    with room.page_open():
        while room.holder == tab:
            more, state = room.more, room.state()
            await write(event("state", state, str(state.version)))
            await wait_for(more, write)
    await write(event("taken", {}, "taken"))
