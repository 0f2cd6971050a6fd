"""A bot on Windows: the Python kit and the rules work without what only Unix has."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.certificates import write_files
from tests.fixtures import arena_runs as runs

WITHOUT_UNIX = (sys.executable, str(Path(__file__).parent / "without_unix.py"))
SAMPLES = runs.REPOSITORY / "sample_bots"


def done(*words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [*WITHOUT_UNIX, *map(str, words)]
    return subprocess.run(
        command,
        cwd=runs.REPOSITORY,
        env=runs.environment(**variables),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("bot", ["random", pytest.param("greedy", marks=pytest.mark.slow)])
def test_a_bot_with_the_kit_plays_by_tls_at_an_arena_elsewhere(bot: str, tmp_path: Path) -> None:
    certificate, key, ca = write_files(tmp_path)
    listen = {"address": "tcp:127.0.0.1:0", "certificate": str(certificate), "key": str(key)}
    plan = runs.write_plan(
        tmp_path, {"anna": runs.honest(), "win": None}, listen=listen, limits={"join_ms": 20_000}
    )
    run = runs.Run(tmp_path / "run")
    with runs.start_arena("run", plan, "--out", run.folder) as process:
        address = runs.address_told_by(process)
        assert address.startswith("tls:")
        token = json.loads((run.folder / "secrets.json").read_text())["tokens"]["win"]
        options = ("--address", address, "--name", "win", "--token", token)
        remote = done(SAMPLES / bot / "bot.py", *options, ARENA_CA=str(ca))
        process.communicate(timeout=120)
    assert (remote.returncode, remote.stderr) == (0, "")
    assert process.returncode == 0
    assert {cause for _, cause in run.forfeits("win")["r1-anna-v-win"]} == {None}
    runs.assert_verified(run.folder)


def test_a_unix_socket_is_refused_in_words(tmp_path: Path) -> None:
    options = ("--address", f"unix:{tmp_path}/socket", "--name", "a", "--token", "t")
    result = done(SAMPLES / "random" / "bot.py", *options)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert (
        "this system has no Unix sockets; connect by tcp:host:port or tls:host:port"
        in result.stderr
    )


@pytest.mark.parametrize(
    "words",
    ["--help", "version", "docs the-game", "help run", "rules list", "rules count --depth 1"],
)
def test_commands_that_need_no_unix_work(words: str) -> None:
    result = done("arena", *words.split())
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout


@pytest.mark.parametrize("words", ["run --bot a=x --bot b=y", "check x", "doctor"])
def test_commands_that_need_unix_say_so(words: str) -> None:
    result = done("arena", *words.split())
    assert result.returncode == 2, result.stderr
    assert (
        f"`arena {words.split(maxsplit=1)[0]}` needs a Unix system: this one has no "
        in result.stderr
    )
    assert "run it in WSL" in result.stderr
    assert "Traceback" not in result.stderr
