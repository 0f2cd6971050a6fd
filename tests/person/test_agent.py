"""A language model at the board, played by the client of the library itself."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
import trio

from arena.person.arena_run import ArenaRun, OwnArena, Wanted
from arena.sample_opponents import opponent_named
from tests.fixtures import arena_runs as runs
from tests.fixtures.bad_network import BadConnections
from tests.fixtures.command_line import Arena, arena, here
from tests.person.at_the_table import Table

mcp = pytest.importorskip("mcp", reason="the extra agents is not installed")

from mcp import StdioServerParameters  # noqa: E402 - after the check above
from mcp.client import Client  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

from arena.person.agent import AgentSeat, agent_server  # noqa: E402

PATIENCE_S = 60
__all__ = ["arena", "here"]  # fixtures


class Hands:
    """An agent that plays the first legal turn."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.turns = 0
        self.call_seconds: list[float] = []
        self.texts: list[str] = []

    async def call(self, tool: str, **arguments: Any) -> str:
        started = time.perf_counter()
        result = await self.client.call_tool(tool, arguments)
        self.call_seconds.append(time.perf_counter() - started)
        text = result.content[0].text
        self.texts.append(text)
        return f"refused: {text}" if result.is_error else text

    async def until(self, *phases: str) -> str:
        """Wait for one of these phases; returns the table."""
        text = await self.call("table")
        with trio.fail_after(PATIENCE_S):
            while phase_of(text) not in phases:
                text = await self.call("wait")
        return text

    async def play(self, table: str) -> str:
        legal = (await self.call("legal_turns")).splitlines()
        turn = legal[self.turns % (len(legal) - 1) + 1].partition(",")[0]
        self.turns += 1
        return await self.call("play", question=question_of(table), turn=turn)

    async def play_out(self, most: int = 10_000) -> str:
        """Play so many turns, or to the end of the match; returns the table."""
        table = await self.call("wait")
        while phase_of(table) not in ("over", "left") and self.turns < most:
            table = await (self.play(table) if phase_of(table) == "turn" else self.call("wait"))
        return table


def phase_of(table: str) -> str:
    return re.match(r"phase: (\w+)", table)[1]


def question_of(table: str) -> str:
    return re.search(r"question: (.+)", table)[1]


def kinds(folder: Path) -> dict[str, str | None]:
    """The kinds of the bots in the records of a run, by name."""
    return {
        entrant["name"]: entrant.get("kind")
        for path in (folder / "matches").glob("*.jsonl")
        for line in path.read_text().splitlines()
        if '"event":"bot_ready"' in line
        for entrant in [json.loads(line)["entrant"]]
    }


def status_of(port: int, path: str, headers: dict[str, str]) -> int:
    """Return the HTTP status of a request, such as one by a page in a browser."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as connection:
        more = {"Content-Type": "application/json", **headers}
        connection.request("POST", path, "{}", more)
        return connection.getresponse().status


def verified(folder: Path) -> bool:
    words = [sys.executable, "-m", "arena", "verify", str(folder)]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture
def own_arena() -> Iterator[OwnArena]:
    with closing(OwnArena()) as arena:
        yield arena


def begun(own_arena: OwnArena, folder: Path, **wanted: Any) -> ArenaRun:
    opponent = opponent_named(wanted.pop("opponent", "random"))
    return own_arena.play(
        folder, Wanted(opponent="bo", command=opponent.command(), name="claude", **wanted)
    )


@asynccontextmanager
async def at_the_table(run: ArenaRun, address: str = "") -> AsyncIterator[tuple[AgentSeat, Hands]]:
    seat = AgentSeat(lambda: None)
    seat.begin(address or run.address, run.entrant, run.tokens[run.entrant])
    async with Client(agent_server(seat)) as client:
        yield seat, Hands(client)
    run.stop()
    assert seat.wait(PATIENCE_S)


# A whole match


def server_words(*words: object) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "arena", "adapter", "mcp", *map(str, words)],
        env=runs.environment(PYTHONPATH=str(runs.REPOSITORY)),
    )


@pytest.mark.slow
async def test_an_agent_plays_a_whole_match_of_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = server_words("--against", "random", "--out", tmp_path / "mine")
    async with Client(stdio_client(words)) as client:
        hands = Hands(client)
        table = await hands.play_out()
        assert await hands.call("wait") == "no other match has started"
    assert re.search(r"the match is (won|lost|drawn), \d+ : \d+", table)
    assert "game 3: " in table
    folder = tmp_path / "mine" / "play-random-1"
    assert kinds(folder) == {"agent": "agent", "random": None}
    assert "person = true" not in (folder / "tournament.toml").read_text()
    assert verified(folder)
    assert '"tournament_ended"' in (folder / "tournament.jsonl").read_text()
    assert "Traceback" not in capfd.readouterr().err
    assert hands.turns > 10


@pytest.mark.slow
async def test_an_agent_joins_an_arena_by_http(own_arena: OwnArena, tmp_path: Path) -> None:
    run = begun(own_arena, tmp_path / "run")
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    words = server_words("--address", run.address, "--name", run.entrant, "--http", port)
    process = subprocess.Popen(  # noqa: ASYNC220 - it is ended below
        [words.command, *words.args],
        env=words.env | {"ARENA_TOKEN": run.tokens[run.entrant]},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    address = process.stderr.readline().strip()
    try:
        with trio.fail_after(PATIENCE_S):
            while True:
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                await trio.sleep(0.1)
        async with Client(address) as client:
            await Hands(client).play_out(3)
        async with Client(address) as client:  # the seat is still there
            assert phase_of(await Hands(client).call("leave")) == "left"
        page = {"Host": f"evil.example:{port}"}
        assert status_of(port, urlsplit(address).path, page) == 421
        assert status_of(port, urlsplit(address).path, {"Origin": "http://evil.example"}) == 403
        assert status_of(port, "/mcp", {}) == 404
        assert run.wait(PATIENCE_S)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
    assert kinds(run.folder)["claude"] == "agent"


@pytest.mark.slow
async def test_an_agent_plays_on_over_a_network_that_breaks(
    own_arena: OwnArena, tmp_path: Path
) -> None:
    run = begun(own_arena, tmp_path / "run")
    network = BadConnections(run.address, cuts=4, bytes_between=(2500, 6000), seed=3)
    try:
        async with at_the_table(run, f"tcp:127.0.0.1:{network.port}") as (_, hands):
            assert phase_of(await hands.play_out()) == "over"
            assert run.wait(PATIENCE_S)
        assert network.broken >= 2
    finally:
        network.close()
    assert verified(run.folder)


# Wrong acts


@asynccontextmanager
async def alone(table: Table | None = None) -> AsyncIterator[tuple[AgentSeat, Hands]]:
    """A seat at which nothing but this table is heard."""
    seat = AgentSeat(lambda: None)
    if table is not None:
        seat.sitting = table.sitting
    async with Client(agent_server(seat)) as client:
        yield seat, Hands(client)
    seat._wake.close()
    seat._woken.close()


WRONG: Final = (
    ("2/3", r".*there is none on point 2; .* \(B3\.1\)$"),
    ("1/7", r"the turn uses 1 die, but 2 dice of 6-5 can be used; .* \(B3\.3\)$"),
    ("1/7 1/7", r".* \(B3\.\d\)$"),
    ("1/7 12/17", r".* \(B3\.1\)$"),
    ("pass", r"the turn passes, but 2 dice of 6-5 can be used; .* \(B3\.3\)$"),
    ("", r".+"),
    ("a hunch", r"'a hunch' is not a move such as"),
    ("accept", r"the opponent has not offered a draw$"),
)
"""Turns that are not legal, and what is said of them."""


@pytest.mark.parametrize(("turn", "why"), WRONG)
async def test_a_wrong_turn_cites_its_clause_and_leaves_the_board_as_it_was(
    turn: str, why: str
) -> None:
    table = Table()
    table.turn(table.game.start(), (6, 5))
    async with alone(table) as (seat, hands):
        before = await hands.call("table")
        answer = await hands.call("play", question=question_of(before), turn=turn)
        assert re.match(rf"refused: Error executing tool play: {why}", answer), answer
        after = await hands.call("table")
        assert after.partition("time for")[0] == before.partition("time for")[0]
        assert not seat.answers


async def test_a_turn_that_fits_is_sent_and_only_to_its_own_question() -> None:
    table = Table()
    table.turn(table.game.start(), (6, 5))
    async with alone(table) as (seat, hands):
        question = question_of(await hands.call("table"))
        stale = await hands.call("play", question="another", turn="1/7 7/12")
        assert "for another turn than the open one" in stale
        draw = await hands.call("play", question=question, turn="1/7 7/12", offers_draw=True)
        assert "no game of vasa is drawn by agreement" in draw
        assert not (await hands.call("play", question=question)).startswith("phase")
        assert not seat.answers
        with trio.move_on_after(0.1):
            await hands.call("play", question=question, turn="1/12")  # over 7
        [(_, answer)] = seat.answers
        assert (answer.moves, answer.draw) == ([[1, 7], [7, 12]], None)
        assert phase_of(await hands.call("wait", seconds=0)) == "waiting"
        assert "it is the opponent's turn" in await hands.call("legal_turns")


async def test_a_draw_is_offered_and_accepted_where_the_game_has_draws() -> None:
    for words, draw in (({"offers_draw": True}, "offer"), ({"turn": "accept"}, "accept")):
        table = Table("brandubh-1")
        table.turn(table.game.start(), (), draw_offered=True)
        async with alone(table) as (seat, hands):
            shown = await hands.call("table")
            assert "the opponent offers a draw" in shown
            turn = (await hands.call("legal_turns")).splitlines()[1]
            with trio.move_on_after(0.1):
                await hands.call("play", **{"question": question_of(shown), "turn": turn} | words)
            [(_, answer)] = seat.answers
            assert answer.draw == draw


async def test_one_die_is_called_by_its_number() -> None:
    table = Table("classic", ("one_die",))
    table.call("19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15")
    async with alone(table) as (seat, hands):
        shown = await hands.call("table")
        assert "choose a number of dice: 1, 2" in shown
        for turn in ("3", "one", "19/20"):
            refused = await hands.call("play", question=question_of(shown), turn=turn)
            assert "cannot be called for; expected 1 or 2 (B11.3)" in refused
        with trio.move_on_after(0.1):
            await hands.call("play", question=question_of(shown), turn="1")
        [(_, answer)] = seat.answers
        assert answer.dice == 1


async def test_the_end_of_a_game_is_told_with_its_clause() -> None:
    table = Table()
    table.game_end()
    async with alone(table) as (_, hands):
        shown = await hands.call("table")
    assert "game 1: lost, jan, 4 points (B9.1); score 0 : 4" in shown


async def test_who_leaves_may_do_nothing_more(own_arena: OwnArena, tmp_path: Path) -> None:
    async with at_the_table(begun(own_arena, tmp_path / "run")) as (_, hands):
        await hands.until("turn")
        assert phase_of(await hands.call("leave")) == "left"
        assert "you have left the match" in await hands.call("legal_turns")
        assert phase_of(await hands.call("wait")) == "left"


async def test_an_arena_that_ends_is_told_to_one_who_waits(
    own_arena: OwnArena, tmp_path: Path
) -> None:
    wanted = Wanted(opponent="bo", command=None, name="claude")  # a person, who never comes
    run = own_arena.play(tmp_path / "run", wanted)
    run.entrant = "claude"
    async with at_the_table(run) as (_, hands):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, run.stop)
            with trio.fail_after(PATIENCE_S):
                table = await hands.until("left")
        assert "the arena" in table.splitlines()[1]


async def test_a_wait_ends_before_its_caller_gives_up(tmp_path: Path) -> None:
    """Nobody listens at this address: the seat is left at once; a seat that arrives waits in vain."""
    seat = AgentSeat(lambda: None)
    async with Client(agent_server(seat)) as client:
        hands = Hands(client)
        assert phase_of(await hands.call("wait", seconds=0.1)) == "arriving"
        assert hands.call_seconds[-1] < 5
        assert "no match has started yet" in await hands.call("rules")
        assert "the game has not started" in await hands.call("legal_turns")
        assert (await hands.call("wait", seconds="long")).startswith("refused: ")
        seat.begin(f"unix:{tmp_path}/none", "claude", "secret")
        left = await hands.until("left")
        assert f"cannot connect to unix:{tmp_path}/none" in left


# The rules


async def test_the_rule_book_is_told_whole_or_by_its_clause() -> None:
    async with alone(Table()) as (_, hands):
        book = await hands.call("rules")
        assert "# The rules of Bräde" in book
        assert '"name": "vasa"' in book
        clause = await hands.call("rules", clause="B3.3")
        assert clause.startswith("- **B3.3** The turn must use as many dice")
        assert "B3.4" not in clause
        unknown = await hands.call("rules", clause="B99")
        assert "rules.md has no clause 'B99'" in unknown
    async with alone(Table("backgammon")) as (_, hands):
        assert (await hands.call("rules", clause="G6")).startswith("- **G6**")


async def test_a_prompt_teaches_a_ruleset_before_the_match(tmp_path: Path) -> None:
    seat = AgentSeat(lambda: None)
    async with Client(agent_server(seat)) as client:
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["teach"]
        taught = await client.get_prompt("teach", {"ruleset": "brandubh-1"})
        text = taught.messages[0].content.text
        assert "T1" in text
        assert '"name": "brandubh-1"' in text
        with pytest.raises(mcp.MCPError, match="'bra'"):
            await client.get_prompt("teach", {"ruleset": "bra"})
        with pytest.raises(mcp.MCPError, match="brandubh-1"):  # among the names to choose from
            await client.get_prompt("teach")
    seat.begin(f"unix:{tmp_path}/none", "claude", "secret")
    assert seat.wait(PATIENCE_S)


# The command


def test_without_the_library_the_command_says_what_to_install(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    result = arena("adapter", "mcp", "--against", "random")
    assert (result.exit_code, f"{sys.executable} -m pip install" in result.stderr) == (2, True)


def test_an_agent_of_its_own_meets_no_person(arena: Arena) -> None:
    result = arena("adapter", "mcp", "--against", "person")
    assert (result.exit_code, "a person has no page here" in result.stderr) == (2, True)


def test_a_port_that_is_taken_is_refused(arena: Arena) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        result = arena("adapter", "mcp", "--against", "random", "--http", port)
    assert (result.exit_code, "give --http another port" in result.stderr) == (2, True)


def test_without_an_address_the_command_says_what_is_missing(arena: Arena) -> None:
    result = arena("adapter", "mcp", "--name", "claude")
    assert (result.exit_code, "no address and no token is given" in result.stderr) == (2, True)
