"""Fuzzing of the pages by HTTP: names, headers and bodies, right, nearly right or rubbish, over real sockets."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import trio

from arena.pages.by_hand import hand_pages
from arena.pages.by_hand.hand_pages import HandPages
from arena.pages.by_hand.hand_room import HandRoom
from arena.pages.live.run_pages import RunPages
from arena.pages.live.watching import Watcher
from arena.pages.serving import faults
from arena.pages.serving.app import HEADERS, web_app
from arena.pages.serving.listening import ListeningPlace, open_socket, serve
from arena.person.arena_run import Wanted
from arena.server.io.listening import NetAddress
from tests.fixtures.asked_pages import write_run
from tests.fixtures.small_run import FIXTURE, small_run
from tests.fuzz.files import ODD
from tests.fuzz.mutations import other_bytes

TOKEN: Final = "5e" * 32
TAB: Final = "aaaaaaaa"
HERE: Final = ListeningPlace(address=NetAddress(kind="tcp", host="127.0.0.1", port=0))
EXPECTED: Final = frozenset({200, 304, 307, 400, 403, 404, 405, 409, 411, 413, 415, 421, 503})
"""Every status that the pages have a reason for; a 500 is a fault of ours."""
NO_HTTP: Final = frozenset({400, 431, 501, 505})
"""What the connection says before the pages are asked."""
TARGETS: Final = (
    *("/", "/api/run", "/api/crosstable", "/api/pairings", "/api/games"),
    "/api/games?find=bo&sort=turns&up=1&start=0&most=3",
    *(
        "/api/bots/bo",
        f"/api/matches/{FIXTURE}",
        f"/api/matches/{FIXTURE}?attempt=1",
        f"/api/matches/{FIXTURE}/2/1",
    ),
    *("/events/run", f"/events/matches/{FIXTURE}", "/assets/1/report.css", "/assets/1/words.js"),
    *(
        "/api/choice",
        "/api/act",
        "/api/act",
        "/api/act",
        "/api/act",
        "/api/record",
        f"/events?tab={TAB}",
    ),
)
ESCAPES: Final = ("%2e%2e", "%00", "%ff", "%", "%C3%B6")
PARTS: Final = (
    *ESCAPES,
    "..",
    "ö",
    "-1",
    "1e9",
    "a/b",
    "//",
    "?",
    ";",
    "*",
    "",
    "x" * 300,
    "9" * 30,
)
HOSTS: Final = (
    "localhost",
    "[::1]",
    "127.0.0.1.evil.example",
    "evil.example",
    "[",
    "127.0.0.1:99999",
    "\xff",
    "",
)
LONG: Final = ("9" * 30, "a" * 5000, "gzip, br", "a\x00b")
VALUES: Final = (*LONG, "x", "0", "-1", "null", "\xe9", "bytes=0-9", '"x"', "*", "1-2", "", "\t")
BODY_NAMES: Final = (
    "content-type",
    "content-length",
    "transfer-encoding",
    "expect",
    "te",
    "range",
    "accept-encoding",
)
SENDER_NAMES: Final = ("origin", "sec-fetch-site", "x-seat", "cookie", "x-forwarded-for", "host")
NAMES: Final = (
    *BODY_NAMES,
    *SENDER_NAMES,
    "last-event-id",
    "if-none-match",
    "connection",
    "upgrade",
)
ACTS: Final = (
    {"do": "learn", "tab": TAB, "lesson": "singles"},
    {"do": "move", "tab": TAB, "question": "x", "moves": [[5, 7]]},
    {"do": "turn", "tab": TAB, "question": "x", "moves": [["d1", "c1"]]},
    {"do": "call", "tab": TAB, "question": "x", "dice": 1},
    {"do": "choose", "tab": TAB},
    {"do": "undo", "tab": TAB, "question": ""},
    {"do": "hint", "tab": TAB, "question": "x"},
    {"do": "confirm", "tab": TAB, "question": "x", "offers_draw": True},
)
ODD_MOVES: Final = ([[]], [[1, 2, 3]], [[None, 1]], [[2**80, -1]], [["bar", "off"]], [[0, 25]] * 9)


class HttpFuzz:
    """The pages of a run and of a seat, and somebody who sends them what comes to mind."""

    def __init__(self, seed: int, ports: tuple[int, int], room: HandRoom) -> None:
        self.chance = random.Random(seed)
        self.cases = 0
        self.counts: Counter[str] = Counter()
        """How often there was which answer."""
        self._ports, self._room = ports, room

    async def step(self) -> None:
        """One request, to its end. Raises `AssertionError` for a broken law."""
        port = self.chance.choice(self._ports)
        request, is_mine = self._request(port)
        before = self._room.status, self._room.holder
        answer = await said_to(port, request)
        self.cases += 1
        if not answer:
            self.counts["hung up"] += 1
            return
        head, _, body = answer.partition(b"\r\n\r\n")
        status = int(head.split()[1])
        self.counts[str(status)] += 1
        is_ours = all(name + b": " + value in head for name, value in HEADERS)
        assert status in (EXPECTED if is_ours else NO_HTTP), (request, answer[:500])
        assert b"Traceback" not in body, (request, answer[:500])
        assert is_mine or (self._room.status, self._room.holder) == before, (
            "somebody without the token did something"
        )

    def _request(self, port: int) -> tuple[bytes, bool]:
        """Bytes that are nearly a request, and whether they have the token of the seat."""
        chance = self.chance
        target = self._target()
        method = (
            "POST"
            if target == "/api/act" and chance.random() < 0.9
            else chance.choice(
                (
                    "GET",
                    "GET",
                    "GET",
                    "POST",
                    "POST",
                    "HEAD",
                    "OPTIONS",
                    "PUT",
                    "G" * 100,
                    "g\u00e9t",
                )
            )
        )
        host = f"127.0.0.1:{port}" if chance.random() < 0.9 else chance.choice(HOSTS)
        headers = [("Host", host)]
        is_mine = chance.random() < 0.6
        headers.append(
            ("X-Seat", TOKEN if is_mine else chance.choice((TOKEN[:-1], "", "ö", TOKEN.upper())))
        )
        body = b""
        if method == "POST" or chance.random() < 0.1:
            body = self._body()
            headers += [("Origin", f"http://{host}"), ("Content-Type", "application/json")]
            headers.append(
                (
                    "Content-Length",
                    str(len(body) if chance.random() < 0.9 else chance.choice((0, 5, 10**6))),
                )
            )
        for _ in range(chance.choice((0, 0, 1, 3))):
            fate, name = chance.randrange(3), chance.choice(NAMES)
            if fate == 0:
                headers = [header for header in headers if header[0].lower() != name]
            elif fate == 1:
                headers.append((name, chance.choice(VALUES)))
            else:
                headers = [header for header in headers if header[0].lower() != name] + [
                    (name, chance.choice(VALUES))
                ]
        lines = [
            f"{method} {target} HTTP/1.1",
            *(f"{name}: {value}" for name, value in headers),
            "",
            "",
        ]
        data = "\r\n".join(lines).encode("latin-1", "replace") + body
        if chance.random() < 0.15:
            data = other_bytes(chance, data, b"\r\n", b"\x00", b" ") or b"x"
        return data, is_mine

    def _target(self) -> str:
        chance, target = self.chance, self.chance.choice(TARGETS)
        if chance.random() < 0.5:
            return target
        path, mark, query = target.partition("?")
        parts = path.split("/")
        parts[chance.randrange(len(parts))] = chance.choice(PARTS)
        if chance.random() < 0.3:
            query, mark = (
                f"{query}&{chance.choice(('attempt', 'start', 'most', 'sort', 'find', 'tab', 'after', 'x'))}=",
                "?",
            )
            query += chance.choice(PARTS)
        return "/".join(parts) + mark + query

    def _body(self) -> bytes:
        chance = self.chance
        act: dict[str, Any] = dict(chance.choice(ACTS))
        fate = chance.random()
        if fate < 0.3:
            act[chance.choice([*act, "more", "opponent", "ruleset", "options", "games"])] = (
                chance.choice((*ODD, *ODD_MOVES, "\ud800", float("nan")))
            )
        elif fate < 0.4:
            del act[chance.choice(list(act))]
        elif fate < 0.5:
            return chance.choice(
                (
                    b"",
                    b"[" * 5000,
                    b"{",
                    b"\xff",
                    b"null",
                    b'{"do":"undo","do":"learn"}',
                    chance.randbytes(40),
                )
            )
        return json.dumps(act).encode()


async def said_to(port: int, request: bytes) -> bytes:
    """Return what a server answers to bytes on a connection of their own, until it hangs up."""
    answer = b""
    with trio.fail_after(20), suppress(trio.BrokenResourceError):
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(request)
            await stream.send_eof()
            async for data in stream:
                answer += data
    return answer


@asynccontextmanager
async def asked(seed: int, folder: Path) -> AsyncIterator[HttpFuzz]:
    """The pages while they are fuzzed; afterwards none of their connections is open, and no fault of ours was told."""
    told: list[str] = []

    def tell(doing: str, error: BaseException) -> None:
        told.append(f"{doing}: {error!r}")

    with ExitStack() as stack:
        stack.enter_context(patch.object(faults, "tell_fault", tell))
        stack.enter_context(patch.object(hand_pages, "A_SECOND", 10**9))
        watcher, room = Watcher(write_run(folder / "run", small_run())), HandRoom(folder, "you")
        stack.callback(watcher.close)
        room.holder = TAB
        seat = HandPages({TOKEN: room}, Wanted(opponent="", command=""))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watcher.follow)
            served = []
            for app in (web_app(RunPages(watcher).routes(), HERE), seat.app(HERE)):
                sock = open_socket(HERE.address)
                connections = await nursery.start(serve, app, sock)
                served.append((sock.getsockname()[1], connections))
            yield HttpFuzz(seed, (served[0][0], served[1][0]), room)
            with trio.fail_after(10):
                while any(connections.open for _, connections in served):  # noqa: ASYNC110
                    await trio.sleep(0.01)
            nursery.cancel_scope.cancel()
    assert told == []
