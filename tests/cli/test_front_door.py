"""The front door: help texts, the list of commands, completion, pages, and what wrong words get."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli import COMMANDS
from arena.cli.completion import SHELLS
from arena.shipped import shipped
from tests.fixtures.command_line import Arena

ROOT = Path(__file__).parents[2]


def test_help_lists_every_command_below_a_heading_in_a_whole_sentence(arena: Arena) -> None:
    shown = arena("--help").stdout
    headings = [shown.index(f"\n{heading}:\n") for heading in COMMANDS]
    assert headings == sorted(headings)
    assert list(COMMANDS)[:3] == ["Play", "Look at a run", "Bots"]
    assert "..." not in shown.partition("Play:")[2]
    last_words = re.sub(r"\n {6,}", " ", shown.partition("Play:")[2])
    sentences = [line for line in last_words.splitlines() if line.startswith("  ")]
    assert len(sentences) == sum(map(len, COMMANDS.values()))
    assert all(line.endswith(".") for line in sentences)


def test_every_module_of_a_command_is_listed() -> None:
    folder = ROOT / "arena" / "cli"
    there = {
        path.stem
        for path in folder.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert {name for names in COMMANDS.values() for name in names} == there - {
        "__init__",
        "shared",
        "__pycache__",
    }


@pytest.mark.parametrize("words", [(), ("run",), ("rules",), ("rules", "turns"), ("help",)])
def test_help_with_a_command_prints_what_its_option_help_prints(
    arena: Arena, words: tuple[str, ...]
) -> None:
    result = arena("help", *words)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == arena(*words, "--help").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ruun",), "there is no command 'arena ruun'; did you mean 'run'?"),
        (("standing", "my-run"), "did you mean 'standings'?"),
        (("rules", "turn"), "there is no command 'arena rules turn'; did you mean 'turns'?"),
        (("help", "raport"), "did you mean 'report'?"),
        (("help", "rules", "jugde"), "did you mean 'judge'?"),
        (("help", "run", "fast"), "'arena run' has no commands below it, found 'fast'"),
        (("zzz",), "the commands are run,"),
        (("docs", "rulez"), "did you mean 'rules'?"),
        (("docs", "zzz"), "`arena docs` lists the pages"),
        (("completion", "tcsh"), "'bash', 'zsh', 'fish'"),
    ],
)
def test_a_slip_gets_the_nearest_name(arena: Arena, words: tuple[str, ...], message: str) -> None:
    result = arena(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_version_tells_which_python_has_the_kit(arena: Arena) -> None:
    lines = arena("version").stdout.splitlines()
    assert lines[0] == arena("--version").stdout.strip()
    assert lines[0].startswith("arena 0.")
    assert lines[1:] == [
        "protocol 1",
        f"Python {'.'.join(map(str, sys.version_info[:3]))}, {sys.executable}",
    ]


def test_docs_lists_every_page_where_it_lies(arena: Arena) -> None:
    folder, empty, *lines = arena("docs").stdout.splitlines()
    assert empty == ""
    assert {Path(folder) / f"{line.split()[0]}.md" for line in lines} == set(
        shipped("docs").glob("*.md")
    )
    assert re.search(r"^your-first-bot +Your first bot$", "\n".join(lines), re.MULTILINE)


@pytest.mark.parametrize("name", ["rules", "rules.md", "docs/rules.md", "docs/rules.md#landing"])
def test_docs_prints_a_page_by_any_name_that_messages_use(arena: Arena, name: str) -> None:
    assert arena("docs", name).stdout == (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")


def test_a_page_is_printed_without_notes_to_the_tests(arena: Arena) -> None:
    page = (ROOT / "docs" / "examination.md").read_text(encoding="utf-8")
    assert "<!-- not run" in page
    printed = arena("docs", "examination").stdout
    assert "<!--" not in printed
    assert printed.splitlines()[-1] == page.splitlines()[-1]


def test_every_page_that_a_help_text_names_is_one_of_docs(arena: Arena) -> None:
    for names in COMMANDS.values():
        for name in names:
            for page in re.findall(r"docs/[\w-]+\.md", arena(name, "--help").stdout):
                assert arena("docs", page).exit_code == 0, (name, page)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_shell_asks_the_arena(arena: Arena, shell: str) -> None:
    script = arena("completion", shell).stdout
    assert f"_ARENA_COMPLETE={shell}_complete" in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is missing")
def test_bash_completes_commands_and_options() -> None:
    bin_folder = Path(sys.executable).parent
    typed = f"""
    PATH={bin_folder}:$PATH; source <(arena completion bash)
    completed() {{ COMPREPLY=(); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _arena_completion arena; echo "${{COMPREPLY[@]}}"; }}
    completed arena sta; completed arena rules tu; completed arena rules turns --he
    """
    done = subprocess.run(["bash", "-c", typed], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["standings stats", "turns", "--help"]


def test_an_arena_without_the_protocol_says_how_to_get_it_back(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot kit brings the same package, and takes it away when it is uninstalled."""
    monkeypatch.setitem(sys.modules, "protocol.fields", None)
    result = arena("version")
    assert result.exit_code == 1
    assert "pip install --force-reinstall --no-deps ." in result.stderr
