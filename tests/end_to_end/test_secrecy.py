"""Launched bots can read nothing of the machine, of other runs and of other bots but what they need."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.server.programs import landlock
from arena.server.programs.containment import MADE_UP
from arena.server.programs.system_files import ETC
from tests.fixtures.arena_runs import (
    HONEST,
    Run,
    arena,
    arena_process,
    assert_verified,
    honest,
    play,
    start_arena,
    stop,
    write_plan,
)
from tests.fixtures.sandboxes import SANDBOX
from tests.processes import await_true

MATCH = "r1-anna-v-spy"
MODULES = ("honest.py", "spies.py")
LANDLOCK = pytest.param(
    "auto",
    marks=pytest.mark.skipif(
        landlock.version() < 6, reason="this kernel has no Landlock, or an old one"
    ),
)


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A folder as people have it: bots, a tournament file, tokens and runs beside each other."""
    folder = tmp_path / "club"
    folder.mkdir()
    for name in MODULES:
        shutil.copy(HONEST.with_name(name), folder)
    (folder / "eva.token").write_text("open sesame")
    (folder / ".env").write_text("API_KEY=x")
    return folder


def plan_of(folder: Path, sandbox: str, *, pause_ms: int = 5) -> Path:
    """A slow bot against the spy, both in the folder they are started in."""
    bots = {
        "anna": [sys.executable, "honest.py", "--think-ms", str(pause_ms)],
        "spy": [sys.executable, "spies.py", str(folder), "runs"],
    }
    clock = {"delay_ms": 60_000, "bank_ms": 60_000}
    return write_plan(folder, bots, limits={"sandbox": sandbox}, clock=clock)


def seen_by_the_spy(run: Run) -> tuple[set[str], int]:
    """What it could read, apart from what every program may, and how often it has looked."""
    lines = run.output_of(MATCH, "spy", "stdout").decode().splitlines()
    seen = {line for line in lines if line != "looks" and "__pycache__" not in line}
    assert any(path.endswith("spies.py") for path in seen), "its eyes are good"
    allowed = [
        *(f"/etc/{name.rstrip('*')}" for name in ETC),
        *(f"/etc/{path.name}" for path in MADE_UP.iterdir()),
    ]
    return {path for path in seen if not path.startswith(tuple(allowed))}, lines.count("looks")


@pytest.mark.parametrize(
    "sandbox", [SANDBOX, pytest.param("auto", marks=[*LANDLOCK.marks, pytest.mark.soak])]
)
def test_two_runs_at_once_are_secret_to_each_others_bots(sandbox: str, club: Path) -> None:
    without = {} if sandbox == "require" else {"PATH": path_without_bwrap(club.parent)}
    plan = plan_of(club, sandbox)
    runs = [Run(club / "runs" / "first"), Run(club / "second"), Run(club.parent / "third")]
    processes = [
        start_arena("run", plan, "--out", run.folder, cwd=club, **without) for run in runs[:2]
    ]
    try:
        await_true(lambda: all(run.match(MATCH, "turn_played") for run in runs[:2]))
        processes.append(start_arena("run", plan, "--out", runs[2].folder, cwd=club, **without))
        told = [process.communicate(timeout=120)[1] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0, 0], told
    for run in runs:
        seen, looks = seen_by_the_spy(run)
        assert looks > 2
        assert seen <= {str(club / name) for name in (*MODULES, ".env", plan.name)}
        assert {cause for _, cause in run.forfeits("spy")[MATCH]} == {None}
        assert_verified(run.folder)


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", [SANDBOX])
def test_a_run_that_was_interrupted_is_secret_to_the_bots_of_the_next(
    sandbox: str, club: Path
) -> None:
    plan = plan_of(club, sandbox, pause_ms=20)
    final = Run(club / "final")
    line = ("run", plan, "--out", final.folder)
    stop(lambda: len(final.match(MATCH, "turn_played")) > 3, signal.SIGINT, *line, cwd=club)
    assert (final.folder / "secrets.json").exists()
    another = Run(club / "another")
    assert (
        arena(
            "run", plan_of(club, sandbox, pause_ms=0), "--out", another.folder, cwd=club
        ).returncode
        == 0
    )
    seen, looks = seen_by_the_spy(another)
    assert looks > 2
    assert seen <= {str(club / name) for name in (*MODULES, ".env", plan.name)}
    assert arena("run", final.folder, cwd=club).returncode == 0
    assert_verified(final.folder)


@pytest.mark.parametrize(
    ("sandbox", "crew"),
    [
        pytest.param("require", (), marks=SANDBOX.marks, id="bubblewrap"),
        pytest.param(
            "auto",
            ("--workers", 1),
            marks=[*LANDLOCK.marks, pytest.mark.slow],
            id="Landlock, workers",
        ),
    ],
)
def test_the_key_that_signs_a_run_is_secret_to_its_bots(
    sandbox: str, crew: tuple[object, ...], club: Path
) -> None:
    without = {} if sandbox == "require" else {"PATH": path_without_bwrap(club.parent)}
    assert arena("key", "new", "operator.pem", cwd=club).returncode == 0
    run = Run(club / "signed")
    plan = plan_of(club, sandbox, pause_ms=0)
    result = arena_process(
        "run", plan, "--key", "operator.pem", "--out", run.folder, *crew, cwd=club, **without
    )
    assert result.returncode == 0, result.stderr
    seen, looks = seen_by_the_spy(run)
    assert looks > 2
    assert seen <= {str(club / name) for name in (*MODULES, ".env", plan.name)}
    assert run.facts("head_signed")


def test_the_key_is_refused_in_reads_and_named_where_nothing_contains_bots(club: Path) -> None:
    (club / "secret").mkdir()
    assert arena("key", "new", "secret/op.pem", cwd=club).returncode == 0
    bots = {"anna": {"command": [sys.executable, "honest.py"], "reads": ["secret"]}, "bo": honest()}
    signed = ("--key", "secret/op.pem", "--out", "run")
    refused = arena("run", write_plan(club, bots), *signed, cwd=club)
    assert refused.returncode == 2
    assert "bot anna: reads 'secret': it holds runs or credentials" in refused.stderr
    run = arena(
        "run", write_plan(club, {"anna": honest(), "bo": honest()}), *signed, "--quiet", cwd=club
    )
    told = f"[warning] launched bots are not contained here, so they can read {club / 'secret/op.pem'}; launch only"
    assert told in " ".join(run.stderr.split())


@pytest.mark.parametrize(
    ("sandbox", "names"),
    [
        pytest.param("off", {"HOME", "PATH", "LANG"}, id="off"),
        pytest.param(
            "require", {"HOME", "PATH", "LANG", "PWD", "TMPDIR"}, marks=SANDBOX.marks, id="require"
        ),
        pytest.param(
            "auto", {"HOME", "PATH", "LANG", "TMPDIR"}, marks=LANDLOCK.marks, id="landlock"
        ),
    ],
)
def test_nothing_of_the_operators_environment_reaches_a_bot(
    sandbox: str, names: set[str], club: Path
) -> None:
    without = {"PATH": path_without_bwrap(club.parent)} if sandbox == "auto" else {}
    run = Run(club.parent / "run")
    more = {"LANG": "C.UTF-8", "API_KEY": "secret", "SSH_AUTH_SOCK": "/x", **without}
    bots = {
        "anna": honest(),
        "spy": [sys.executable, str(HONEST.with_name("tells_environment.py"))],
    }
    plan = write_plan(club, bots, limits={"sandbox": sandbox})
    result = arena_process("run", plan, "--out", run.folder, cwd=club, **more)
    assert result.returncode == 0, result.stderr
    given = set(run.output_of(MATCH, "spy", "stdout").decode().split())
    assert given - {"LC_CTYPE"} == names | {"ARENA_ADDRESS", "ARENA_NAME", "ARENA_TOKEN"}


@pytest.mark.parametrize("sandbox", [SANDBOX])
def test_a_virtual_environment_elsewhere_runs_behind_an_adapter(
    sandbox: str, tmp_path: Path
) -> None:
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")],
        check=True,
        timeout=120,
    )
    [packages] = (tmp_path / "env").glob("lib/python*/site-packages")
    (packages / "first_choice.py").write_text("CHOICE = '{\"choice\": 0}'\n")
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots/bot.py").write_text(
        "import sys, first_choice\nfor line in sys.stdin:\n"
        '    if line.startswith(\'{"type":"turn"\'):\n        print(first_choice.CHOICE, flush=True)\n'
    )
    adapter = [str(Path(sys.executable).with_name("arena")), "adapter", "stdio", "--"]
    bots = {
        name: [*adapter, str(tmp_path / "env/bin/python"), "bots/bot.py"] for name in ("anna", "bo")
    }
    run = play(tmp_path, bots, cwd=tmp_path, limits={"sandbox": sandbox})
    assert {cause for _, cause in run.forfeits("anna")["r1-anna-v-bo"]} == {None}


@pytest.mark.parametrize("sandbox", [SANDBOX])
def test_a_bot_reads_what_the_tournament_file_adds(sandbox: str, tmp_path: Path) -> None:
    for name in ("bots", "weights"):
        (tmp_path / name).mkdir()
    (tmp_path / "weights/best.txt").write_text("1")
    (tmp_path / "bots/bot.py").write_text(
        "import pathlib, protocol.client as kit\nprint(pathlib.Path('weights/best.txt').read_text())\n"
        "class First(kit.Bot):\n    version, wants = '1', ('legal',)\n"
        "    def play(self, turn):\n        return kit.Choice(0)\nFirst().main()\n"
    )
    words = [sys.executable, "bots/bot.py"]
    run = play(
        tmp_path,
        {"anna": {"command": words, "reads": ["weights"]}, "bo": words},
        status=1,
        cwd=tmp_path,
        limits={"sandbox": sandbox},
    )
    assert set(run.forfeits("anna")["r1-anna-v-bo"]) == {("anna", "no_show")}
    assert f"anna reads {tmp_path / 'weights'}" in " ".join(run.stderr.split())
    assert [fact["bots"] for fact in run.facts("bots_contained")] == [
        {"anna": "bubblewrap", "bo": "bubblewrap"}
    ]
    refused = arena(
        "run", write_plan(tmp_path, {"anna": {"command": words, "reads": ["nothing"]}, "bo": words})
    )
    assert (
        refused.returncode,
        "reads 'nothing': there is no such file or folder" in refused.stderr,
    ) == (2, True)


@pytest.mark.parametrize("sandbox", [SANDBOX, LANDLOCK])
def test_a_bot_changes_neither_its_opponents_files_nor_the_operators(
    sandbox: str, tmp_path: Path
) -> None:
    """Not their modes, times or attributes, and nothing of the processes of others; the match is played.

    It tries when the bots are tried out: what it did would be there in the first match.
    """
    without = {} if sandbox == "require" else {"PATH": path_without_bwrap(tmp_path)}
    for folder, bot in (("anna", "honest.py"), ("rogue", "tampers.py")):
        (tmp_path / folder).mkdir()
        shutil.copy(HONEST.with_name(bot), tmp_path / folder / "bot.py")
    key = tmp_path / "home" / ".ssh" / "id_ed25519"
    key.parent.mkdir(parents=True)
    key.write_text("secret")
    key.chmod(0o600)
    files = [tmp_path / "anna/bot.py", key]
    before = [path.stat() for path in files]
    bots = {
        "anna": [sys.executable, "anna/bot.py"],
        "rogue": ["env", "A=1", sys.executable, "rogue/bot.py", str(tmp_path)],
    }
    plan = write_plan(tmp_path, bots, limits={"sandbox": sandbox, "check_bots": "warn"})
    run = Run(tmp_path / "run")
    result = arena_process("run", plan, "--out", run.folder, cwd=tmp_path, **without)
    assert result.returncode == 0, result.stderr
    for path, was in zip(files, before, strict=True):
        now = path.stat()
        assert (now.st_mode, now.st_mtime_ns, now.st_ctime_ns) == (
            was.st_mode,
            was.st_mtime_ns,
            was.st_ctime_ns,
        )
    said = run.output_of("r1-anna-v-rogue", "rogue", "stdout").decode().splitlines()
    assert said
    if sandbox == "auto":
        assert [line for line in said if not line.startswith("kept from ")] == []
    way = {"require": "bubblewrap", "auto": "landlock_filter"}[sandbox]
    assert [fact["bots"] for fact in run.facts("bots_contained")] == [{"anna": way, "rogue": way}]
    assert {cause for _, cause in run.forfeits("anna")["r1-anna-v-rogue"]} == {None}
    assert_verified(run.folder)


def path_without_bwrap(folder: Path) -> str:
    """A PATH on which bubblewrap does not work."""
    broken = folder / "without" / "bwrap"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    broken.chmod(0o755)
    return f"{broken.parent}:/usr/bin:/bin"
