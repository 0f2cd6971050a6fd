"""What a turn may still become, held against all legal turns of the referee."""

import random

import pytest

from arena.games import Dice, Legal, Move, load_game
from arena.person.continuations import choices_of, for_people, paths_of, why_not
from arena.words import say
from tests.fixtures.drawn_boards import BACKGAMMON, CLASSIC, DOUBLE_SIX, FISKE, VASA

GAMES = {
    "vasa": VASA,
    "classic": CLASSIC,
    "classic with easy_reentry": load_game("classic", ["easy_reentry"]),
    "classic with double_six": DOUBLE_SIX,
    "classic with one_die": load_game("classic", ["one_die"]),
    "swedish-tables": load_game("swedish-tables"),
    "fiske": FISKE,
    "backgammon": BACKGAMMON,
    "brandubh-1": load_game("brandubh-1"),
    "brandubh-2": load_game("brandubh-2"),
}


def walked(choices, moves=()):
    if choices.is_whole(moves):
        yield moves
    for move in choices.after(moves):
        yield from walked(choices, (*moves, tuple(move)))


@pytest.mark.parametrize("name", GAMES)
def test_what_can_be_put_together_is_exactly_what_the_referee_allows(name):
    game, chance = GAMES[name], random.Random(17)
    position = game.start()
    for number in range(30 if name.startswith("brandubh") else 65):
        count = game.dice_to_roll(position)
        dice = tuple(chance.randint(1, 6) for _ in range(count))
        if len(set(dice)) == 1 and number % 4:
            dice = (dice[0], dice[0] % 6 + 1)[
                :count
            ]  # doubles have thousands of orders; some will do
        legal = list(game.legal_turns(position, dice))
        choices = choices_of(game, position, dice)
        wanted = {(turn.position, turn.ending) for turn in legal}
        found = set()
        for moves in [*walked(choices), *choices.whole_turns]:
            verdict = game.judge(position, dice, [*moves])
            assert isinstance(verdict, Legal), (
                game.format_position(position),
                dice,
                moves,
                verdict,
            )
            assert verdict.position == choices.position(moves) or verdict.ending
            assert choices.is_whole(moves)
            found.add((verdict.position, verdict.ending))
        assert found == wanted, (game.format_position(position), dice)
        turn = chance.choice(legal)
        position = game.start() if turn.ending else game.flip(turn.position)


@pytest.mark.parametrize(
    ("literal", "dice", "offered", "wrong", "clause", "words"),
    [
        (
            "9:1 10:1 24:13",
            (2, 1),
            [(9, 11), (10, 12)],
            (10, 11),
            "B3.3",
            "1 die, but 2 dice of 2-1 can be used",
        ),
        (
            "6:1 24:14",
            (6, 1),
            [(6, 12)],
            (6, 7),
            "B3.4",
            "only one die of 6-1 can be used, and it must be the 6",
        ),
        ("20:1 24:3 off:11", (6, 4), [(20, 25)], (20, 24), "B7.6", ""),
        ("1:15", (6, 5), [(1, 6), (1, 7)], (1, 4), "B3.1", ""),
    ],
)
def test_a_move_that_breaks_a_duty_is_not_offered_and_the_referee_says_why(
    literal: str, dice: Dice, offered: list[Move], wrong: Move, clause: str, words: str
) -> None:
    position = VASA.parse_position(f"{literal} | opp 13:15")
    choices = choices_of(VASA, position, dice)
    assert choices.after(()) == offered
    said = why_not(VASA, position, dice, choices, (), wrong)
    assert said.clause == clause
    assert words in say(said.said)


@pytest.mark.parametrize(
    ("literal", "dice", "moves", "wrong", "words"),
    [
        ("1:15", (5, 4), (), (1, 12), "with 5 and 4 it cannot reach 12; "),
        ("1:15", (5, 4), ((1, 6),), (1, 12), "with 4 it cannot reach 12; "),
        ("1:15", (3, 3), (), (1, 5), "with 3 it cannot reach 5; "),
        ("19:1 off:14", (5, 4), (), (19, 25), "with 5 and 4 it cannot be borne off yet; "),
    ],
)
def test_a_person_is_told_where_a_checker_cannot_go(
    literal: str, dice: Dice, moves: tuple[Move, ...], wrong: Move, words: str
) -> None:
    """No die is asked for that no die has."""
    position = VASA.parse_position(f"{literal} | opp 13:15")
    verdict = why_not(VASA, position, dice, choices_of(VASA, position, dice), moves, wrong)
    assert say(for_people(verdict)).startswith(words)


@pytest.mark.parametrize(
    ("literal", "dice", "wanted", "path"),
    [
        ("1:15", (6, 5), (1, 12), ((1, 7), (7, 12))),
        ("1:15 | opp 13:13 7:2", (6, 5), (1, 12), ((1, 6), (6, 12))),  # the other way is closed
        ("1:15", (6, 5), (1, 6), ((1, 6),)),
        ("1:15", (6, 5), (1, 11), ()),
        ("1:1 12:14", (3, 3), (12, 21), ((12, 15), (15, 18), (18, 21))),
    ],
)
def test_a_checker_goes_by_several_dice(
    literal: str, dice: Dice, wanted: Move, path: tuple[Move, ...]
) -> None:
    if "opp" not in literal:
        literal += " | opp 13:15"
    choices = choices_of(VASA, VASA.parse_position(literal), dice)
    assert paths_of(choices, ()).get(wanted, ()) == path


@pytest.mark.parametrize(
    ("literal", "dice", "moves", "far"),
    [
        ("1:15", (6, 5), (), [(1, 12)]),
        ("1:15", (6, 5), ((1, 7),), []),
        ("1:15 | opp 13:11 7:2 6:2", (6, 5), (), []),
        ("1:14 8:1", (2, 2), (), [(1, 5), (1, 7), (1, 9), (8, 12), (8, 14), (8, 16)]),
        ("24:1 20:1 off:13", (5, 4), (), []),
    ],
)
def test_the_places_that_a_checker_reaches_by_several_dice_are_known(
    literal: str, dice: Dice, moves: tuple[Move, ...], far: list[Move]
) -> None:
    if "opp" not in literal:
        literal += " | opp 13:15"
    choices = choices_of(VASA, VASA.parse_position(literal), dice)
    paths = paths_of(choices, moves)
    assert sorted(move for move, path in paths.items() if len(path) > 1) == far
    assert [move for move, path in sorted(paths.items()) if len(path) == 1] == choices.after(moves)


def test_of_other_faults_a_person_is_told_what_the_referee_says():
    position = VASA.parse_position("1:14 5:1 | opp 13:15")
    verdict = why_not(VASA, position, (4, 1), choices_of(VASA, position, (4, 1)), (), (1, 5))
    assert for_people(verdict) == verdict.said


def test_b11_1_the_six_checkers_are_a_turn_of_their_own():
    choices = choices_of(DOUBLE_SIX, DOUBLE_SIX.start(), (6, 6))
    [six] = choices.whole_turns
    assert six == ((1, 7),) * 6
    assert choices.is_whole(six)
    assert DOUBLE_SIX.to_plain(choices.position(six))["stack"] == [True, False]
    assert choices.dice_left(six) == ()


def test_the_dice_that_are_left_go_with_the_moves():
    choices = choices_of(VASA, VASA.start(), (6, 5))
    assert choices.dice_left(()) == (6, 5)
    assert choices.dice_left(((1, 7),)) == (5,)
    assert choices.dice_left(((1, 7), (1, 6))) == ()
