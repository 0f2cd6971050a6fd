"""The sample bot in JavaScript plays a match through the real command line."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "sample_bots" / "javascript"
NO_NETWORK = re.compile(r"EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED")
PATIENCE_S = 60


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, in a copy of its folder with its dependencies installed there."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("node and npm are not both installed")
    copy = tmp_path_factory.mktemp("bot") / "javascript"
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("node_modules"))
    command = [npm, "ci", "--omit=dev", "--prefer-offline", "--fetch-retries=0", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm ci got no answer from the network within {PATIENCE_S} s")
    if done.returncode and (trouble := NO_NETWORK.search(done.stderr)):
        pytest.skip(f"npm ci needs the network and has none ({trouble[0]})")
    assert done.returncode == 0, done.stderr
    return copy / "bot.mjs"


def arena(*arguments: str | Path) -> str:
    """What the command line prints; it has to succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_match_against_random(bot: Path, tmp_path: Path) -> None:
    """Three games to their ends: every turn legal, in time, and in order afterwards."""
    run = tmp_path / "run"
    javascript = shlex.join(["node", str(bot)])
    random = shlex.join([sys.executable, str(ROOT / "sample_bots" / "random" / "bot.py")])
    arena(
        "run", "--quiet", "--bot", f"javascript={javascript}", "--bot", f"random={random}", "--games", "3", "--out", run
    )
    assert "in order" in arena("verify", run)
    standings = json.loads(arena("standings", "--json", run))
    assert {row["entrant"]: (row["played"], row["forfeits"]) for row in standings["standings"]} == {
        "javascript": (1, 0),
        "random": (1, 0),
    }
    assert [path.read_text() for path in (run / "bots").glob("*.stderr")] == []


def test_started_by_itself_it_says_how_to_start_it(bot: Path) -> None:
    """One sentence instead of a trace."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
    done = subprocess.run(
        ["node", bot], env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "arena run" in done.stderr


def test_dependencies_are_pinned_without_a_download_host() -> None:
    """Exact versions with checksums, from whatever registry the user has."""
    package = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    locked = json.loads((FOLDER / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, version in package["dependencies"].items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert not [name for name, entry in locked.items() if "resolved" in entry]
    assert all("integrity" in entry for name, entry in locked.items() if name)
