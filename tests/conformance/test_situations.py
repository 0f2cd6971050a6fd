"""The situations of `arena check`: what they put to a bot, and the part of docs that explains each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.conformance.situation import Situation
from arena.conformance.situations import situations
from arena.games import Game, load_game, ruleset_names
from protocol.messages import Turn

GAMES = [load_game(name) for name in ruleset_names()]
GAMES += [load_game("classic", ["one_die"]), load_game("classic", ["double_six"])]
TABLES = [game for game in GAMES if game.dice_to_roll(game.start())]
PAGES = sorted((Path(__file__).parents[2] / "docs").glob("protocol*.md"))


def by_name(game: Game) -> dict[str, Situation]:
    return {one.name: one for one in situations(game)}


def turns(situation: Situation) -> Iterator[Turn]:
    for connection in situation.connections:
        for words in connection:
            yield from (message for message in words.messages if isinstance(message, Turn))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_situation_can_be_told_from_the_others_and_looked_up(game: Game) -> None:
    anchors = {
        page.name + "#" + re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
        for page in PAGES
        for title in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    found = situations(game)
    assert len({one.name for one in found}) == len(found)
    assert {one.section for one in found} <= anchors
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", one.name) for one in found)


@pytest.mark.parametrize("game", TABLES, ids=lambda game: game.name)
def test_the_positions_show_what_they_are_named_for(game: Game) -> None:
    named = by_name(game)
    legal = {name: next(turns(named[name])).legal for name in ("entering", "forced-pass", "doubles", "bearing-off")}
    assert len(legal["entering"]) > 1
    assert all(any(move[0] == 0 for move in moves) for moves in legal["entering"])
    assert legal["forced-pass"] == [[]]
    assert len(legal["doubles"]) > 1
    assert all(len(moves) == 4 for moves in legal["doubles"])
    assert any(move[1] == 25 for moves in legal["bearing-off"] for move in moves)


@pytest.mark.parametrize(("option", "name"), [("one_die", "call"), ("double_six", "double-six")])
def test_options_have_situations_of_their_own(option: str, name: str) -> None:
    named = by_name(load_game("classic", [option]))
    assert name in named
    assert name not in by_name(load_game("classic"))
    if name == "double-six":
        assert 6 in {len(moves) for moves in next(turns(named[name])).legal}


def test_draws_are_offered_where_they_can_be_agreed_on() -> None:
    assert next(turns(by_name(load_game("brandubh-1"))["draw-offered"])).draw_offered
    assert "draw-offered" not in by_name(load_game("vasa"))
