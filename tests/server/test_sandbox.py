"""The options of bubblewrap, and what an operator hears about limits; end-to-end tests show whether it works."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest

from arena.records.facts import Way
from arena.server.io.operator_log import sentence
from arena.server.programs import containment, landlock, syscall_filter
from arena.server.programs.bot_command import BotCommand
from arena.server.programs.containment import (
    EMPTY_PROC,
    FURTHER,
    OWN_PROC,
    Containment,
    SandboxError,
    find_bwrap,
    find_containment,
    in_sandbox,
    sandbox_problems,
)
from arena.server.programs.readable import Readable
from arena.server.setup.tournament_file import LimitsSection, parse_plan
from arena.words import LANGUAGES, say
from tests.english import english

BOTS = '[[bot]]\nname = "anna"\ncommand = "a"\n[[bot]]\nname = "bo"\nremote = true\ntoken_file = "bo.token"\n'


BWRAP = ("/usr/bin/bwrap",)


def bot(*words: str) -> BotCommand:
    """A command that begins in this folder."""
    return BotCommand(words=words, directory=Path.cwd())


def mounts(words: list[str], option: str) -> list[list[str]]:
    """The paths after every use of an option, in order."""
    taken = {
        "--ro-bind-try": 2,
        "--ro-bind": 2,
        "--symlink": 2,
        "--tmpfs": 1,
        "--dir": 1,
        "--remount-ro": 1,
    }[option]
    return [words[at + 1 : at + 1 + taken] for at, word in enumerate(words) if word == option]


def test_a_program_sees_nothing_but_what_it_is_shown(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "link").symlink_to("bot")
    words = in_sandbox(
        BWRAP,
        BotCommand(words=("bot", "--fast"), directory=tmp_path),
        Readable(paths=(tmp_path / "bot", tmp_path / "link")),
        shared=[tmp_path / "arena.sock"],
        file_mib=1,
    )
    assert words[:2] == ["/usr/bin/bwrap", "--unshare-all"]
    assert words[2:7] == ["--unshare-user", "--uid", "65533", "--gid", "65533"]
    assert mounts(words, "--ro-bind-try") == [[str(tmp_path / "bot")] * 2]
    assert mounts(words, "--symlink") == [["bot", str(tmp_path / "link")]]
    made_up = ["/etc/group", "/etc/nsswitch.conf", "/etc/passwd"]
    assert [shown for _, shown in mounts(words, "--ro-bind")] == [
        *made_up,
        str(tmp_path / "arena.sock"),
    ]
    assert mounts(words, "--tmpfs") == [["/dev/shm"], ["/tmp"]]
    assert all(
        words[at - 2 : at] == ["--size", "1048576"]
        for at, word in enumerate(words)
        if word == "--tmpfs"
    )
    assert mounts(words, "--remount-ro") == [["/dev"], ["/"]]
    assert mounts(words, "--dir") == [[str(tmp_path)]]
    assert words[-3:] == ["--", "bot", "--fast"]
    assert not {"--bind", "--dev-bind", "--share-net", "--cap-add"} & set(words)


def test_a_run_that_begins_later_is_hidden_from_programs_that_start_then_and_known_to_be_in_reach_of_others(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot/runs").mkdir(parents=True)
    (tmp_path / "bot/bot.py").touch()
    later = (tmp_path / "bot/later").resolve()
    open_runs: list[Path] = []
    contained = Containment(limits=LimitsSection(), bwrap=BWRAP, others=lambda: tuple(open_runs))
    command = BotCommand(words=("bot/bot.py",), directory=tmp_path)
    with contained.shown_to(command):
        assert contained.shown_of(later) == tmp_path / "bot"
        assert contained.shown_of(tmp_path / "elsewhere") is None
        later.mkdir()
        open_runs.append(later)
        with contained.shown_to(command):
            _, newest = contained._shown
            assert not {later, tmp_path / "bot"} & set(newest.paths)
            assert tmp_path / "bot/bot.py" in newest.paths
    assert contained.shown_of(later) is None


def test_the_command_line_says_the_limits_and_how_many_processes_are_not_the_bots(
    tmp_path: Path,
) -> None:
    """Limits first, in the order of the supervisor; two wrappers in a sandbox, none without; rules of Landlock.

    Under Landlock the program is named by its path: the supervisor may not read what Python needs
    to look for it.
    """
    limits = LimitsSection(memory_mib=100, cpu_ms=2000, processes=3, open_files=40, file_mib=5)
    bare, _ = Containment(limits=limits).launch(bot("bot", "x"), shared=())
    assert bare == ["100", "2000", "3", "40", "5", "0", "-1", "", "0", "0", "bot", "x"]
    wrapped, _ = Containment(limits=limits, bwrap=BWRAP).launch(bot("bot"), shared=())
    assert wrapped[:11] == [
        "100",
        "2000",
        "3",
        "40",
        "5",
        "0",
        "-1",
        "",
        "2",
        "0",
        "/usr/bin/bwrap",
    ]
    box, _ = Containment(limits=limits, landlock=6).launch(
        bot("sh", "x"), shared=(), scratch=tmp_path
    )
    rules = box[10 : 10 + int(box[9])]
    assert {"r/usr", "r/proc", "d/dev/null", f"w{tmp_path}"} <= set(rules)
    assert box[10 + len(rules) :] == [shutil.which("sh"), "x"]


def test_a_program_gets_nothing_of_the_environment_but_where_programs_are_and_the_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contained, its home is the folder it may write to; else it has that of the operator, and nothing more."""
    for name in list(os.environ):
        monkeypatch.delenv(name)
    operators = {"PATH": "/usr/bin", "LANG": "C.UTF-8", "HOME": "/home/eva"}
    for name, value in {
        **operators,
        "API_KEY": "secret",
        "PYTHONPATH": "/x",
        "SSH_AUTH_SOCK": "/y",
    }.items():
        monkeypatch.setenv(name, value)
    limits = LimitsSection()
    _, bare = Containment(limits=limits).launch(bot("bot"), shared=())
    assert bare == operators
    _, wrapped = Containment(limits=limits, bwrap=BWRAP).launch(bot("bot"), shared=())
    assert wrapped == operators | {"HOME": "/tmp", "TMPDIR": "/tmp"}
    _, box = Containment(limits=limits, landlock=6).launch(bot("bot"), shared=(), scratch=tmp_path)
    assert box == operators | {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}


@pytest.mark.parametrize(
    ("abi", "has_filter", "way", "told"),
    [
        (0, True, "none", "read and write what you can"),
        (
            1,
            False,
            "landlock",
            "NOT KEPT .* the network, modes and times .* ending your processes, emptying files",
        ),
        (
            1,
            True,
            "landlock",
            "NOT KEPT .* lines of processes, abstract sockets, ending your processes, emptying",
        ),
        (
            5,
            True,
            "landlock",
            "NOT KEPT .* lines of processes, abstract sockets, ending your processes; launch",
        ),
        (
            6,
            False,
            "landlock",
            "NOT KEPT .* the network, modes and times of your files, limits of your processes; l",
        ),
        (
            6,
            True,
            "landlock_filter",
            "NOT KEPT .* Unix sockets of other programs, .*, command lines of processes; l",
        ),
    ],
)
def test_without_bubblewrap_auto_takes_landlock_and_says_so_and_require_refuses(
    abi: int, has_filter: bool, way: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Landlock keeps no program from the sockets of others, so that it is not what `require` asks for."""
    monkeypatch.setattr(
        containment,
        "find_bwrap",
        lambda: (_ for _ in ()).throw(SandboxError("it is not installed")),
    )
    monkeypatch.setattr(landlock, "version", lambda: abi)
    monkeypatch.setattr(syscall_filter, "is_there", lambda: has_filter)
    plan = parse_plan(BOTS)
    found = find_containment(plan, hidden=[tmp_path / "run"], directory=tmp_path)
    assert found.way == way
    assert "NO SANDBOX (it is not installed)" in found.promises()
    assert re.search(told, found.promises())
    assert sandbox_problems(plan, tmp_path) == []
    strict = parse_plan('[limits]\nsandbox = "require"\n' + BOTS)
    with pytest.raises(SandboxError):
        find_containment(strict, hidden=[tmp_path / "run"], directory=tmp_path)
    assert english(sandbox_problems(strict, tmp_path)) == [
        '[limits] sandbox = "require": it is not installed; install bubblewrap, or use "auto" or "off"'
    ]


def test_runs_and_the_secrets_of_the_operator_are_kept_from_every_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containment, "find_bwrap", lambda: ("/usr/bin/bwrap",))
    tls = '[listen]\ncertificate = "arena.pem"\nkey = "arena.key"\n'
    found = find_containment(parse_plan(tls + BOTS), hidden=[tmp_path / "run"], directory=tmp_path)
    assert found.way == "bubblewrap"
    assert set(found.kept.paths) == {
        tmp_path / name for name in ("run", "runs", "arena.key", "bo.token")
    }
    assert "no network, nothing to read but" in found.promises()
    assert "NO SANDBOX" not in found.promises()


def test_the_operator_is_told_what_a_bot_reads_and_who_shares_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containment, "find_bwrap", lambda: ("/usr/bin/bwrap",))
    for name in ("weights", "club"):
        (tmp_path / name).mkdir()
    for name in ("anna.py", "bo.py"):
        (tmp_path / "club" / name).touch()
    plan = parse_plan(
        '[[bot]]\nname = "anna"\ncommand = "python club/anna.py"\nreads = ["weights"]\n'
        '[[bot]]\nname = "bo"\ncommand = "python club/bo.py weights"\n'
    )
    found = find_containment(plan, hidden=[], directory=tmp_path)
    assert [say(note) for _, note in found.notes(plan.bot, tmp_path)] == [
        f"anna reads {tmp_path / 'weights'}",
        f"bo does not see the folder {tmp_path / 'weights'} that its command names; add it to `reads`",
        f"several bots are in {tmp_path / 'club'} and can read one another there",
    ]
    alone = parse_plan(
        '[[bot]]\nname = "anna"\ncommand = "python anna.py"\nfolder = "club"\n[[bot]]\nname = "x"\nremote = true'
    )
    found = find_containment(alone, hidden=[], directory=tmp_path)
    assert [*found.notes(alone.bot[:1], tmp_path)] == []


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Puts a bubblewrap in the place of the system's, given its script."""

    def pretend(script: str) -> None:
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bwrap").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    find_bwrap.cache_clear()
    yield pretend
    find_bwrap.cache_clear()


def test_a_bubblewrap_that_does_not_work_is_found_out(pretended: Callable[[str], None]) -> None:
    pretended("echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
    with pytest.raises(SandboxError, match="No permissions to create new namespace"):
        find_bwrap()


@pytest.mark.parametrize(
    ("script", "options"),
    [
        ("exit 0", (*FURTHER, *OWN_PROC)),
        ('case "$*" in *--disable-userns*) exit 1;; esac', OWN_PROC),
        ('case "$*" in *--proc*) exit 1;; esac', (*FURTHER, *EMPTY_PROC)),
        ('case "$*" in *--disable-userns*|*--proc*) exit 1;; esac', EMPTY_PROC),
    ],
)
def test_an_old_bubblewrap_does_without_what_it_does_not_know(
    pretended: Callable[[str], None], script: str, options: tuple[str, ...]
) -> None:
    """And a newer one is never used without: what fails for another reason fails again."""
    pretended(script)
    bwrap = find_bwrap()
    assert bwrap[1:] == options
    is_told = "their /proc is empty" in Containment(limits=LimitsSection(), bwrap=bwrap).promises()
    assert is_told == (EMPTY_PROC[0] in options)


COVERED_PROC = (
    "import sys; from arena.server.programs.containment import *; "
    "from arena.server.programs.system_files import system_files; "
    "command = BotCommand(words=('ls', '-A', '/proc'), directory=Path('/')); "
    "readable = Readable(paths=system_files()); "
    "line = in_sandbox(find_bwrap(), command, readable, shared=(), file_mib=1); "
    "sys.exit(subprocess.run(line).returncode)"
)
"""Lists the /proc that a bot sees."""


def test_where_a_part_of_proc_is_covered_bots_get_an_empty_one() -> None:
    """As in a service with ProtectKernelTunables=yes, which keeps every other mount of /proc away."""
    cover = "mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys"
    script = f'{cover} || exit 77; exec "$0" -c "$1"'
    words = ["unshare", "--mount", "sh", "-c", script, sys.executable, COVERED_PROC]
    covered = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    if covered.returncode == 77 or "unshare" in covered.stderr or shutil.which("bwrap") is None:
        pytest.skip("this takes the rights to mount, and bubblewrap")
    assert (covered.returncode, covered.stdout, covered.stderr) == (0, "", "")


def test_a_system_that_cannot_measure_says_which_limits_do_not_hold() -> None:
    """Elsewhere than on Linux there is no way to see what a program has started."""
    text = Containment(limits=LimitsSection(), why_no_sandbox="x", measures=False).limits_in_words()
    assert "NOT LIMITED on this system: memory and the number of processes" in text
    assert "MiB of memory" not in text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("way", [*get_args(Way), "off"])
def test_what_contains_bots_is_told_in_one_line(way: str, language: str) -> None:
    """What it means is told by `arena doctor`, and lies in `operator.jsonl`."""
    wanted = "off" if way == "off" else "auto"
    contained_by = "none" if way == "off" else way
    event = {
        "event": "containment",
        "wanted": wanted,
        "contained_by": contained_by,
        "words": "x" * 400,
    }
    told = sentence(event | {"measures": True}, language)
    assert len(told) <= 140
    assert ("doctor" in told) == (way != "off")
    less = sentence(event | {"measures": False}, language)
    assert less.startswith(told)
    assert len(less) > len(told)
