"""What holds in every position and for every roll."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import Game, Legal
from arena.games.tables.notation import format_moves
from arena.games.tables.position import from_state
from arena.games.tables.reading import parse_moves
from tests.examples import tries
from tests.fixtures.drawn_boards import (
    BACKGAMMON,
    CLASSIC,
    DOUBLE_SIX,
    EASY_REENTRY,
    FISKE,
    ONE_DIE,
    VASA,
)
from tests.fixtures.plain_rules import reference_rules
from tests.reference.positions import problems

pytestmark = (
    pytest.mark.unmeasured
)  # it would take three times as long, and covers nothing that others do not

GAMES = [VASA, CLASSIC, EASY_REENTRY, DOUBLE_SIX, ONE_DIE, FISKE, BACKGAMMON]
BAR, OFF = 0, 25
STACK_POINT = 7
STACK_MADE = DOUBLE_SIX.parse_position("1:15 | opp 13:9 19:6")
in_every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
many = tries(15)


def in_every_position(test: Callable[..., None]) -> Callable[..., None]:
    """Try a test in every game, on positions that it draws from `data`."""
    return in_every_game(many(given(data=st.data())(test)))


die = st.integers(1, 6)
two_dice = st.tuples(die, die)
one_die = st.tuples(die)
anywhere = st.one_of(st.integers(BAR, OFF), st.sampled_from([BAR, 1, 12, 24, OFF]))
bearing_off = st.integers(19, OFF)
nearly_done = st.sampled_from([20, 22, 24, OFF, OFF, OFF, OFF, OFF])
hard_pressed = st.sampled_from([BAR, BAR, 2, 3, 4, 5, 6, 13, 24])
places = st.sampled_from([anywhere, anywhere, bearing_off, nearly_done, hard_pressed])


def opposite(game: Game, point: int) -> int:
    return 25 - point if game is BACKGAMMON else (point + 11) % 24 + 1


@st.composite
def positions(draw: Callable[..., Any], game: Game) -> Any:
    """A position that can come about: the mover's checkers where they fall, the opponent's on what is left."""
    if game is DOUBLE_SIX and not draw(st.integers(0, 5)):
        return draw(st.sampled_from([game.start(), STACK_MADE]))
    mine, theirs = [0] * 26, [0] * 26
    stacks = draw(st.tuples(st.booleans(), st.booleans())) if game is DOUBLE_SIX else (False, False)
    for own, other, stack in ((mine, theirs, stacks[0]), (theirs, mine, stacks[1])):
        wished = draw(st.lists(draw(places), min_size=15, max_size=15))
        if stack:
            wished[:6] = [STACK_POINT] * draw(st.integers(2, 6))
        for wanted in wished:
            may_join = (
                not 2 <= wanted <= 11 or game is BACKGAMMON or (stack and wanted == STACK_POINT)
            )
            on_board = 1 <= wanted <= 24
            is_taken = on_board and (
                other[opposite(game, wanted)] or (own[wanted] and not may_join)
            )
            own[OFF if is_taken else wanted] += 1
        own[OFF] += 15 - sum(own)
        while game.ruleset["jan"] and own[BAR] > own[1:7].count(0):  # else the side had lost (B9.1)
            own[BAR] -= 1
            own[OFF] += 1
        if own[OFF] == 15:  # else the side had won (B7.7)
            own[OFF], own[BAR] = 14, 1
    plain = {
        "points": [mine[p] - theirs[opposite(game, p)] for p in range(1, 25)],
        "bar": [mine[BAR], theirs[BAR]],
        "off": [mine[OFF], theirs[OFF]],
    }
    if game is FISKE:
        plain["unlocked"] = [mine[12] > 0 or draw(st.booleans()), theirs[12] > 0]
    if game is DOUBLE_SIX:
        plain["stack"] = [mine[STACK_POINT] > 1, theirs[STACK_POINT] > 1]
    if game is ONE_DIE:
        plain["one_die"] = draw(st.lists(st.integers(0, 6), min_size=2, max_size=2))
    if problems(reference_rules(game), plain):
        return game.start()
    return game.from_plain(plain)


@st.composite
def rolls(draw: Callable[..., Any], game: Game, position: Any) -> Any:
    """A roll that can come here; 6-6 often enough where it could be a first one (B11.1)."""
    if game.dice_to_roll(position) == 1 or (game.dice_to_call(position) and draw(st.booleans())):
        return draw(one_die)
    is_first = game is DOUBLE_SIX and game.to_plain(position)["points"][0] == 15
    return (6, 6) if is_first and draw(st.booleans()) else draw(two_dice)


def drawn(game: Game, data: Any) -> tuple[Any, Any]:
    position = data.draw(positions(game))
    return position, data.draw(rolls(game, position))


def checkers(game: Game, position: Any) -> tuple[int, int]:
    """How many checkers each side has, bar and off included."""
    plain = game.to_plain(position)
    on_points = [
        sum(n for n in plain["points"] if n > 0),
        -sum(n for n in plain["points"] if n < 0),
    ]
    return tuple(on_points[side] + plain["bar"][side] + plain["off"][side] for side in (0, 1))


def what_follows(turn: Any) -> tuple[Any, Any]:
    return turn.position, turn.ending


@in_every_position
def test_checkers_are_conserved(game, data):
    position, roll = drawn(game, data)
    bar = game.to_plain(position)["bar"][0]
    for turn in game.legal_turns(position, roll):
        assert checkers(game, turn.position) == (15, 15)
        assert game.to_plain(turn.position)["bar"][0] <= bar


@in_every_position
def test_no_legal_turn_that_goes_on_uses_fewer_dice_than_another(game, data):
    """B3.3: all turns that do not win use one number of dice, and no turn uses more; in backgammon winning ones too.

    The six-checker turn of B11.1 is exempt.
    """
    position, roll = drawn(game, data)
    turns = [turn for turn in game.legal_turns(position, roll) if len(turn.moves) != 6]
    used = max(len(turn.moves) for turn in turns)
    assert all(
        len(turn.moves) == used for turn in turns if turn.ending is None or game is BACKGAMMON
    )
    assert used <= (4 if roll in {(number, number) for number in range(1, 7)} else len(roll))


@in_every_position
def test_the_states_and_endings_for_looking_ahead_are_those_of_the_turns(game, data):
    """`states_and_endings` has a state or an ending for each turn, in the same order, without its moves."""
    position, roll = drawn(game, data)
    turns = game.legal_turns(position, roll)
    states, endings = turns.states_and_endings()
    assert states == [turn.position.state for turn in turns if turn.ending is None]
    assert sorted(ending.name for ending in endings) == sorted(
        turn.ending.name for turn in turns if turn.ending
    )
    assert {*endings} == {turn.ending for turn in turns if turn.ending}


@in_every_position
def test_every_listed_turn_is_judged_legal_and_leads_where_it_says(game, data):
    position, roll = drawn(game, data)
    turns = game.legal_turns(position, roll)
    for index in range(len(turns)):
        turn = turns[index]
        for moves in (turn.moves, turns.moves(index)):
            verdict = game.judge(position, roll, moves)
            assert isinstance(verdict, Legal), f"{moves}: {verdict.message}"
            assert what_follows(verdict) == what_follows(turn)
    assert [what_follows(turn) for turn in turns] == [
        what_follows(turns[index]) for index in range(len(turns))
    ]
    assert len({what_follows(turn) for turn in turns}) == len(turns)


@in_every_position
def test_the_masks_of_a_judged_position_are_those_of_its_state(game, data):
    """What is kept up to date move by move is what a look at the whole board gives, also from the other side."""
    position, roll = drawn(game, data)
    for turn in game.legal_turns(position, roll):
        judged = game.judge(position, roll, turn.moves).position
        for found in (judged, turn.position, game.flip(judged), game.flip(turn.position)):
            fresh = from_state(found.state, game.rules.layout)
            for mask in ("own_points", "own_closed", "closed", "blots"):
                assert getattr(found, mask) == getattr(fresh, mask), mask


@in_every_position
def test_the_order_of_the_dice_does_not_matter(game, data):
    position, roll = drawn(game, data)
    turns, others = game.legal_turns(position, roll), game.legal_turns(position, roll[::-1])
    assert {what_follows(turn) for turn in turns} == {what_follows(turn) for turn in others}
    for turn in turns:
        assert what_follows(game.judge(position, roll[::-1], turn.moves)) == what_follows(turn)
    loose = data.draw(st.lists(st.tuples(st.integers(-1, 26), st.integers(-1, 26)), max_size=4))
    one, other = game.judge(position, roll, loose), game.judge(position, roll[::-1], loose)
    if isinstance(one, Legal) or isinstance(other, Legal):
        assert one == other
    else:
        assert (one.code, one.clause, one.legal_turns) == (
            other.code,
            other.clause,
            other.legal_turns,
        )


@in_every_position
def test_any_numbers_are_judged_without_an_exception(game, data):
    position, roll = drawn(game, data)
    pair = st.tuples(
        st.one_of(st.integers(-1, 26), st.integers()), st.one_of(st.integers(-1, 26), st.integers())
    )
    verdict = game.judge(position, roll, data.draw(st.lists(pair, max_size=6)))
    if isinstance(verdict, Legal):
        assert what_follows(verdict) in {
            what_follows(turn) for turn in game.legal_turns(position, roll)
        }
    else:
        assert verdict.message.endswith(".")
        assert verdict.legal_turns == len(game.legal_turns(position, roll))


@in_every_position
def test_flip_is_its_own_inverse(game, data):
    position = data.draw(positions(game))
    flipped = game.flip(position)
    assert game.flip(flipped) == position
    assert checkers(game, flipped) == checkers(game, position)[::-1]
    plain, other = game.to_plain(position), game.to_plain(flipped)
    assert other["points"] == [-plain["points"][opposite(game, p) - 1] for p in range(1, 25)]
    assert other | {"points": None} == {name: pair[::-1] for name, pair in plain.items()} | {
        "points": None
    }


@in_every_position
def test_text_and_plain_forms_give_the_position_back(game, data):
    position = data.draw(positions(game))
    literal, plain = game.format_position(position), game.to_plain(position)
    assert game.parse_position(literal) == position
    assert game.format_position(game.parse_position(literal)) == literal
    assert game.from_plain(plain) == position
    assert game.to_plain(game.from_plain(plain)) == plain
    assert hash(game.from_plain(plain)) == hash(position)


@many
@given(st.lists(st.tuples(st.integers(0, 24), st.integers(1, 25)), max_size=4))
def test_moves_read_back_from_their_text(moves):
    for facing in ("same_way", "opposite_ways"):
        assert parse_moves(format_moves(moves, facing), facing) == moves


@in_every_position
def test_marked_moves_read_back_from_their_text(game, data):
    """Signs and ending are left out again; a strike is always one of two checkers or more."""
    position, roll = drawn(game, data)
    before = game.to_plain(position)["bar"][1]
    for turn in game.legal_turns(position, roll):
        text = game.format_turn(turn.moves, position, turn.ending)
        assert [*map(list, game.parse_turn(text))] == [*map(list, turn.moves)]
        hits, strikes = game.count_hits(position, turn.moves)
        assert text.count("*") == hits + 2 * strikes
        if game is not DOUBLE_SIX:  # a stack is hit whole (B11.1)
            assert game.to_plain(turn.position)["bar"][1] >= before + hits + 2 * strikes


@in_every_position
def test_the_drawn_board_shows_every_checker(game, data):
    position = data.draw(positions(game))
    plain, text = game.to_plain(position), game.draw(position)
    has_more = game is FISKE or any(plain.get("one_die", ()))
    assert len(text.splitlines()) == (18 if has_more else 17)
    rows = [line[:_RIGHT_EDGE] for line in text.splitlines() if line.startswith("    │")]
    for sign, side, counts in (
        ("O", 0, plain["points"]),
        ("X", 1, [-number for number in plain["points"]]),
    ):
        drawn = sum(row.count(sign) for row in rows)
        stacks = [*counts, plain["bar"][side]]
        assert drawn == sum(
            4 if number > 5 else max(0, number) for number in stacks
        )  # the fifth line is the number
        assert f"{sign} off {plain['off'][side]}" in text


_RIGHT_EDGE = 59
"""Where the board of a drawing ends; what is off is told behind it."""
