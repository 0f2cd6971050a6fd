"""A language model at the board, played by the client of the library itself."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.person.arena_run import ArenaRun, OwnArena, Wanted
from arena.sample_opponents import opponent_named
from tests.fixtures import arena_runs as runs
from tests.fixtures.bad_network import BadConnections
from tests.fixtures.command_line import Arena, arena, here

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
        [words.command, *words.args], env=words.env | {"ARENA_TOKEN": run.tokens[run.entrant]}
    )
    try:
        with trio.fail_after(PATIENCE_S):
            while True:
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                await trio.sleep(0.1)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:
            await Hands(client).play_out(3)
        async with Client(f"http://127.0.0.1:{port}/mcp") as client:  # the seat is still there
            assert phase_of(await Hands(client).call("leave")) == "left"
        assert run.wait(PATIENCE_S)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
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


async def test_a_wrong_turn_cites_its_clause_and_leaves_the_board_as_it_was(
    own_arena: OwnArena, tmp_path: Path
) -> None:
    async with at_the_table(begun(own_arena, tmp_path / "run")) as (_, hands):
        table = await hands.until("turn")
        question = question_of(table)
        board = table.partition("time for")[0]
        legal = await first_turn(hands)
        one_move = re.match(r"[^ (]+", legal)[0]
        for turn, why in (
            ("2/3", r"there is none on point 2.*\(B3\.1\)"),
            (one_move, "" if one_move == legal else r"uses 1 die.*\(B3\.3\)"),
            ("pass", r"the turn passes, but .*\(B3\.3\)"),
            ("a hunch", r"'a hunch' is not a move such as"),
            ("", r"."),
            ("accept", r"the opponent has not offered a draw"),
        ):
            if not why:  # the roll leaves one move
                continue
            answer = await hands.call("play", question=question, turn=turn)
            assert re.match(rf"refused: .*{why}", answer, re.DOTALL), (turn, answer)
            assert (await hands.call("table")).partition("time for")[0] == board
        stale = await hands.call("play", question="another", turn=legal)
        assert "for another turn than the open one" in stale
        draw = await hands.call("play", question=question, turn=legal, offers_draw=True)
        assert "no game of vasa is drawn by agreement" in draw
        assert (await hands.call("table")).partition("time for")[0] == board
        assert (await hands.call("play", question=question)).startswith("refused: ")


async def first_turn(hands: Hands) -> str:
    return (await hands.call("legal_turns")).splitlines()[1].partition(",")[0]


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
        for tool in ("rules", "legal_turns"):
            assert "no match has started yet" in await hands.call(tool)
        assert (await hands.call("wait", seconds="long")).startswith("refused: ")
        seat.begin(f"unix:{tmp_path}/none", "claude", "secret")
        left = await hands.until("left")
        assert f"cannot connect to unix:{tmp_path}/none" in left


# The rules


async def test_the_rule_book_is_told_whole_or_by_its_clause(
    own_arena: OwnArena, tmp_path: Path
) -> None:
    async with at_the_table(begun(own_arena, tmp_path / "run")) as (_, hands):
        await hands.until("turn", "waiting")
        book = await hands.call("rules")
        assert "# The rules of Bräde" in book
        assert '"name": "vasa"' in book
        clause = await hands.call("rules", clause="B3.3")
        assert clause.startswith("- **B3.3** The turn must use as many dice")
        assert "B3.4" not in clause
        unknown = await hands.call("rules", clause="B99")
        assert "rules.md has no clause 'B99'" in unknown


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
