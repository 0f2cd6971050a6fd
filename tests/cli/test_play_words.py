"""Playing on a terminal, in English and in Swedish."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from arena.cli.play import terminal
from arena.cli.play.help import HELP
from arena.cli.play.swedish import COMMANDS, SWEDISH
from arena.cli.play.words import TerminalWords, language_of
from arena.games import load_game
from arena.games.interface import text_of
from arena.person.told import GameOver

PLACE = re.compile(r"\{(\w+)\}")
SOURCE = ast.parse(Path(terminal.__file__).read_text(encoding="utf-8"))


def said() -> set[str]:
    """The first argument of every call of `say`; a name in it is that of a constant, or of a literal just before."""
    names = {
        node.targets[0].id: node.value.value
        for node in ast.walk(SOURCE)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
    } | {"HELP": HELP}
    found = set()
    for node in ast.walk(SOURCE):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("say"):
            first = node.args[0]
            found.add(first.value if isinstance(first, ast.Constant) else names[ast.unparse(first)])
    return found


def test_every_word_of_the_terminal_has_its_swedish_and_none_is_left_over() -> None:
    assert said() == SWEDISH.keys()
    for english, words in SWEDISH.items():
        assert set(PLACE.findall(words)) == set(PLACE.findall(english))


def test_nothing_is_printed_beside_the_catalogue() -> None:
    """Whatever `click.echo` prints comes from `say` or `told`: no words of its own."""
    through = {
        id(each)
        for node in ast.walk(SOURCE)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("say", "told"))
        for each in ast.walk(node)
    }
    for node in ast.walk(SOURCE):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "click.echo":
            own = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and id(each) not in through]
            assert not [text for text in own if isinstance(text, str) and re.search(r"[a-z]{2}", text)], ast.unparse(
                node
            )


def test_every_command_of_the_swedish_help_is_understood() -> None:
    swedish, english = TerminalWords("sv"), TerminalWords("en")
    typed = re.findall(r"^  (\S+(?: upp)?(?:, \S+)?)  ", SWEDISH[HELP], re.MULTILINE)
    words = [word for one in typed for word in one.split(", ") if word.isalpha() or word == "ge upp"]
    assert {swedish.command(word.upper()) for word in words} == {
        "enter",
        "undo",
        "hint",
        "one",
        "two",
        "draw",
        "accept",
        "board",
        "resign",
        "help",
    }
    assert {swedish.command(word) for word in COMMANDS.values()} == set(COMMANDS.values())
    assert english.command("Help") == "help"
    assert english.command("hjälp") == "hjälp"


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
    assert language_of(environment) == language


def test_a_drawn_board_has_swedish_labels() -> None:
    words, fiske, brandubh = TerminalWords("sv"), load_game("fiske"), load_game("brandubh-1")
    drawn = text_of(words.board([*fiske.picture(fiske.parse_position("12:2 24:13 | opp 13:15"))]))
    assert "X hemma 0" in drawn
    assert re.search(r"O (upplåst|låst), X låst", drawn)
    one_die = load_game("classic", ["one_die"])
    drawn = text_of(words.board([*one_die.picture(one_die.parse_position("1:15 one-die:2 | opp 13:15"))]))
    assert "O kastar en tärning 2 gånger till" in drawn
    assert text_of(words.board([*brandubh.picture(brandubh.start())])).endswith("Svart är i tur")


def test_turns_and_numbers_are_told_in_swedish() -> None:
    words = TerminalWords("sv")
    assert words.turn("bar/5** 1/7, forced jan") == "bar/5** 1/7, sprängjan"
    assert words.turn("pass") == "pass"
    assert words.decimal(0.5, "+.2f") == "+0,50"
    assert TerminalWords("en").decimal(0.5) == "0.50"


@pytest.mark.parametrize(
    ("result", "ending", "said"),
    [
        ("won", "single_crown", "spel 2 är slut: du vinner genom enkelt kronspel med munk, 3 poäng (B8.2)"),
        ("lost", "jan", "spel 2 är slut: du förlorar genom jan med munk, 3 poäng (B8.2)"),
        ("won", "forfeit", "spel 2 är slut: du vinner utan avgörande på brädet, 3 poäng (B8.2)"),
        ("lost", "forfeit", "spel 2 är slut: du förlorar utan avgörande på brädet, 3 poäng (B8.2)"),
        ("drawn", "agreement", "spel 2 är slut: ingen vinner, genom överenskommelse med munk, 3 poäng (B8.2)"),
    ],
)
def test_the_end_of_a_game_is_told_in_swedish(result: str, ending: str, said: str) -> None:
    over = GameOver(number=2, result=result, ending=ending, clause="B8.2", monk=True, points=3, score=(3, 0))
    table: Any = terminal._Table(None, None, None, TerminalWords("sv"))  # type: ignore[arg-type]  # only words are asked for
    assert table._game_words(over).split("\n")[1] == said
