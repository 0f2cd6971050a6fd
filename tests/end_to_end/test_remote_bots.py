"""Bots that connect from elsewhere, over TCP, with a token."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

from tests.end_to_end.runs import (
    REPOSITORY,
    Run,
    address_told_by,
    arena,
    assert_verified,
    await_true,
    environment,
    honest,
    start_arena,
    write_plan,
)


def start_remote(address: str, name: str, token: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        honest("--address", address, "--name", name, "--token", token),
        cwd=REPOSITORY,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_remote_bot_with_its_token_plays_the_whole_tournament_on_one_connection(tmp_path: Path) -> None:
    """It is told goodbye at the end and exits 0; its token stands in secrets.json and nowhere else."""
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": honest(), "bo": honest(), "cia": None})
    with start_arena("run", plan, "--out", run.folder) as process:
        address = address_told_by(process)
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
    assert_verified(run.folder)


def test_a_remote_bot_that_never_comes_forfeits_its_matches(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    plan = write_plan(
        tmp_path, {"anna": honest(), "cia": None}, limits={"join_ms": 100, "startup_ms": 5000, "violations": 5}
    )
    result = arena("run", plan, "--out", run.folder)
    assert result.returncode == 1, result.stderr
    assert "cia never came to a match, and forfeited every game" in result.stderr
    assert run.forfeits("cia") == {"r1-anna-v-cia": [("anna", "no_show")] * 3}
    assert "cia did not come within 0.1 s; it forfeits until it does" in result.stderr
    assert_verified(run.folder)


def test_a_run_that_waits_can_be_looked_at_but_not_run_twice(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": honest(), "cia": None})
    with start_arena("run", plan, "--out", run.folder) as process:
        address_told_by(process)
        await_true(lambda: bool(run.facts("tournament_opened")))
        second = arena("run", plan, "--out", run.folder)
        assert (second.returncode, "another arena is running in" in second.stderr) == (2, True)
        assert "0 of 1 matches" in arena("standings", run.folder).stdout
        assert "not finished: 0 of 1 matches" in arena("verify", run.folder).stdout
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in messages


def test_a_remote_bot_that_hangs_up_and_comes_back_loses_no_game_by_it(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": honest(), "cia": None})
    with start_arena("run", plan, "--out", run.folder) as process:
        address = address_told_by(process)
        token = json.loads((run.folder / "secrets.json").read_text())["tokens"]["cia"]
        more = environment(ARENA_ADDRESS=address, ARENA_NAME="cia", ARENA_TOKEN=token)
        with subprocess.Popen(honest("--leave-every", 10), env=more, stderr=subprocess.PIPE, text=True) as remote:
            _, messages = process.communicate(timeout=120)
            _, complaints = remote.communicate(timeout=120)
    assert (process.returncode, remote.returncode) == (0, 0), messages + complaints
    assert complaints.count("gone") >= 3
    assert {cause for _, cause in run.forfeits("cia")["r1-anna-v-cia"]} == {None}
    left, returned = run.match("r1-anna-v-cia", "bot_left"), run.match("r1-anna-v-cia", "bot_returned")
    assert len(left) == len(returned) == complaints.count("gone")
    assert run.settled()["r1-anna-v-cia"]["violations"] == [0, len(left)]
    assert_verified(run.folder)
