"""Remote bots over a connection that breaks: with the kit this costs time and violations, and changes no game."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import certificates
from tests.end_to_end.proxy import BadConnections
from tests.end_to_end.runs import Run, assert_verified, environment, honest, start_arena, write_plan

LIMITS = {"startup_ms": 30_000, "grace_ms": 30_000, "violations": 1000}
CLOCK = {"delay_ms": 5000, "bank_ms": 120_000}
CUTS = 12


@contextmanager
def bots_at(address: str, tokens: dict[str, str], **more: str) -> Iterator[list[subprocess.Popen[str]]]:
    """Two remote bots with the kit, ended whatever happens."""
    bots = []
    for name, token in tokens.items():
        known = environment(ARENA_ADDRESS=address, ARENA_NAME=name, ARENA_TOKEN=token, **more)
        bots.append(subprocess.Popen(honest("--steady"), env=known, stderr=subprocess.PIPE, text=True))
    try:
        yield bots
    finally:
        for bot in bots:
            bot.kill()
            bot.communicate()


def play(folder: Path, *, cuts: int, listen: dict[str, str], **more: str) -> tuple[Run, int, list[str]]:
    """A match of Brandubh, which has no dice, between two bots that always answer alike, over a line that breaks."""
    folder.mkdir()
    run = Run(folder / "run")
    plan = write_plan(
        folder,
        {"anna": None, "bo": None},
        tournament={"ruleset": "brandubh-2", "games": 3},
        clock=CLOCK,
        limits=LIMITS,
        listen=listen,
    )
    with start_arena("run", plan, "--out", run.folder) as arena:
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


def games_of(run: Run) -> list[tuple[Any, ...]]:
    """What happened on the board, without times."""
    turns = run.match("r1-anna-v-bo", "turn_played")
    ends = run.match("r1-anna-v-bo", "game_ended")
    played = [(turn["game"], turn["turn"], turn["seat"], str(turn["moves"])) for turn in turns]
    return played + [(end["game"], str(end["result"]), end["turns"]) for end in ends]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    run, broken, complaints = play(tmp_path_factory.mktemp("good") / "line", cuts=0, listen={})
    assert (broken, complaints) == (0, ["", ""])
    return games_of(run)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tcp", "tls"])
def test_a_line_that_breaks_at_random_moments_changes_no_game(
    tmp_path: Path, undisturbed: list[tuple[Any, ...]], kind: str
) -> None:
    certificate, key, authority = certificates.write_files(tmp_path)
    listen = {"certificate": str(certificate), "key": str(key)} if kind == "tls" else {}
    run, broken, complaints = play(tmp_path / "line", cuts=CUTS, listen=listen, ARENA_CA=str(authority))
    assert broken == CUTS
    assert "the connection was lost" in complaints[0] + complaints[1]
    assert games_of(run) == undisturbed
    left, returned = run.match("r1-anna-v-bo", "bot_left"), run.match("r1-anna-v-bo", "bot_returned")
    assert left
    assert len(left) == len(returned)
    assert sum(run.settled()["r1-anna-v-bo"]["violations"]) == len(left)
    assert_verified(run.folder)
