"""Turns are read in the forms of other programs and of people; what may mean several turns is refused with them."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.games import GameError, Legal
from arena.games.tables.reading import PASSES, parse_moves
from tests.fixtures.drawn_boards import BACKGAMMON, VASA
from tests.games.test_properties import drawn, in_every_position

FORMS = [
    ("8/5(2) 6/5(2)", [(17, 20), (17, 20), (19, 20), (19, 20)]),  # GNU Backgammon, and the arena
    ("24/20*(2)", [(1, 5), (1, 5)]),
    ("24/20(2)*", [(1, 5), (1, 5)]),
    ("6/off(2)", [(19, 25), (19, 25)]),
    ("24/21 6/3(2) 24/21", [(1, 4), (19, 22), (19, 22), (1, 4)]),
    ("25/21 3/0", [(0, 4), (22, 25)]),  # the external player of GNU Backgammon
    ("8-5 6-5", [(17, 20), (19, 20)]),  # FIBS
    ("bar-21 3-off", [(0, 4), (22, 25)]),
    ("Bar/21 3/Off", [(0, 4), (22, 25)]),
    ("BAR/21, 3/OFF", [(0, 4), (22, 25)]),
    ("8/5,6/5", [(17, 20), (19, 20)]),
    ("8/5; 6/5", [(17, 20), (19, 20)]),
    ("8\u20135 6\u20135", [(17, 20), (19, 20)]),
    ("8->5 6->5", [(17, 20), (19, 20)]),
    ("24/18/13", [(1, 7), (7, 12)]),
    ("24/18*/13*", [(1, 7), (7, 12)]),
    ("bar/21/15", [(0, 4), (4, 10)]),
    ("24/20/16(2)", [(1, 5), (5, 9), (1, 5), (5, 9)]),
    ("6/5*/off", [(19, 20), (20, 25)]),
    ("8 5 6 5", [(17, 20), (19, 20)]),  # FIBS, in its oldest form
    ("24 18 18 13", [(1, 7), (7, 12)]),
    ("24 18 13", [(1, 7), (7, 12)]),
    ("bar 21 3 off", [(0, 4), (22, 25)]),
    ("24 18* 13 8", [(1, 7), (12, 17)]),
    ("24/18 bar/21, backgammon", [(1, 7), (0, 4)]),
]


@pytest.mark.parametrize(("text", "moves"), FORMS)
def test_a_turn_is_read_in_every_usual_form(text: str, moves: list[tuple[int, int]]) -> None:
    assert BACKGAMMON.parse_turn(text) == moves


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("0/5 24/25", [(0, 5), (24, 25)]),
        ("1/7*/9", [(1, 7), (7, 9)]),
        ("bar-5 1-7(2)", [(0, 5), (1, 7), (1, 7)]),
    ],
)
def test_in_brade_places_are_numbered_the_other_way(
    text: str, moves: list[tuple[int, int]]
) -> None:
    assert VASA.parse_turn(text) == moves


@pytest.mark.parametrize("text", [*sorted(PASSES), "Cannot Move", "can\u2019t  move", " PASS "])
def test_a_pass_has_many_words(text: str) -> None:
    assert parse_moves(text) == []


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(GameError) as caught:
        read()
    return str(caught.value)


def test_numbers_alone_that_may_be_one_checker_or_two_are_refused() -> None:
    """Four moves of doubles, cut short: nobody knows what is left out."""
    told = refusal(lambda: BACKGAMMON.parse_turn("24 20 16 12"))
    assert told == (
        "'24 20 16 12' can be read as 24/20 16/12; 24/20 20/16 16/12; write every step of each checker, as here"
    )
    assert BACKGAMMON.parse_turn("24 20 16 11") == [
        (1, 5),
        (9, 14),
    ]  # no roll has a 4 three times and a 5


# With the position and the dice: what is left out is filled in, where there is one way


def at(
    literal: str, dice: tuple[int, int], text: str, game: Any = BACKGAMMON
) -> list[tuple[int, ...]]:
    return [tuple(move) for move in game.parse_turn(text, game.parse_position(literal), dice)]


def test_a_checker_may_be_written_from_its_first_place_to_its_last() -> None:
    assert at("24:2 13:13 | opp 1:15", (6, 5), "24/13") in ([(1, 7), (7, 12)], [(1, 6), (6, 12)])
    assert at("24:2 13:13 | opp 1:15", (4, 4), "24/16(2)") == [(1, 5), (1, 5), (5, 9), (5, 9)]


def test_where_no_hit_is_written_none_is_meant() -> None:
    assert at("24:1 13:14 | opp 18:1 1:14", (6, 5), "24/13") == [(1, 6), (6, 12)]
    assert at("24:1 13:14 | opp 18:1 1:14", (6, 5), "24/18*/13") == [(1, 7), (7, 12)]


def test_a_hit_on_the_only_way_need_not_be_written() -> None:
    assert at("24:1 13:14 | opp 18:1 19:2 1:12", (6, 5), "24/13") == [(1, 7), (7, 12)]


def test_where_both_ways_hit_the_text_is_refused_with_both() -> None:
    told = refusal(lambda: at("24:1 13:14 | opp 18:1 19:1 1:13", (6, 5), "24/13"))
    assert "'24/13' can be read as 24/18* 18/13; 24/19* 19/13; write every step" in told


def test_any_order_is_taken_that_leads_to_one_result() -> None:
    """From the bar first (G4): who writes it last means the same."""
    assert sorted(at("bar:1 24:1 13:13 | opp 1:15", (6, 4), "24/18 bar/21")) == [(0, 4), (1, 7)]


def test_the_position_tells_what_bare_numbers_mean() -> None:
    two = "24:2 16:13 | opp 1:15"
    assert refusal(lambda: at("24:1 16:1 13:13 | opp 1:15", (4, 4), "24 20 16 12")).startswith(
        "'24 20 16 12' can be"
    )
    assert at(two, (4, 4), "24 20 20 16 16 12 12 8") == [(1, 5), (5, 9), (9, 13), (13, 17)]
    assert at("24:1 3:14 | opp 8:2 1:13", (4, 4), "24 20 16 12") == [(1, 5), (5, 9), (9, 13)]


def test_an_illegal_turn_is_given_as_it_is_written() -> None:
    """The referee says what is wrong with it."""
    assert at("24:2 13:13 | opp 1:15", (6, 5), "24/14") == [(1, 11)]


def written(game: Any, moves: Any) -> Iterator[str]:
    """A turn in forms of other programs that leave nothing out."""
    plain = game.format_turn(moves)
    numbers = ("25", "0") if game is BACKGAMMON else ("0", "25")
    yield plain.upper()
    yield plain.replace(" ", ", ").replace("/", "-")
    yield plain.replace("bar", numbers[0]).replace("off", numbers[1])
    if moves:
        yield " ".join(game.format_turn([move]) for move in moves)


def chained(game: Any, moves: Any) -> str:
    """The same with the moves of each checker in one chain."""
    chains: list[list[int]] = []
    for start, end in moves:
        for chain in chains:
            if chain[-1] == start:
                chain.append(end)
                break
        else:
            chains.append([start, end])
    names = [
        [game.format_turn([(start, 20)]).partition("/")[0] for start in chain[:-1]]
        for chain in chains
    ]
    lasts = [game.format_turn([(12, chain[-1])]).partition("/")[2] for chain in chains]
    return (
        " ".join("/".join([*starts, last]) for starts, last in zip(names, lasts, strict=True))
        or "pass"
    )


@in_every_position
def test_every_legal_turn_is_read_in_every_form(game, data):
    position, roll = drawn(game, data)
    for turn in game.legal_turns(position, roll):
        for text in written(game, turn.moves):
            assert [*map(list, game.parse_turn(text))] == [*map(list, turn.moves)]
            verdict = game.judge(position, roll, game.parse_turn(text, position, roll))
            assert (verdict.position, verdict.ending) == (turn.position, turn.ending)
        assert sorted(map(list, game.parse_turn(chained(game, turn.moves)))) == sorted(
            map(list, turn.moves)
        )


def shift(moves: Any) -> Counter[int]:
    """By how many checkers the moves change each place."""
    change = Counter(end for _, end in moves)
    change.subtract(start for start, _ in moves)
    return +change


@in_every_position
def test_a_chain_means_its_turn_or_is_refused_as_one_of_several(game, data):
    """Its moves may stand in an order in which they cannot be played; then those that lead to one result count."""
    position, roll = drawn(game, data)
    for turn in game.legal_turns(position, roll):
        text = chained(game, turn.moves)
        moves, refused = None, ""
        try:
            moves = game.parse_turn(text, position, roll)
        except GameError as error:
            refused = str(error)
        if moves is None:
            assert refused.startswith(f"'{text}' can be read as ")
        else:
            assert isinstance(game.judge(position, roll, moves), Legal)
            assert shift(moves) == shift(turn.moves)
