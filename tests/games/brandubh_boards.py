"""Boards of Brandubh as the rule book draws them: strict drawings in, and out again when a test fails.

A drawing has rank 7 above and ends with the files and the side to move; it must read exactly as the
game draws it. Moves are `d1-c1`; what a move takes is a list of squares such as `c3 d2`.
"""

from dataclasses import replace
from textwrap import dedent

import pytest

from arena.games import Illegal, Legal
from arena.games.brandubh.game import BrandubhGame
from arena.games.brandubh.notation import parse_moves
from arena.games.brandubh.position import BrandubhPosition
from arena.games.brandubh.ruleset import RULESETS
from tests.reference import brandubh as reference

ONE = BrandubhGame(RULESETS["brandubh-1"])
TWO = BrandubhGame(RULESETS["brandubh-2"])
AS_NAMED = {game.name: game for game in (ONE, TWO)}

in_both = pytest.mark.parametrize("game", [ONE, TWO], ids=["brandubh-1", "brandubh-2"])
"""For a clause that holds in both versions."""


BEFORE_CAPTURE = """
    7   x . . . . . x
    6   . . . . . . .
    5   . . . . . . .
    4   . . . K . . .
    3   . b w . . b .
    2   . . . . . . .
    1   x . . . . . x
        a b c d e f g   Black to move
"""

IN_THE_OPEN = """
    7   x . . . . . x
    6   . . . . . . .
    5   . b K . b . .
    4   . . . + . . .
    3   . . . . . . .
    2   . . w . . . .
    1   x . . . . . x
        a b c d e f g   Black to move
"""


def house(base: BrandubhGame, **fields: object) -> BrandubhGame:
    return BrandubhGame(replace(base.rules, name="house", **fields))


def board(drawing: str) -> BrandubhPosition:
    """The position of a drawing; refused unless the drawing is exactly the one of its position."""
    text = dedent(drawing).strip("\n").rstrip()
    *ranks, files = text.splitlines()
    signs = str.maketrans({"K": "k", "x": ".", "+": "."})
    rows = ["".join(rank[4:].split(" ")).translate(signs) for rank in ranks]
    position = ONE.from_plain({"board": rows, "to_move": files.split()[-3].lower()})
    assert ONE.draw(position) == text, f"a drawing must read like this:\n{ONE.draw(position)}"
    return position


def played(
    game: BrandubhGame, moves: str, position: BrandubhPosition | None = None
) -> list[Legal[BrandubhPosition]]:
    """The verdicts on moves played one after the other, each legal, all but the last with the game going on."""
    verdicts: list[Legal[BrandubhPosition]] = []
    position = position or game.start()
    for move in parse_moves(moves):
        assert not verdicts or verdicts[-1].ending is None, (
            f"the game ended before {move}: {verdicts[-1].ending}"
        )
        verdict = game.judge(position, (), [move])
        assert isinstance(verdict, Legal), f"{move}: {verdict}\n{game.draw(position)}"
        verdicts.append(verdict)
        position = game.flip(verdict.position)
    return verdicts


# What a test says about a move. Each of these fails with the boards drawn.


def turn(
    game: BrandubhGame, drawing: str, move: str, *, takes: str = ""
) -> Legal[BrandubhPosition]:
    """The move is legal and takes exactly this; the reference thinks so too."""
    __tracebackhide__ = True
    before = board(drawing)
    listed = parse_moves(move)
    verdict = game.judge(before, (), listed)
    if isinstance(verdict, Illegal):
        fail(
            game,
            f"{move} should be legal, found {verdict.code} ({verdict.clause}): {verdict.message}",
            before,
        )
    pieces, side = reference.from_plain(game.to_plain(before))
    ((origin, target),) = listed
    expected = {**pieces, target: pieces[origin]}
    for square in (origin, *takes.split()):
        del expected[square]
    after = game.from_plain(reference.plain(expected, reference.OTHER[side]))
    if verdict.position != after:
        fail(
            game,
            f"{move} leads to the second board instead of the third",
            before,
            verdict.position,
            after,
        )
    among = [one for one in game.legal_turns(before, ()) if [*one.moves] == listed]
    if [(one.position, one.ending) for one in among] != [(verdict.position, verdict.ending)]:
        fail(
            game,
            f"{move} is judged legal, but is not the same among the legal turns: {among}",
            before,
        )
    second = reference.Game(game.name, pieces, side).after(listed[0])
    found = verdict.ending.name if verdict.ending else None
    if game.name in reference.VERSIONS and (second.board, second.ending()) != (expected, found):
        fail(
            game,
            f"{move}: the reference ends it with {second.ending()}, the engine with {found}",
            before,
            after,
        )
    return verdict


def goes_on(game: BrandubhGame, drawing: str, move: str, *, takes: str = "") -> None:
    """The move is legal, takes exactly this, and the game is not over."""
    __tracebackhide__ = True
    ending = turn(game, drawing, move, takes=takes).ending
    if ending is not None:
        fail(game, f"{move} should not end the game, found {ending}", board(drawing))


def ends(game: BrandubhGame, drawing: str, move: str, ending: str, *, takes: str = "") -> None:
    """The move is legal, takes exactly this, and ends the game like this."""
    __tracebackhide__ = True
    found = turn(game, drawing, move, takes=takes).ending
    if found is None or found.name != ending:
        fail(game, f"{move} should end the game with {ending}, found {found}", board(drawing))
    is_drawn = ending in ("repetition", "no_move")
    assert (found.points, found.is_drawn, found.clause) == (
        (0, True, "T9") if is_drawn else (1, False, "T8")
    )


def move_on(game: BrandubhGame, case: str) -> None:
    """Play what stands behind a drawing, such as `White to move: d7-g7 takes g6, king_escaped`."""
    __tracebackhide__ = True
    drawing, said = case.rstrip().split(": ")
    played_and_taken, _, ending = said.partition(", ")
    move, _, takes = played_and_taken.partition(" takes ")
    if ending:
        ends(game, drawing, move, ending, takes=takes)
    else:
        goes_on(game, drawing, move, takes=takes)


def refused(game: BrandubhGame, drawing: str, move: str, code: str, clause: str) -> Illegal:
    """The move is illegal for this reason, and not among the legal ones; the verdict."""
    __tracebackhide__ = True
    position = board(drawing)
    listed = parse_moves(move)
    verdict = game.judge(position, (), listed)
    if not isinstance(verdict, Illegal):
        fail(
            game,
            f"{move} should be refused with {code} ({clause}), but is legal",
            position,
            verdict.position,
        )
    if (verdict.code, verdict.clause) != (code, clause):
        found = f"{verdict.code} ({verdict.clause}): {verdict.message}"
        fail(game, f"{move} should be refused with {code} ({clause}), found {found}", position)
    turns = game.legal_turns(position, ())
    assert listed not in [[*one.moves] for one in turns]
    assert verdict.legal_turns == len(turns)
    return verdict


def targets(game: BrandubhGame, drawing: str, origin: str) -> str:
    """Where the piece on a square may go, in alphabetical order."""
    turns = game.legal_turns(board(drawing), ())
    moves = [turns.moves(index)[0] for index in range(len(turns))]
    return " ".join(sorted(target for one, target in moves if one == origin))


def fail(game: BrandubhGame, message: str, *positions: BrandubhPosition) -> None:
    """Fail with the boards drawn."""
    __tracebackhide__ = True
    pytest.fail("\n\n".join([f"{game.name}, {message}", *map(game.draw, positions)]), pytrace=False)
