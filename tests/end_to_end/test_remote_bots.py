"""Bots that connect from elsewhere with a token, over lines that break, and beside a flood of connections."""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from protocol.client import connect
from tests import certificates
from tests.end_to_end import runs
from tests.end_to_end.proxy import BadConnections


def start_remote(address: str, name: str, token: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        runs.honest("--address", address, "--name", name, "--token", token),
        cwd=runs.REPOSITORY,
        env=runs.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_remote_bot_with_its_token_plays_the_whole_tournament_on_one_connection(tmp_path: Path) -> None:
    run = runs.Run(tmp_path / "run")
    plan = runs.write_plan(tmp_path, {"anna": runs.honest(), "bo": runs.honest(), "cia": None})
    with runs.start_arena("run", plan, "--out", run.folder) as process:
        address = runs.address_told_by(process)
        token = json.loads((run.folder / "secrets.json").read_text())["tokens"]["cia"]
        with start_remote(address, "cia", "not the token") as wrong:
            _, complaint = wrong.communicate(timeout=120)
        with start_remote(address, "cia", token) as remote:
            results, messages = process.communicate(timeout=120)
            assert remote.wait(timeout=120) == 0
    assert (wrong.returncode, "bad_login" in complaint) == (1, True)
    assert process.returncode == 0, messages
    assert "3 of 3 matches" in results
    assert len(run.forfeits("cia")) == 2
    assert {cause for games in run.forfeits("cia").values() for _, cause in games} == {None}
    assert (run.folder / "secrets.json").stat().st_mode & 0o777 == 0o600
    holding = [path.name for path in run.folder.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]
    assert holding == ["secrets.json"]
    assert token not in results + messages
    lines = messages.splitlines()
    assert lines.index("[warning] a login as cia was refused: wrong token") < lines.index("cia is here (1 of 1)")
    assert "lost its connection" not in messages
    runs.assert_verified(run.folder)


# Remote bots over a connection that breaks: with the kit this costs time and violations, and changes no game


LIMITS = {"startup_ms": 30_000, "grace_ms": 30_000, "violations": 1000}
CLOCK = {"delay_ms": 5000, "bank_ms": 120_000}
CUTS = 12


@contextmanager
def bots_at(address: str, tokens: dict[str, str], **more: str) -> Iterator[list[subprocess.Popen[str]]]:
    """Two remote bots with the kit, ended whatever happens."""
    bots = []
    for name, token in tokens.items():
        known = runs.environment(ARENA_ADDRESS=address, ARENA_NAME=name, ARENA_TOKEN=token, **more)
        bots.append(subprocess.Popen(runs.honest("--steady"), env=known, stderr=subprocess.PIPE, text=True))
    try:
        yield bots
    finally:
        for bot in bots:
            bot.kill()
            bot.communicate()


def play_over(folder: Path, *, cuts: int, listen: dict[str, str], **more: str) -> tuple[runs.Run, int, list[str]]:
    """A match of Brandubh, which has no dice, between two bots that always answer alike, over a line that breaks."""
    folder.mkdir()
    run = runs.Run(folder / "run")
    plan = runs.write_plan(
        folder,
        {"anna": None, "bo": None},
        tournament={"ruleset": "brandubh-2", "games": 3},
        clock=CLOCK,
        limits=LIMITS,
        listen=listen,
    )
    with runs.start_arena("run", plan, "--out", run.folder) as arena:
        assert arena.stderr is not None
        line = arena.stderr.readline()
        assert line.startswith("waiting at "), line
        kind, _, port = line.split()[2].split(":")
        proxy = BadConnections(int(port), cuts=cuts, bytes_between=(600, 12_000), seed=cuts)
        tokens = json.loads((run.folder / "secrets.json").read_text())["tokens"]
        try:
            with bots_at(f"{kind}:127.0.0.1:{proxy.port}", tokens, **more) as bots:
                _, messages = arena.communicate(timeout=90)
                complaints = [bot.communicate(timeout=120)[1] for bot in bots]
                assert [bot.returncode for bot in bots] == [0, 0], complaints
        finally:
            proxy.close()
            arena.kill()
    assert arena.returncode == 0, messages
    assert not [token for token in tokens.values() if token in messages + "".join(complaints)]
    return run, proxy.broken, complaints


def games_of(run: runs.Run) -> list[tuple[Any, ...]]:
    """What happened on the board, without times."""
    turns = run.match("r1-anna-v-bo", "turn_played")
    ends = run.match("r1-anna-v-bo", "game_ended")
    played = [(turn["game"], turn["turn"], turn["seat"], str(turn["moves"])) for turn in turns]
    return played + [(end["game"], str(end["result"]), end["turns"]) for end in ends]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    run, broken, complaints = play_over(tmp_path_factory.mktemp("good") / "line", cuts=0, listen={})
    assert (broken, complaints) == (0, ["", ""])
    return games_of(run)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tcp", "tls"])
def test_a_line_that_breaks_at_random_moments_changes_no_game(
    tmp_path: Path, undisturbed: list[tuple[Any, ...]], kind: str
) -> None:
    certificate, key, authority = certificates.write_files(tmp_path)
    listen = {"certificate": str(certificate), "key": str(key)} if kind == "tls" else {}
    run, broken, complaints = play_over(tmp_path / "line", cuts=CUTS, listen=listen, ARENA_CA=str(authority))
    assert broken == CUTS
    assert "the connection was lost" in complaints[0] + complaints[1]
    assert games_of(run) == undisturbed
    left, returned = run.match("r1-anna-v-bo", "bot_left"), run.match("r1-anna-v-bo", "bot_returned")
    assert left
    assert len(left) == len(returned)
    assert sum(run.settled()["r1-anna-v-bo"]["violations"]) == len(left)
    runs.assert_verified(run.folder)


# An arena that may open few files: a flood of connections does not take them away from the matches


def start_limited(soft: int, hard: int, *arguments: object) -> subprocess.Popen[str]:
    """`arena` with a limit of open files."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard})); "
    program = f"{limit}from arena.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=runs.REPOSITORY,
        env=runs.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(("hard", "warned"), [(4096, False), (150, False), (100, True)])
def test_a_flood_of_connections_leaves_the_matches_their_files(tmp_path: Path, hard: int, warned: bool) -> None:
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 4096:
        pytest.skip("this system allows too few files for the test itself")
    run = runs.Run(tmp_path / "run")
    plan = runs.write_plan(tmp_path, {"anna": runs.honest(), "cia": None})
    with start_limited(100, hard, "run", plan, "--out", run.folder) as process, ExitStack() as flood:
        assert process.stderr is not None
        lines = [process.stderr.readline()]
        while not lines[-1].startswith("waiting at "):
            assert lines[-1], "the arena has ended"
            lines.append(process.stderr.readline())
        address = lines[-1].split()[2]
        assert any("open files" in line for line in lines) is warned
        for _ in range(300):
            with suppress(ConnectionError):  # hung up on at once
                flood.enter_context(connect(address))
        token = json.loads((run.folder / "secrets.json").read_text())["tokens"]["cia"]
        known = runs.environment(ARENA_ADDRESS=address, ARENA_NAME="cia", ARENA_TOKEN=token)
        with subprocess.Popen(runs.honest(), env=known, stderr=subprocess.PIPE, text=True) as remote:
            complaints = remote.communicate(timeout=120)[1]
            remote_code = remote.returncode
        _, messages = process.communicate(timeout=120)
    assert (remote_code, process.returncode) == (0, 0), messages + complaints
    runs.assert_verified(run.folder)
