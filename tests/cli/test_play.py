"""`arena play`: what is refused, and a match on a terminal, in English and in Swedish."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.cli.play import terminal
from arena.cli.play.terminal import COMMANDS, command_of, turn_words
from arena.cli.shared.language import language_of
from arena.games import load_game
from arena.games.interface import text_of
from arena.person.told import GameOver
from arena.words import Said, say
from tests.fixtures.typing_person import Typing
from tests.processes import await_true


def test_a_run_that_is_no_match_of_a_person_is_not_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "tournament.toml").write_text(
        '[[bot]]\nname = "a"\ncommand = "x"\n[[bot]]\nname = "b"\ncommand = "x"\n', encoding="utf-8"
    )
    found = CliRunner().invoke(main, ["play", str(tmp_path), "--terminal"])
    assert "is not a match of a person against one opponent; arena run goes on with it" in " ".join(
        found.stderr.split()
    )


@pytest.mark.slow
def test_a_match_on_a_terminal_from_the_first_roll_to_resignation(tmp_path: Path) -> None:
    match = Typing(tmp_path, "random", "--out", "run")
    match.until("help shows what you can type\n")
    prompt = match.until("you roll ")
    dice = match.until(": ").removesuffix(": ")
    match.type("24/1")
    assert re.search(r"no: 24/1 is not a move: .* \(B3\.1\)", match.until(f"you roll {dice}: "))
    match.type("?")
    legal = re.findall(r"^  (\S+/\S+.*)$", match.until(f"you roll {dice}: "), re.MULTILINE)
    assert legal
    match.type(legal[0])
    match.until("; Enter plays it: ")
    match.type("undo")
    match.until(" left: ", f"you roll {dice}: ")
    match.type("resign")
    match.until("yes resigns: ")
    match.type("yes")
    assert "you have resigned" in match.until()
    assert match.process.wait(90) == 0
    match.close()
    assert "│" in prompt  # the board
    verified = subprocess.run(
        [sys.executable, "-m", "arena", "verify", "run"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert verified.returncode == 0


@pytest.mark.slow
def test_a_match_on_a_terminal_is_gone_on_with(tmp_path: Path) -> None:
    match = Typing(tmp_path, "random", "--out", "run")
    match.until("you roll ")
    dice = match.until(": ")
    match.process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
    match.until()
    assert match.process.wait(60) == 130
    assert b"go on with: arena play run --terminal" in match.process.stderr.read()  # type: ignore[union-attr]
    match.close()
    again = Typing(tmp_path, "run", language="sv")
    again.until("du kastar ")
    assert again.until(": ") == dice
    again.type("24/1")
    assert "nej: 24/1 är inget drag: brickor går framåt" in again.until(f"du kastar {dice}")
    again.type("ge upp")
    again.until("ja ger upp: ")
    again.type("ja")
    assert "du har gett upp" in again.until()
    assert again.process.wait(90) == 0
    again.close()


@pytest.mark.slow
def test_between_two_games_enter_begins_the_next_one(tmp_path: Path) -> None:
    """The first game is lost on time, which the terminal tells of with the next line that is typed."""
    match = Typing(
        tmp_path,
        "random",
        "--out",
        "run",
        "--set",
        "clock.bank_ms=2000",
        "--set",
        "clock.delay_ms=0",
    )
    turn_or_break = ("you roll ", " min: ")
    match.until(*turn_or_break)  # on a busy machine the game is lost before its board is shown
    [record] = (tmp_path / "run" / "matches").iterdir()
    await_true(lambda: '"event":"game_ended"' in record.read_text(encoding="utf-8"), seconds=60)
    while match.said.endswith("you roll "):  # the record knows of the loss before the terminal does
        match.until(": ")
        match.type("board")
        match.until(*turn_or_break)
    assert re.search(r"Enter begins game 2; it begins by itself in +\d+:\d\d min: $", match.said)
    assert '"event":"break_ended"' not in record.read_text(encoding="utf-8")
    match.type("help")
    match.until("no: this is the break between two games; first say that you are ready\n")
    match.until(" min: ")
    match.type("")
    match.until(": ")
    assert '"event":"break_ended"' in record.read_text(encoding="utf-8")
    match.close()


SOURCE = ast.parse(Path(terminal.__file__).read_text(encoding="utf-8"))


@pytest.fixture
def swedish() -> Iterator[None]:
    with click.Context(main, obj="sv") as context:
        context.invoked_subcommand = "play"
        yield


def test_nothing_is_printed_beside_the_catalogue() -> None:
    """Whatever `click.echo` prints comes from `say` or `translate`: no words of its own."""
    through = {
        id(each)
        for node in ast.walk(SOURCE)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("say", "translate"))
        for each in ast.walk(node)
    }
    for node in ast.walk(SOURCE):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "click.echo":
            own = [
                each.value
                for each in ast.walk(node)
                if isinstance(each, ast.Constant) and id(each) not in through
            ]
            assert not [
                text for text in own if isinstance(text, str) and re.search(r"[a-z]{2}", text)
            ], ast.unparse(node)


@pytest.mark.usefixtures("swedish")
def test_every_command_of_the_swedish_help_is_understood() -> None:
    lines = [say(Said(f"help.{line}"), "sv") for line in terminal.HELP]
    typed = [
        found[1] for line in lines if (found := re.match(r"  (\S+(?: upp)?(?:, \S+)?)  ", line))
    ]
    words = [
        word for one in typed for word in one.split(", ") if word.isalpha() or word == "ge upp"
    ]
    english = "enter undo hint one two draw accept board resign help"
    assert {command_of(word.upper()) for word in words} == set(english.split())
    assert {command_of(word) for word in COMMANDS.values()} == set(COMMANDS.values())


def test_swedish_commands_are_for_swedish_alone() -> None:
    with click.Context(main, obj="en"):
        assert command_of("Help") == "help"
        assert command_of("hjälp") == "hjälp"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "sv_SE.UTF-8"}, "sv"),
        ({"LANG": "sv_SE.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "C", "LC_MESSAGES": "sv"}, "sv"),
        ({"LC_ALL": "C.UTF-8", "LANG": "sv_SE.UTF-8"}, "en"),
        ({"LC_ALL": "", "LANG": "sv_FI"}, "sv"),
        ({"LANG": "svx"}, "en"),
    ],
)
def test_the_language_is_that_of_the_locale(environment: dict[str, str], language: str) -> None:
    """LC_ALL before LC_MESSAGES before LANG, an empty one is none."""
    assert language_of(environment) == language


def test_a_drawn_board_has_swedish_labels() -> None:
    fiske, brandubh = load_game("fiske"), load_game("brandubh-1")
    drawn = text_of(fiske.picture(fiske.parse_position("12:2 24:13 | opp 13:15")), "sv")
    assert "X hemtagna 0" in drawn
    assert re.search(r"O (upplåst|låst), X låst", drawn)
    one_die = load_game("classic", ["one_die"])
    drawn = text_of(one_die.picture(one_die.parse_position("1:15 one-die:2 | opp 13:15")), "sv")
    assert "O kastar en tärning 2 gånger till" in drawn
    assert text_of(brandubh.picture(brandubh.start()), "sv").endswith("Svart är i tur")


@pytest.mark.usefixtures("swedish")
def test_turns_are_told_in_swedish() -> None:
    assert turn_words("bar/5** 1/7, forced jan") == "bar/5** 1/7, sprängjan"
    assert turn_words("pass") == "pass"


@pytest.mark.parametrize(
    ("result", "ending", "said"),
    [
        (
            "won",
            "single_crown",
            "spel 2 är slut: du vinner genom enkelt kronspel med munk, 3 poäng (B8.2)",
        ),
        ("lost", "jan", "spel 2 är slut: du förlorar genom jan med munk, 3 poäng (B8.2)"),
        ("won", "forfeit", "spel 2 är slut: du vinner vid sidan av brädet, 3 poäng (B8.2)"),
        ("lost", "forfeit", "spel 2 är slut: du förlorar vid sidan av brädet, 3 poäng (B8.2)"),
        (
            "drawn",
            "agreement",
            "spel 2 är slut: ingen vinner, genom överenskommelse med munk, 3 poäng (B8.2)",
        ),
    ],
)
@pytest.mark.usefixtures("swedish")
def test_the_end_of_a_game_is_told_in_swedish(result: str, ending: str, said: str) -> None:
    over = GameOver(
        number=2, result=result, ending=ending, clause="B8.2", monk=True, points=3, score=(3, 0)
    )
    table: Any = terminal._Table(None, None, None)  # type: ignore[arg-type]  # only words are asked for
    assert table._game_words(over).split("\n")[1] == said
