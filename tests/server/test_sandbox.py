"""What bubblewrap is told, and what an operator is told of the limits; whether it works is shown end to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.server.programs import containment, sandbox
from arena.server.programs.containment import Containment, find_containment, sandbox_problems
from arena.server.programs.sandbox import Sandbox, SandboxError, find_bwrap
from arena.server.setup.tournament_file import LimitsSection, Plan, parse_plan

BOTS = '[[bot]]\nname = "anna"\ncommand = "a"\n[[bot]]\nname = "bo"\nremote = true\ntoken_file = "bo.token"\n'


def sandbox_of(**more: tuple[Path, ...]) -> Sandbox:
    return Sandbox(bwrap="/usr/bin/bwrap", scratch_bytes=1_048_576, **more)


def pairs(words: list[str], option: str) -> list[str]:
    """The last word of every use of an option that takes a path, in order."""
    taken = {"--ro-bind": 2, "--tmpfs": 1}[option]
    return [words[at + taken] for at, word in enumerate(words) if word == option]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with bots in it, where only this test's own `shut` is hidden."""
    for name in ("shut/club/bin", "shut/club/lib", "shut/run", "open/bots"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "shut/club/bin/python").touch(mode=0o755)
    (tmp_path / "shut/club/bot.py").touch()
    (tmp_path / "shut/bot.py").touch()
    monkeypatch.setattr(sandbox, "HIDDEN", (tmp_path / "shut", tmp_path / "not-there"))
    return tmp_path


def test_a_program_sees_the_system_without_writing_to_it_and_no_network(home: Path) -> None:
    """The words that decide come before the mounts, the command after them, the working folder is kept."""
    words = sandbox_of().wrap(["bot", "--fast"], directory=home / "open", shared=())
    assert words[:5] == ["/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    assert words[5:8] == ["--ro-bind", "/", "/"]
    assert words[-5:] == ["--chdir", str(home / "open"), "--", "bot", "--fast"]
    assert pairs(words, "--tmpfs") == ["/dev/shm", str(home / "shut")]
    assert all(words[at - 2 : at] == ["--size", "1048576"] for at, word in enumerate(words) if word == "--tmpfs")
    assert "--bind" not in words
    assert "--share-net" not in words


def test_the_kit_is_seen_wherever_it_is_installed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An arena that runs from a checkout in a hidden folder has its packages there, and bots in Python need them."""
    monkeypatch.setattr(sandbox, "OWN", (home / "shut/club",))
    words = sandbox_of().wrap(["bot"], directory=home / "open", shared=())
    assert pairs(words, "--ro-bind") == ["/", str(home / "shut/club")]


def test_what_the_command_names_is_seen_also_in_hidden_folders(home: Path) -> None:
    """The folder of a script, and of `bin/python` the folder above; a script right in a hidden folder comes alone."""
    club = home / "shut/club"
    words = sandbox_of().wrap(
        [str(club / "bin/python"), str(home / "shut/bot.py"), "no/path", "", "x" * 10_000],
        directory=home / "open",
        shared=(),
    )
    assert set(pairs(words, "--ro-bind")) == {"/", str(club), str(home / "shut/bot.py")}


def test_the_run_folder_and_tokens_are_hidden_even_within_the_working_folder(home: Path) -> None:
    """What lies deeper is laid over what is above it: hidden, shown, hidden again, and a shared socket shown again."""
    club = home / "shut/club"
    run, token, socket = club / "run", club / "bo.token", home / "shut/private/arena.sock"
    run.mkdir()
    token.touch()
    hides = sandbox_of(hidden=(run,), blank=(token,))
    words = hides.wrap(["./bot"], directory=club, shared=[socket])
    mounts = [word for word in words if word in {str(home / "shut"), str(club), str(run), str(token), str(socket)}]
    order = list(dict.fromkeys(mounts))
    assert order[:2] == [str(home / "shut"), str(club)]
    assert set(order[2:]) == {str(run), str(token), str(socket)}
    at = words.index(str(token))
    assert words[at - 2 : at] == ["--ro-bind", "/dev/null"]


def test_a_run_in_the_working_folder_itself_stays_hidden(home: Path) -> None:
    """`arena run .` from inside a run folder shows its bots an empty folder rather than the seeds."""
    run = home / "shut/run"
    words = sandbox_of(hidden=(run,)).wrap(["bot"], directory=run, shared=())
    assert str(run) not in pairs(words, "--ro-bind")
    assert str(run) in pairs(words, "--tmpfs")


def test_the_command_line_says_the_limits_and_how_many_processes_are_not_the_bots(home: Path) -> None:
    """Limits first, in the order of the supervisor; two wrappers in a sandbox, none without."""
    limits = LimitsSection(memory_mib=100, cpu_ms=2000, processes=3, open_files=40, file_mib=5)
    bare = Containment(limits=limits, sandbox=None).command_line(["bot", "x"], directory=home, shared=())
    assert bare[1:3] == ["-I", "-S"]
    assert bare[4:] == ["100", "2000", "3", "40", "5", "0", "bot", "x"]
    wrapped = Containment(limits=limits, sandbox=sandbox_of()).command_line(["bot"], directory=home, shared=())
    assert wrapped[4:11] == ["100", "2000", "3", "40", "5", "2", "/usr/bin/bwrap"]


def test_without_bubblewrap_auto_says_so_and_require_refuses(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same plan in three ways on a machine that has none."""
    monkeypatch.setattr(containment, "find_bwrap", lambda: (_ for _ in ()).throw(SandboxError("it is not installed")))
    plan = parse_plan(BOTS)
    found = find_containment(plan, hidden=[home / "run"], directory=home)
    assert "NO SANDBOX (it is not installed)" in found.describe()
    assert sandbox_problems(plan) == []
    strict = parse_plan('[limits]\nsandbox = "require"\n' + BOTS)
    with pytest.raises(SandboxError):
        find_containment(strict, hidden=[home / "run"], directory=home)
    assert sandbox_problems(strict) == [
        '[limits] sandbox = "require": it is not installed; install bubblewrap, or use "auto" or "off"'
    ]


def test_a_sandbox_hides_the_run_folder_and_the_secrets_of_the_operator(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by the plan, relative to where the commands run."""
    monkeypatch.setattr(containment, "find_bwrap", lambda: "/usr/bin/bwrap")
    tls = '[listen]\ncertificate = "arena.pem"\nkey = "arena.key"\n'
    found = find_containment(parse_plan(tls + BOTS), hidden=[home / "run"], directory=home)
    assert found.sandbox is not None
    assert (found.sandbox.hidden, found.sandbox.blank) == ((home / "run",), (home / "arena.key", home / "bo.token"))
    assert "sandbox: no network" in found.describe()
    assert "NO SANDBOX" not in found.describe()


def test_a_bubblewrap_that_does_not_work_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own words say why: some systems forbid what it needs."""
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    find_bwrap.cache_clear()
    try:
        with pytest.raises(SandboxError, match="No permissions to create new namespace"):
            find_bwrap()
    finally:
        find_bwrap.cache_clear()


def test_a_system_that_cannot_measure_says_which_limits_do_not_hold() -> None:
    """Elsewhere than on Linux there is no way to see what a program has started."""
    text = Containment(limits=LimitsSection(), sandbox=None, why_no_sandbox="x", measures=False).describe()
    assert "NOT LIMITED on this system: memory and the number of processes" in text
    assert "MiB of memory" not in text


def test_the_limits_have_defaults_that_leave_room_for_any_runtime() -> None:
    """1 GiB, a day, 64 processes: a bot in Java or with a small network stays far below."""
    limits = Plan().limits
    found = (limits.sandbox, limits.memory_mib, limits.cpu_ms, limits.processes, limits.open_files, limits.file_mib)
    assert found == ("auto", 1024, 86_400_000, 64, 1024, 64)
