"""What a launched bot may read: it follows from its command, the tournament file, and the files that are there."""

import os
from pathlib import Path

import pytest

from arena.server.programs import folder_walk
from arena.server.programs import system_files as system
from arena.server.programs.bot_command import BotCommand, named_by
from arena.server.programs.readable import (
    BUBBLEWRAP,
    FileView,
    HiddenPlaces,
    Readable,
    reads_problems,
)
from arena.server.programs.runtimes import runtime_files, shebang
from arena.server.programs.system_files import library_folders, steps, system_files
from arena.words import say
from tests.english import english


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is not a home, with a virtual environment, bots of all kinds, runs and a token."""
    for file in (
        "base/bin/python3.11",
        "base/lib/python3.11/os.py",
        "club/.venv/pyvenv.cfg",
        "club/.venv/lib/site.py",
        "club/bot.py",
        "club/helper.py",
        "club/old-run/tournament.jsonl",
        "club/old-run/secrets.json",
        "club/eva.token",
        "club/deep/inside/run/lock",
        "club/deep/inside/run/matches/r1.jsonl",
        "club/deep/weights.bin",
        "club/bo/bot.py",
        "club/bo/weights.bin",
        "club/engine/bot",
        "club/engine/book.bin",
        "elsewhere/weights.bin",
        "home/bot.py",
        "home/.ssh/id_rsa",
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch(mode=0o755)
    (tmp_path / "club/.venv/bin").mkdir()
    (tmp_path / "club/.venv/bin/python").symlink_to(tmp_path / "base/bin/python3.11")
    (tmp_path / "club/.venv/pyvenv.cfg").write_text(f"home = {tmp_path / 'base/bin'}\n")
    monkeypatch.setattr(system, "_places", lambda: frozenset([tmp_path / "home"]))
    return tmp_path


def found(
    place: Path, *command: str, kept: HiddenPlaces | None = None, reads: tuple[Path, ...] = ()
) -> Readable:
    """What a command that begins in the club may read."""
    started = BotCommand(words=command, directory=place / "club", reads=reads)
    return FileView(started, kept or HiddenPlaces(paths=(place / "club/runs",)), BUBBLEWRAP).look()


def shown(
    place: Path, *command: str, kept: HiddenPlaces | None = None, reads: tuple[Path, ...] = ()
) -> list[str]:
    """Likewise, without what every program may read, relative to the place."""
    paths = found(place, *command, kept=kept, reads=reads).paths
    return [str(path.relative_to(place)) for path in paths if path.is_relative_to(place)]


def test_a_script_sees_its_folder_without_runs_tokens_and_other_bots(place: Path) -> None:
    """The folder commands begin in is given by its entries, so that what is made there later is not shown."""
    kept = HiddenPlaces(
        paths=(place / "club/runs",),
        bots=frozenset([place / "club/bot.py", place / "club/bo/bot.py"]),
    )
    assert shown(place, ".venv/bin/python", "bot.py", kept=kept) == [
        "base",
        "club/.venv",
        "club/bot.py",
        "club/engine",
        "club/helper.py",
        "club/deep/weights.bin",
    ]


def test_a_bot_in_a_folder_of_its_own_sees_that_folder(place: Path) -> None:
    assert shown(place, "engine/bot", "--depth", "3") == ["club/engine"]
    assert shown(place, ".venv/bin/python", "bo/bot.py") == ["base", "club/.venv", "club/bo"]


def test_the_folder_that_the_operator_gives_to_a_bot_is_its_own(place: Path) -> None:
    """Its command begins there, and may name a program that lies elsewhere."""
    started = BotCommand(
        words=("python3", "../engine/bot"), directory=place / "club/bo", has_folder=True
    )
    kept = HiddenPlaces(bots=frozenset([place / "club/bo", place / "club/engine/bot"]))
    paths = FileView(started, kept, BUBBLEWRAP).look().paths
    assert [path for path in paths if path.is_relative_to(place)] == [
        place / "club/bo",
        place / "club/engine",
    ]


def test_a_virtual_environment_comes_with_the_installation_it_was_made_from(place: Path) -> None:
    python = place / "club/.venv/bin/python"
    assert {place / "club/.venv", place / "base"} <= set(runtime_files(python))
    python.unlink()
    python.touch(mode=0o755)
    assert {place / "club/.venv", place / "base"} <= set(runtime_files(python))


def test_an_interpreter_is_found_behind_a_shebang_and_env(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "club/engine/bot").write_text(f"#!{place}/club/.venv/bin/python -X dev\n")
    assert shown(place, "engine/bot") == ["base", "club/.venv", "club/engine"]
    (place / "club/engine/bot").write_text("#!/usr/bin/env -S A=b python3.11\n")
    monkeypatch.setenv("PATH", f"{place / 'base/bin'}:/usr/bin")
    assert shown(place, "engine/bot") == ["base", "club/engine"]
    for python in ("python3.11", f"{place}/club/.venv/bin/python"):
        venv = [] if "/" not in python else ["club/.venv"]
        assert shown(place, "env", "A=b", python, "bo/bot.py") == ["base", *venv, "club/bo"]
    assert shebang(place / "club/bot.py") == []
    assert shebang(place / "nothing") == []


def test_scripts_that_name_one_another_come_to_an_end(place: Path) -> None:
    (place / "club/engine/bot").write_text(f"#!{place}/club/engine/bot\n")
    assert shown(place, "engine/bot") == ["club/engine"]
    (place / "a").symlink_to("b")
    (place / "b").symlink_to("a")
    assert len(list(steps(place / "a"))) == system.MOST_LINKS


def test_every_link_on_the_way_is_shown(place: Path) -> None:
    """Paths mean the same inside."""
    (place / "club/latest").symlink_to("engine")
    assert list(steps(place / "club/latest/bot")) == [
        place / "club/latest",
        place / "club/engine/bot",
    ]
    assert list(steps(place / "club/latest/../bot.py")) == [
        place / "club/latest",
        place / "club/bot.py",
    ]
    assert shown(place, "latest/bot") == ["club/engine", "club/latest"]


@pytest.mark.parametrize(
    ("command", "own", "files", "folders"),
    [
        (["python3", "bot.py"], ["bot.py"], [], []),
        (["python3", "-m", "bo.bot"], ["bo"], [], []),
        (["python3", "-m", "helper"], ["helper.py"], [], []),
        (["java", "-cp", "engine:bo:nothing", "Main"], ["engine", "bo"], [], []),
        (
            ["node", "--max-old-space-size=100", "bot.py", "deep/weights.bin"],
            ["bot.py"],
            ["deep/weights.bin"],
            [],
        ),
        (
            ["env", "A=engine", "python3", "--log=deep/weights.bin", "bot.py"],
            ["bot.py"],
            ["deep/weights.bin"],
            ["engine"],
        ),
        (["env", "-i", "A=1", "{club}/.venv/bin/python", "bo/bot.py"], ["bo/bot.py"], [], []),
        (
            ["/usr/bin/env", "A=1", "engine/bot", "deep/weights.bin"],
            ["engine/bot"],
            ["deep/weights.bin"],
            [],
        ),
        (["env", "A=1"], [], [], []),
        (
            ["arena", "adapter", "stdio", "--", "{club}/.venv/bin/python", "bo/bot.py"],
            ["bo/bot.py"],
            [],
            [],
        ),
        (
            ["engine/bot", "--weights=deep/weights.bin", "deep"],
            ["engine/bot"],
            ["deep/weights.bin"],
            ["deep"],
        ),
        (["arena", "adapter", "stdio", "--", "sh", "bot.py"], ["bot.py"], [], []),
        (["python3", "", "x" * 10_000], [], [], []),
    ],
)
def test_the_first_path_of_a_command_is_the_bot_and_further_files_are_shown_alone(
    place: Path, command: list[str], own: list[str], files: list[str], folders: list[str]
) -> None:
    """A folder that is named after it is not: an argument may be anything."""
    club = place / "club"
    words = tuple(word.format(club=club) for word in command)
    named = named_by(BotCommand(words=words, directory=club))
    assert list(named.bot_paths) == [club / name for name in own]
    assert list(named.files) == [club / name for name in files]
    assert list(named.folders) == [str(club / name) for name in folders]


def test_a_bot_in_a_home_is_shown_alone(place: Path) -> None:
    """Nothing else of what its owner keeps there; the operator is told."""
    one = found(place, "python3", str(place / "home/bot.py"))
    assert [path for path in one.paths if path.is_relative_to(place)] == [place / "home/bot.py"]
    assert english(one.notes) == [
        f"sees only {place / 'home/bot.py'}, not the folder around it, which holds more than a bot; add `reads`"
    ]


def test_a_folder_too_large_to_be_looked_through_is_not_shown(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_walk, "MOST_ENTRIES", 1)
    assert shown(place, "engine/bot") == ["club/engine/bot"]


def test_a_command_that_names_a_run_or_a_credential_is_not_shown_it(place: Path) -> None:
    kept = HiddenPlaces(paths=(place / "elsewhere/weights.bin",))
    (place / "club/bo/link").symlink_to(place / "elsewhere/weights.bin")
    (place / "club/old-run/bot.py").touch()
    for word in (
        "old-run/secrets.json",
        "old-run/bot.py",
        "old-run",
        "../elsewhere/weights.bin",
        "bo/link",
    ):
        paths = shown(place, "engine/bot", word, kept=kept) + shown(
            place, "python3", word, kept=kept
        )
        assert not [path for path in paths if path.startswith(("club/old-run", "elsewhere"))], word


def test_what_a_tournament_file_adds_is_shown_without_the_runs_in_it(place: Path) -> None:
    kept = HiddenPlaces(bots=frozenset([place / "club/bo/bot.py"]))
    reads = (place / "club/deep", place / "elsewhere/weights.bin", place / "club/bo")
    assert shown(place, "engine/bot", reads=reads, kept=kept) == [
        "club/bo",
        "club/engine",
        "elsewhere/weights.bin",
        "club/deep/weights.bin",
    ]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("engine", None),
        ("../elsewhere/weights.bin", None),
        ("nothing", "there is no such file or folder"),
        ("..", "a bot needs far less than that"),  # the home is in it
        (".", "it holds runs or credentials"),
        ("new-run", "it holds runs or credentials"),
        ("old-run/secrets.json", "it holds runs or credentials"),
        ("bo.pem", "it holds runs or credentials"),
        ("eva.token", "that looks like a credential"),
        ("../home", "a bot needs far less than that"),
        ("/", "a bot needs far less than that"),
    ],
)
def test_what_may_not_be_added_is_an_operators_mistake(
    place: Path, name: str, problem: str | None
) -> None:
    (place / "club/new-run").mkdir()
    (place / "club/bo.pem").touch()
    kept = HiddenPlaces(paths=(place / "club/new-run", place / "club/bo.pem"))
    problems = [*reads_problems([name], place / "club", kept)]
    assert len(problems) == (problem is not None)
    assert problem is None or problem in say(problems[0])


def test_the_homes_of_users_and_folders_for_temporary_files_are_broad(tmp_path: Path) -> None:
    for broad in ("/", "/home", "/etc", "/tmp", "~", "~/.local", "~/.config"):
        assert system.is_broad(Path(os.path.expanduser(broad)))  # noqa: PTH111 - the test is about it
    assert not system.is_broad(tmp_path)
    assert not system.is_broad(Path.home() / "bots")


def test_the_systems_folders_for_libraries_are_shown(tmp_path: Path) -> None:
    (tmp_path / "ld.so.conf.d").mkdir()
    (tmp_path / "ld.so.conf").write_text("# ours\ninclude ld.so.conf.d/*.conf\n/opt/b\n")
    (tmp_path / "ld.so.conf.d/a.conf").write_text("/opt/a  # first\n/home\nrelative\n")
    assert list(library_folders(tmp_path / "ld.so.conf")) == [Path("/opt/a"), Path("/opt/b")]


def test_of_etc_only_what_runtimes_read_is_shown() -> None:
    shown = [str(path) for path in system_files()]
    assert not {
        "/etc",
        "/etc/passwd",
        "/etc/shadow",
        "/etc/ssl",
        "/var",
        "/home",
        "/root",
        "/opt",
    } & set(shown)
