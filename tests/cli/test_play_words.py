"""Playing on a terminal, in English and in Swedish."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from arena.cli import main
from arena.cli.play import terminal
from arena.cli.play.terminal import COMMANDS, command_of, turn_words
from arena.cli.shared.output import language_of
from arena.games import load_game
from arena.games.interface import text_of
from arena.person.told import GameOver
from arena.words import Said, say

SOURCE = ast.parse(Path(terminal.__file__).read_text(encoding="utf-8"))


@pytest.fixture
def swedish() -> Iterator[None]:
    with click.Context(main, obj="sv"):
        yield


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


@pytest.mark.usefixtures("swedish")
def test_every_command_of_the_swedish_help_is_understood() -> None:
    lines = [say(Said(f"help.{line}"), "sv") for line in terminal.HELP]
    typed = [found[1] for line in lines if (found := re.match(r"  (\S+(?: upp)?(?:, \S+)?)  ", line))]
    words = [word for one in typed for word in one.split(", ") if word.isalpha() or word == "ge upp"]
    assert {command_of(word.upper()) for word in words} == {
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
    assert "X hemma 0" in drawn
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
        ("won", "single_crown", "spel 2 är slut: du vinner genom enkelt kronspel med munk, 3 poäng (B8.2)"),
        ("lost", "jan", "spel 2 är slut: du förlorar genom jan med munk, 3 poäng (B8.2)"),
        ("won", "forfeit", "spel 2 är slut: du vinner utan avgörande på brädet, 3 poäng (B8.2)"),
        ("lost", "forfeit", "spel 2 är slut: du förlorar utan avgörande på brädet, 3 poäng (B8.2)"),
        ("drawn", "agreement", "spel 2 är slut: ingen vinner, genom överenskommelse med munk, 3 poäng (B8.2)"),
    ],
)
@pytest.mark.usefixtures("swedish")
def test_the_end_of_a_game_is_told_in_swedish(result: str, ending: str, said: str) -> None:
    over = GameOver(number=2, result=result, ending=ending, clause="B8.2", monk=True, points=3, score=(3, 0))
    table: Any = terminal._Table(None, None, None)  # type: ignore[arg-type]  # only words are asked for
    assert table._game_words(over).split("\n")[1] == said
