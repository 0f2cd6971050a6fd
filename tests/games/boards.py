"""Boards and turns as the rule book writes them: strict text in, drawn boards out when something is not as expected.

A position is `19:1 20:14 | opp 13:15`, from the side to move, with all 15 checkers of both sides
named; it must be one that can come about in a game still going on. A roll is `6-1`. Moves are `3/7*
20/24`, and `*` must stand exactly where a checker is hit or struck.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest

from arena.games import Dice, Ending, Game, Illegal, load_game
from arena.games.tables.notation import format_moves
from arena.games.tables.reading import parse_moves
from tests.games.plain import packed_results, plain_results, reference_rules
from tests.reference import tables as reference
from tests.reference.positions import problems

VASA = load_game("vasa")
CLASSIC = load_game("classic")
EASY_REENTRY = load_game("classic", ["easy_reentry"])
DOUBLE_SIX = load_game("classic", ["double_six"])
ONE_DIE = load_game("classic", ["one_die"])
FISKE = load_game("fiske")
BACKGAMMON = load_game("backgammon")
GAMMONS = load_game("backgammon", ["gammons"])

in_both = pytest.mark.parametrize("game", [VASA, CLASSIC], ids=["vasa", "classic"])
"""For a clause that holds in vasa and classic alike."""


class Reached(NamedTuple):
    """What a turn comes to."""

    position: str
    """As seen by the side that played it."""
    ending: str | None
    points: int


def dice(text: str) -> Dice:
    """`6-1` as numbers."""
    numbers = tuple(int(word) for word in text.split("-"))
    assert len(numbers) in (1, 2), f"{text!r} is no roll"
    assert all(1 <= number <= 6 for number in numbers), f"{text!r} is no roll"
    return numbers


def board(game: Game, literal: str) -> Any:
    """The position of a literal; refused unless it names every checker and could have come about."""
    position = game.parse_position(literal)
    written = game.format_position(position)
    missing = set(written.split()) - set(literal.split())
    assert not missing, f"name every checker: {literal!r} leaves out {' '.join(sorted(missing))}"
    found = problems(reference_rules(game), game.to_plain(position))
    assert not found, (
        f"{literal!r} cannot come about in {game.name}: {'; '.join(found)}\n{game.draw(position)}"
    )
    return position


def literal_of(game: Game, position: Any) -> str:
    """A position in its one spelling."""
    return game.format_position(position)


def respelled(game: Game, literal: str) -> str:
    """A literal in its one spelling; an ended game is allowed, a missing checker is not."""
    position = game.parse_position(literal)
    written = literal_of(game, position)
    assert set(written.split()) == set(literal.split()), (
        f"name every checker: {literal!r} is not {written!r}"
    )
    return written


def flipped(game: Game, literal: str) -> str:
    """The same position as the opponent writes it."""
    return literal_of(game, game.flip(game.parse_position(literal)))


def results(game: Game, literal: str, roll: str) -> set[Reached]:
    """Everything a roll can come to, each once; the reference thinks so too."""
    position = board(game, literal)
    found = [
        result_of(game, turn.position, turn.ending)
        for turn in game.legal_turns(position, dice(roll))
    ]
    plain = plain_results(game, game.to_plain(position), dice(roll))
    assert {*packed_results(game, position, dice(roll))} == plain, (
        f"{literal!r}, {roll}: the reference differs"
    )
    assert len(set(found)) == len(found), f"{literal!r}, {roll}: a result comes up twice"
    return set(found)


def result_of(game: Game, position: Any, ending: Ending | None) -> Reached:
    """A legal turn in text."""
    name, points = (ending.name, ending.points) if ending else (None, 0)
    return Reached(literal_of(game, position), name, points)


# What a test says about a turn. Each of these fails with the boards drawn.


def turn(game: Game, literal: str, roll: str, moves: str, *, after: str | None = None) -> Reached:
    """The turn is legal (and leads to this position); what it comes to."""
    __tracebackhide__ = True
    position = board(game, literal)
    listed = _moves(game, literal, moves)
    verdict = game.judge(position, dice(roll), listed)
    if isinstance(verdict, Illegal):
        fail(
            game,
            f"{roll}: {moves} should be legal, found {verdict.code} ({verdict.clause}): {verdict.message}",
            literal,
        )
    found = result_of(game, verdict.position, verdict.ending)
    if found not in results(game, literal, roll):
        fail(
            game,
            f"{roll}: {moves} is judged legal, but is not among the legal turns",
            literal,
            found.position,
        )
    if after is not None and found.position != respelled(game, after):
        fail(
            game,
            f"{roll}: {moves} leads to the second board instead of the third",
            literal,
            found.position,
            after,
        )
    return found


def goes_on(game: Game, literal: str, roll: str, moves: str, *, after: str | None = None) -> None:
    """The turn is legal (and leads to this position) and the game is not over."""
    __tracebackhide__ = True
    found = turn(game, literal, roll, moves, after=after)
    if found.ending is not None:
        fail(
            game,
            f"{roll}: {moves} should not end the game, found {found.ending}",
            literal,
            found.position,
        )


def wins(game: Game, literal: str, roll: str, moves: str, ending: str, points: int) -> None:
    """The turn is legal and wins like this."""
    __tracebackhide__ = True
    found = turn(game, literal, roll, moves)
    if (found.ending, found.points) != (ending, points):
        what = f"{found.ending} with {found.points} points"
        fail(
            game,
            f"{roll}: {moves} should be {ending} with {points}, found {what}",
            literal,
            found.position,
        )


def refused(game: Game, literal: str, roll: str, moves: str, code: str, clause: str) -> Illegal:
    """The turn is illegal for this reason, and for the reference as well; the verdict."""
    __tracebackhide__ = True
    position = board(game, literal)
    listed = parse_moves(moves.replace("*", ""), game.ruleset["facing"])
    verdict = game.judge(position, dice(roll), listed)
    if reference.judge(reference_rules(game), game.to_plain(position), [*dice(roll)], listed):
        fail(game, f"{roll}: {moves} should be refused, but is legal for the reference", literal)
    if not isinstance(verdict, Illegal):
        after = literal_of(game, verdict.position)
        fail(
            game,
            f"{roll}: {moves} should be refused with {code} ({clause}), but is legal",
            literal,
            after,
        )
    if (verdict.code, verdict.clause) != (code, clause):
        found = f"{verdict.code} ({verdict.clause}): {verdict.message}"
        fail(
            game,
            f"{roll}: {moves} should be refused with {code} ({clause}), found {found}",
            literal,
        )
    return verdict


def only(game: Game, literal: str, roll: str, *turns: str) -> None:
    """These turns, no two of them with one result, are all that the roll can come to."""
    __tracebackhide__ = True
    expected = [turn(game, literal, roll, moves) for moves in turns]
    assert len(set(expected)) == len(expected), f"two of {turns} have the same result"
    position = board(game, literal)
    more = {
        format_moves(one.moves, game.ruleset["facing"]): literal_of(game, one.position)
        for one in game.legal_turns(position, dice(roll))
        if result_of(game, one.position, one.ending) not in expected
    }
    if more:
        fail(
            game,
            f"{roll}: only {' or '.join(turns)} should be legal, found {', '.join(more)}",
            literal,
            *more.values(),
        )


def same(game: Game, literal: str, roll: str, *turns: str) -> None:
    """These turns are legal and come to the same."""
    __tracebackhide__ = True
    found = {moves: turn(game, literal, roll, moves) for moves in turns}
    if len(set(found.values())) != 1:
        fail(
            game,
            f"{roll}: {', '.join(turns)} should come to the same",
            literal,
            *(f.position for f in found.values()),
        )


def must_pass(game: Game, literal: str, roll: str) -> None:
    """No die can be used."""
    __tracebackhide__ = True
    only(game, literal, roll, "pass")
    turn(game, literal, roll, "pass", after=literal)


def fail(game: Game, message: str, *literals: str) -> None:
    __tracebackhide__ = True
    drawn = [f"{literal}\n{game.draw(game.parse_position(literal))}" for literal in literals]
    pytest.fail("\n\n".join([f"{game.name}, {message}", *drawn]), pytrace=False)


def _moves(game: Game, literal: str, text: str) -> list[tuple[int, int]]:
    """The moves of a turn, after a look at its stars."""
    listed = parse_moves(text.replace("*", ""), game.ruleset["facing"])
    held = _held_by_the_opponent(game, literal)
    starred = [word.endswith("*") for word in text.split()] if listed else []
    for (_, target), star in zip(listed, starred, strict=True):
        assert star == (target in held), (
            f"{text!r}: a star belongs where a checker is hit or struck, {literal!r}"
        )
        held.discard(target)
    return listed


def _held_by_the_opponent(game: Game, literal: str) -> set[int]:
    points: Iterable[int] = game.to_plain(game.parse_position(literal))["points"]
    return {point for point, number in enumerate(points, start=1) if number < 0}
