"""A backgammon match as MAT, the text format of Jellyfish that GNU Backgammon and other programs read.

Moves are in the mover's numbering, from 24 down. All games of a match are played (M1), so it is a
session without a fixed length: `0 point match`. A forfeited game ends with the winner's points,
like a resigned one; a drawn game (B10.3) ends with nothing. Headers tell the event, its round and
the date. MAT has no place for the rest of a record: clocks, rejected turns, lost connections.

Whether gammons count is no part of MAT: a reader has a setting of its own, the Jacoby rule of money
games. With it on they count only after the cube was turned, which it never is here. So it is on for
a ruleset without gammons.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, Literal

from arena.games import Game, load_game, ruleset_record
from arena.matches.facts import TurnPlayed
from arena.records.lines import Attempt, rules_on_record

COLUMN: Final = 38
"""Width of the column of seat 1, with the line number: the longest roll with its four moves, and
some space."""


class NotBackgammonError(ValueError):
    """MAT cannot express this game."""


NAME_BYTES: Final = 31
EVENT_CHARS: Final = 80
"""The longest name of an event that is written."""


@cache
def _backgammon() -> frozenset[str]:
    rulesets = (load_game("backgammon"), load_game("backgammon", options=["gammons"]))
    return frozenset(ruleset_record(rules)["hash"] for rules in rulesets)


def jacoby(attempt: Attempt) -> Literal["on", "off"]:
    """Return the Jacoby rule with which a reader counts the games as they were counted."""
    return "off" if attempt.opened.ruleset["fields"]["gammons"] else "on"


def format_mat(
    attempt: Attempt, *, event: str = "", date: str = "", is_annulled: bool = False
) -> str:
    """All games that are over; raises `NotBackgammonError`, or `RecordError` for a ruleset that cannot be used.

    `event` is the name of the tournament, `date` when it was played (2026.11.26); empty if it is
    not known.
    """
    opened = attempt.opened
    if opened.ruleset.get("hash") not in _backgammon():
        raise NotBackgammonError(f"{opened.match} was played under {opened.ruleset.get('name')!r}")
    rules = rules_on_record(opened.ruleset, attempt.where)
    lines = [*_headers(attempt, event, date, is_annulled=is_annulled), "", " 0 point match"]
    turns = defaultdict[int, list[TurnPlayed]](list)
    for _, fact in attempt.facts:
        if isinstance(fact, TurnPlayed):
            turns[fact.game].append(fact)
    score = [0, 0]
    for game in attempt.ended:
        names = [
            f"{_name(name)} : {points}" for name, points in zip(opened.shown, score, strict=True)
        ]
        lines += ["", f" Game {game.game}", f" {names[0]:{COLUMN - 3}}  {names[1]}"]
        lines += _moves(rules, turns[game.game])
        won = game.result
        if won.winner is not None:
            score[won.winner - 1] += won.points
            column = 6 if won.winner == 1 else COLUMN
            lines.append(f"{' ' * column}Wins {won.points} point{'' if won.points == 1 else 's'}")
    return "\n".join(lines) + "\n"


def _headers(attempt: Attempt, event: str, date: str, *, is_annulled: bool) -> Iterator[str]:
    """The headers that readers know, one a line, and whether the match was annulled (M5)."""
    named = "".join(letter for letter in event if letter.isprintable())[:EVENT_CHARS]
    headers = {
        "Event": named.replace('"', "'"),
        "EventDate": date,
        "Jacoby": jacoby(attempt).title(),
    }
    if is_annulled:
        headers["Annulled"] = "a bot was withdrawn"
    for key, value in headers.items():
        if value:
            yield f'; [{key} "{value}"]'


def _moves(rules: Game[Any], turns: list[TurnPlayed]) -> Iterator[str]:
    """A numbered line for each two turns; the first has only one if seat 2 began."""
    number, left = 1, ""
    for fact in turns:
        # each move by itself: MAT marks no hits and groups no doubles
        moves = " ".join(rules.format_turn([move]) for move in fact.moves) or "Cannot Move"
        turn = f"{''.join(map(str, fact.dice))}: {moves}"
        if fact.seat == 1:
            left = turn
        else:
            yield f"{f'{number:3}) {left}':{COLUMN - 1}} {turn}"
            number, left = number + 1, ""
    if left:
        yield f"{number:3}) {left}"


def _name(shown: str) -> str:
    """Return the name of an entrant for a file: readers end a name at a colon, and keep 31 bytes of it."""
    return shown.replace(":", ".").encode()[:NAME_BYTES].decode(errors="ignore").rstrip()
