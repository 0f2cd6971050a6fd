"""Persons at the same board: their rooms, their links and an arena that runs."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.pages.by_hand.hand_room import HandRoom
from arena.person.arena_run import Wanted
from arena.person.told import Refusal
from arena.records.verify import verify_run
from arena.server.setup.run_folder import RunFiles
from tests.certificates import write_self_made
from tests.processes import await_end, await_true, children_of

pytestmark = pytest.mark.slow
PATIENCE_S = 60
KILLS = 5


async def until(rooms: list[Any], holds: Callable[[], bool]) -> None:
    """Play the first move that is offered in every room, until this holds."""
    with trio.fail_after(PATIENCE_S):
        while not holds():
            for room in rooms:
                with suppress(Refusal):  # the arena has said something meanwhile
                    play(room)
            await trio.sleep(0.005)


def play(room: Any) -> None:
    table = room.state().table
    if table is None or table.phase not in ("turn", "break"):
        return
    question = table.question
    if table.phase == "break":
        room.seated.ready(question)
        return
    if table.is_whole:
        room.seated.answer(lambda sitting: sitting.confirm(question))
    else:
        first = table.next[0]
        room.at_the_board(lambda sitting: sitting.move(question, [(first.start, first.target)]))


async def test_two_persons_play_each_other_by_a_link_each(tmp_path: Path) -> None:
    room = HandRoom(tmp_path, "you", guest_token="token")
    guest = room.guest
    wanted = Wanted(opponent="Bo", command=None, name="Anna", ruleset="brandubh-1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(room.settle)
        nursery.start_soon(guest.settle)
        await room.begin(wanted)
        await room.choose_again()  # nobody has come yet
        assert (room.status, room.invitation, guest.status) == ("choosing", "", "choosing")
        await room.begin(wanted)
        assert (room.invitation, room.state().table, guest.state().opponent) == (
            "token",
            None,
            "Anna",
        )
        guest.arrive("aaaaaaaa")
        sittings = room.seated.sitting, guest.seated.sitting
        await until([], lambda: "turn" in [sitting.phase for sitting in sittings])
        mover = guest if guest.seated.sitting.question else room
        with pytest.raises(Refusal, match="no hints against people"):
            await mover.hints(mover.seated.sitting.question)
        await until(
            [room, guest],
            lambda: all(one.state().over and one.state().over.is_judged for one in (room, guest)),
        )
        for one, names in ((room, ("Anna", "Bo")), (guest, ("Bo", "Anna"))):
            state = one.state()
            assert (state.me, state.opponent, state.over.is_settled, state.over.dice_problems) == (
                *names,
                True,
                [],
            )
        nursery.cancel_scope.cancel()
    room.stop()
    verified = verify_run(RunFiles(room.folder))
    assert (verified.games, verified.is_finished) == (3, True)
    record = "".join(path.read_text() for path in (room.folder / "matches").glob("*.jsonl"))
    assert record.count('"kind":"person"') == 2


class Page:
    """The page behind a link, as a browser without a screen."""

    def __init__(self, link: str) -> None:
        self.host, self.token = re.fullmatch(r"http://([^/]+)/#([0-9a-f]{64})", link).groups()

    @contextmanager
    def ask(self, method: str, path: str, body: Any = None) -> Iterator[http.client.HTTPResponse]:
        headers = {
            "x-seat": self.token,
            "origin": f"http://{self.host}",
            "content-type": "application/json",
        }
        with closing(http.client.HTTPConnection(self.host, timeout=PATIENCE_S)) as connection:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            with connection.getresponse() as answer:
                yield answer

    def state(self) -> Any:
        with self.ask("GET", "/events?tab=aaaaaaaa") as stream:
            return next(json.loads(line[5:]) for line in stream if line.startswith(b"data:"))

    def act(self, deed: str, **more: Any) -> int:
        with self.ask("POST", "/api/act", {"do": deed, "tab": "aaaaaaaa", **more}) as answer:
            return answer.status

    def play(self, state: Any = None) -> bool:
        """Do what is next, in the state that was seen last; true once the tournament is over."""
        state = state or self.state()
        table, course = state["table"], state["in_tournament"]
        if state["over"] and course["is_expected"]:
            self.act("next")
        elif table and table["phase"] == "break":
            self.act("ready", question=table["question"])
        elif table and table["phase"] == "turn" and table["is_whole"]:
            self.act("confirm", question=table["question"])
        elif table and table["phase"] == "turn":
            first = table["next"][0]
            self.act("move", question=table["question"], moves=[[first["start"], first["target"]]])
        return bool(state["over"] and course["is_finished"])


@contextmanager
def tournament(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], list[Page]]]:
    """A run with persons in a folder, and the pages behind their links."""
    persons = words.count("--person")
    command = [
        sys.executable,
        "-m",
        "arena",
        "run",
        *words,
        "--set",
        "clock.bank_ms=900000",
        "--out",
        "run",
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True) as run:
        try:
            assert run.stderr is not None
            links = (line.strip() for line in run.stderr if line.startswith("http://"))
            yield run, [Page(link) for link in islice(links, persons)]
        finally:
            run.kill()


def test_persons_play_a_tournament_by_their_links(tmp_path: Path) -> None:
    """One match after the other, at pages that `arena run` serves and that end with it.

    The certificate for bots from elsewhere is none that this machine trusts, and for a name alone.
    """
    certificate, key = write_self_made(tmp_path)
    listen = {
        "address": "tcp:0.0.0.0:0",
        "certificate": certificate,
        "key": key,
        "pages": "127.0.0.1:0",
    }
    names = [word for name in ("Anna", "Bo", "Cia") for word in ("--person", name)]
    fields = [
        word for field, value in listen.items() for word in ("--set", f"listen.{field}={value}")
    ]
    with tournament(tmp_path, *names, *fields, "--ruleset", "brandubh-1") as (run, pages):
        # all are asked: the run begins when each has been at the page
        await_true(
            lambda: [page.state()["table"] is None for page in pages] == [True, False, False]
        )
        assert [page.state()["in_tournament"]["next_opponent"] for page in pages] == [
            "Bo",
            "Anna",
            "Anna",
        ]
        assert pages[0].act("resign") == pages[0].act("choose") == 409
        give_up = time.monotonic() + PATIENCE_S
        while [page.play() for page in pages] != [True, True, True]:
            assert time.monotonic() < give_up
        with pages[0].ask("GET", "/api/standings") as answer:
            assert [row["cells"][0] for row in json.load(answer)["entrants"]] == ["1", "1", "1"]
        assert run.wait(PATIENCE_S) == 0
    with pytest.raises(ConnectionRefusedError):
        pages[0].state()
    verified = verify_run(RunFiles(tmp_path / "run"))
    assert (verified.games, verified.is_finished) == (9, True)
    records = [
        path.read_text(encoding="utf-8") for path in (tmp_path / "run" / "matches").iterdir()
    ]
    assert [record.count('"event":"break_ended"') for record in records] == [2, 2, 2]


def pages_of(arena: int) -> int:
    """The number of the process that serves the seats of an arena."""
    [pages] = children_of(arena, "hand_tournament")
    return pages


UNTIMED = {"left_ms": None, "clocks": None}
"""What is another a moment later."""


def seen(page: Page) -> Any:
    """What the person sees, as soon as something is asked; the pages may just be started again."""
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        with suppress(
            OSError, http.client.HTTPException, StopIteration
        ):  # its connection was lost with them
            table = page.state()["table"]
            if table is not None and table["phase"] in ("turn", "break"):
                return table | UNTIMED
        time.sleep(0.02)
    raise AssertionError("nothing is asked")


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(),
    reason="this system does not tell whose child a process is",
)
def test_pages_that_are_killed_cost_a_person_no_game_and_no_violation(tmp_path: Path) -> None:
    """More often than violations are allowed, and in every game and break: the person sees the same again."""
    fields = (
        "--set",
        "listen.pages=127.0.0.1:0",
        "--set",
        "limits.violations=0",
        "--ruleset",
        "brandubh-1",
    )
    with tournament(tmp_path, "--person", "Anna", "--person", "Bo", *fields) as (run, pages):
        assert [page.state()["status"] for page in pages] == [
            "playing",
            "playing",
        ]  # both have come
        give_up = time.monotonic() + 2 * PATIENCE_S
        killed: list[tuple[int, str]] = []
        while len(killed) < KILLS:
            assert time.monotonic() < give_up
            state = pages[0].state()
            table = state["table"]
            place = (table["game"], table["phase"]) if table else (0, "")
            if place not in killed and table and (table["is_whole"] or table["phase"] == "break"):
                killed.append(place)
                serving = pages_of(run.pid)
                os.kill(serving, signal.SIGKILL)
                await_end(serving)
                assert seen(pages[0]) == table | UNTIMED
            pages[0].play(state)
            pages[1].play()
        while [page.play() for page in pages] != [True, True]:
            assert time.monotonic() < give_up
        assert run.wait(PATIENCE_S) == 0
    settled = [
        line
        for line in (tmp_path / "run" / "tournament.jsonl").read_text().splitlines()
        if "settled" in line
    ]
    assert [json.loads(line)["violations"] for line in settled] == [[0, 0]]
    assert '"forfeit"' not in settled[0]
    verified = verify_run(RunFiles(tmp_path / "run"))
    assert (verified.games, verified.is_finished) == (3, True)


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(),
    reason="this system does not tell whose child a process is",
)
def test_after_a_kill_of_the_arena_the_same_command_works_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ("--person", "Anna", "--person", "Bo", "--set", f"listen.pages=127.0.0.1:{port}")
    links = set()
    for _ in range(2):
        with tournament(tmp_path, *words) as (run, pages):
            links.add((pages[0].host, pages[0].token))
            serving = pages_of(run.pid)
            run.kill()
            run.wait()
        await_end(serving)  # so that nothing is left behind
    assert len(links) == 1
