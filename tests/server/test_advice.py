"""What an operator is told to do when a program fails, or cannot be started at all."""

import os
import sys
from pathlib import Path

import pytest

from arena.server.programs.advice import advice
from arena.server.programs.bot_command import BotCommand
from arena.server.programs.start_problems import program_problems
from arena.words import Said, say
from tests.english import english

FOLDER = "give the bot folder = 'b2' (--set bot.NAME.folder=b2), and "


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a bot in a folder of its own."""
    for name in (
        "b2/run",
        "b2/bot.py",
        "b2/weights.txt",
        "b2/x.key",
        "deep/far.txt",
        "my bots/anna.py",
        "mine.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def command(place: Path, *words: str) -> BotCommand:
    return BotCommand(words=words, directory=place)


@pytest.mark.parametrize(
    "said",
    [
        "FileNotFoundError: [Errno 2] No such file or directory: 'weights.txt'",
        "Error: ENOENT: no such file or directory, open 'weights.txt'",
        "panic: open weights.txt: no such file or directory",
        'Exception in thread "main" java.io.FileNotFoundException: weights.txt (No such file or directory)',
        "bot.rb:1:in `open': No such file or directory @ rb_sysopen - weights.txt (Errno::ENOENT)",
        "cat: weights.txt: No such file or directory",
    ],
    ids=["Python", "Node", "Go", "Java", "Ruby", "shell"],
)
def test_a_file_beside_the_script_is_told_with_the_field_that_names_the_folder(
    said: str, place: Path
) -> None:
    found = say(advice(said, command(place, sys.executable, "b2/bot.py", "--fast")))
    where = "weights.txt is beside b2/bot.py, but a bot starts in the folder in which the arena was started"
    assert found == f"{where}; {FOLDER}write its command from there: python bot.py --fast"
    given = BotCommand(words=(sys.executable, "bot.py"), directory=place / "b2", has_folder=True)
    assert advice(said, given) is None
    assert (
        advice(said.replace("weights", "nothing"), command(place, "python3", "b2/bot.py")) is None
    )


@pytest.mark.parametrize(
    "said", ["sh: 1: cd: can't cd to b2", "bash: line 1: cd: b2: No such file or directory"]
)
def test_a_shell_that_cannot_go_to_a_folder_is_told_the_field_as_well(
    said: str, place: Path
) -> None:
    found = say(advice(said, command(place, "sh", "-c", "cd b2; exec python bot.py")))
    assert found == f"the bot does not see the folder b2; {FOLDER}a command without cd"


@pytest.mark.parametrize(
    ("said", "way", "told"),
    [
        ("OSError: [Errno 30] Read-only file system: 'log.txt'", "bubblewrap", "writes"),
        ("Error: EROFS: read-only file system, open 'x.log'", "bubblewrap", "writes"),
        ("PermissionError: [Errno 13] Permission denied: 'log.txt'", "landlock_filter", "writes"),
        ("PermissionError: [Errno 13] Permission denied: 'b2/weights.txt'", "landlock", "writes"),
        ("OSError: [Errno 101] Network is unreachable", "bubblewrap", "no_network"),
        (
            "<urlopen error [Errno -3] Temporary failure in name resolution>",
            "bubblewrap",
            "no_network",
        ),
        ("Error: getaddrinfo ENOTFOUND example.com", "bubblewrap", "no_network"),
        ("ConnectionRefusedError: [Errno 111] Connection refused", "bubblewrap", "no_network"),
        (
            "  sock = socket(af)\nPermissionError: [Errno 1] Operation not permitted",
            "landlock_filter",
            "no_network",
        ),
        ("PermissionError: [Errno 1] Operation not permitted: 'b2/bot.py'", "landlock_filter", ""),
    ],
)
def test_what_containment_keeps_from_a_program_is_told_with_what_to_do(
    said: str, way: str, told: str, place: Path
) -> None:
    expected = Said(f"advice.{told}") if told else None
    assert advice(said, command(place, "python3", "b2/bot.py"), way) == expected  # type: ignore[arg-type]
    assert advice(said, command(place, "python3", "b2/bot.py"), "none") is None


def test_a_file_that_is_not_shown_is_told_with_the_field_that_shows_it(place: Path) -> None:
    for said, way in (
        ("FileNotFoundError: [Errno 2] No such file or directory: '{}'", "bubblewrap"),
        ("PermissionError: [Errno 13] Permission denied: '{}'", "landlock_filter"),
    ):
        far = said.format(place / "deep/far.txt")
        assert f'reads = ["{place / "deep/far.txt"}"]' in say(
            advice(far, command(place, "python3", "b2/bot.py"), way)
        )  # type: ignore[arg-type]
    given = BotCommand(words=(sys.executable, "bot.py"), directory=place / "b2", has_folder=True)
    from_there = "FileNotFoundError: [Errno 2] No such file or directory: '../deep/far.txt'"
    assert f'reads = ["{place / "deep/far.txt"}"]' in say(advice(from_there, given, "bubblewrap"))
    hidden = "PermissionError: [Errno 13] Permission denied: 'x.key'"
    assert say(advice(hidden, given, "bubblewrap")).startswith(
        "x.key is hidden from the bot, because its name looks like that of a"
    )


def problem(place: Path, *words: str) -> str:
    """What keeps the program of a command from being started; empty if nothing does."""
    return "; ".join(english(program_problems({"a": command(place, *words)})))


@pytest.mark.slow
def test_what_only_a_shell_knows_is_told_with_what_to_write(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv(
        "PATH", str(Path(sys.executable).parent), prepend=os.pathsep
    )  # as commands of the arena do
    cd = "bot a: there is no program 'cd', since no shell reads the command; give folder = 'b2' "
    for words in (["cd", "b2", "&&", "python", "bot.py"], ["cd", "b2;", "python", "bot.py"]):
        assert (
            problem(place, *words) == f"{cd}(--set bot.a.folder=b2) and the command 'python bot.py'"
        )
    assert problem(place, "cd").startswith("bot a: there is no program 'cd'")
    assert problem(place, "python", "~/mine.py").endswith(
        f"a ~ is not replaced here, write {place}/mine.py"
    )
    assert problem(place, "b2/run", "~/mine.py") == problem(place, "b2/run"), (
        "an argument may be anything"
    )
    assert problem(place, "~/run").endswith(f"a ~ is not replaced here, write {place}/run")
    for words in (
        ["python", "my", "bots/anna.py"],
        ["env", "A=1", "python", "my", "bots/anna.py", "-v"],
    ):
        assert problem(place, *words) == (
            "bot a: 'my bots/anna.py' is one path; put it in quotes within the command: 'my bots/anna.py'"
        )
    assert problem(place, "python", "my bots/anna.py", "-v", "b2") == ""
    assert problem(place, "python", *["x"] * 10_000) == ""


def test_an_interpreter_that_says_its_own_name_is_not_what_is_hidden(place: Path) -> None:
    missing = place / "none.py"
    said = f"{sys.executable}: can't open file '{missing}': [Errno 2] No such file or directory"
    assert advice(said, command(place, sys.executable, "none.py"), "bubblewrap") is None
    hidden = place / "deep" / "far.txt"
    said = f"{sys.executable}: can't open file '{hidden}': [Errno 2] No such file or directory"
    assert "far.txt" in say(advice(said, command(place, sys.executable, "mine.py"), "bubblewrap"))


def test_a_script_from_windows_is_told_its_line_ends(place: Path) -> None:
    (place / "bot").write_bytes(b"#!/usr/bin/env python3\r\nprint()\r\n")
    (place / "bot").chmod(0o755)
    assert problem(place, "./bot") == (
        "bot a: the first line of './bot' ends as in Windows (CRLF), so its interpreter is not found; "
        "sed -i 's/\\r$//' ./bot"
    )
    (place / "bot").write_bytes(b"#!/usr/bin/env python3\nprint()\r\n")
    assert problem(place, "./bot") == ""
