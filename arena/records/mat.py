"""A backgammon match as MAT, the text format of Jellyfish; GNU Backgammon and others read it.

Moves are in the mover's numbering, from 24 down. All games of a match are played (M1), so it is a
session without a fixed length: `0 point match`. A forfeited game ends with the winner's points,
like a resigned one; a drawn game (B10.3) ends with nothing. Headers tell the event, its round and
the date. MAT has no place for the rest of a record: clocks, rejected turns, lost connections.
`services/foreign/mat.py` reads it.

Whether gammons count is no part of MAT: a reader has a setting of its own, the Jacoby rule of money
games. With it on they count only after the cube was turned, which it never is here. So it is on for
a ruleset without gammons.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final, Literal

from arena.games import Game, load_game
from arena.matches.facts import TurnPlayed
from arena.records.lines import Attempt, rules_on_record

COLUMN: Final = 38
"""Width of the column of seat 1, with the line number: the longest roll, its moves and a space."""


class NotBackgammonError(ValueError):
    """Formats of backgammon cannot express this game."""


NAME_BYTES: Final = 31
EVENT_CHARS: Final = 80
"""Longest name of an event that is written."""
TURN_LIMIT: Final = "TurnLimit"
"""The header that tells after how many turns games were drawn (B10.3), for our own reader."""


def _as_played(rules: Game[Any]) -> dict[str, Any]:
    """Return a ruleset without its name, and what gammons and forfeits pay in it (G6)."""
    return {**rules.ruleset, "name": "", "gammons": True, "points_forfeit": 0}


def jacoby(attempt: Attempt) -> Literal["on", "off"]:
    """Return the Jacoby rule with which a reader counts the games as the arena did."""
    counts_gammons = attempt.opened.ruleset["fields"]["gammons"]
    return "off" if counts_gammons else "on"


def backgammon_of(attempt: Attempt) -> Game[Any]:
    """Return the rules of a backgammon match.

    Raises `NotBackgammonError`, or `RecordError` for a ruleset that cannot be used.
    """
    rules = rules_on_record(attempt.opened.ruleset, attempt.where)
    if _as_played(rules) != _as_played(load_game("backgammon")):
        raise NotBackgammonError(f"{attempt.opened.match} was played under {rules.name!r}")
    return rules


def turns_by_game(attempt: Attempt) -> dict[int, list[TurnPlayed]]:
    """Return the legal turns of each game by its number, in the order played."""
    turns = defaultdict[int, list[TurnPlayed]](list)
    for _, fact in attempt.facts:
        if isinstance(fact, TurnPlayed):
            turns[fact.game].append(fact)
    return turns


def format_mat(
    attempt: Attempt,
    *,
    event: str = "",
    date: str = "",
    is_annulled: bool = False,
) -> str:
    """Format all games that are over.

    `event` is the name of the tournament, `date` when it was played (2026.11.26); empty if it is
    unknown. Raises `NotBackgammonError`, or `RecordError` for a ruleset that cannot be used.
    """
    rules = backgammon_of(attempt)
    lines = [*_headers(attempt, event, date, is_annulled=is_annulled), "", " 0 point match"]
    turns = turns_by_game(attempt)
    first, second = map(_name, attempt.opened.shown)
    score = [0, 0]
    for game in attempt.ended:
        lines.append("")
        lines.append(f" Game {game.game}")
        lines.append(f" {f'{first} : {score[0]}':{COLUMN - 3}}  {second} : {score[1]}")
        lines += _moves(rules, turns[game.game])
        result = game.result
        if result.winner is not None:
            score[result.winner - 1] += result.points
            column = 6 if result.winner == 1 else COLUMN
            ending = "" if result.points == 1 else "s"
            lines.append(f"{' ' * column}Wins {result.points} point{ending}")
    return "\n".join(lines) + "\n"


def _headers(
    attempt: Attempt,
    event: str,
    date: str,
    *,
    is_annulled: bool,
) -> Iterator[str]:
    """Yield the headers that readers know, one a line, and whether the match was annulled (M5)."""
    printable = "".join(filter(str.isprintable, event))
    headers = {
        "Event": printable[:EVENT_CHARS].replace('"', "'"),
        "EventDate": date,
        "Jacoby": jacoby(attempt).title(),
    }
    if any(result.ending == "turn_limit" for result in attempt.games):
        headers[TURN_LIMIT] = str(attempt.opened.terms.turn_limit)
    if is_annulled:
        headers["Annulled"] = "a bot was withdrawn"
    for name, text in headers.items():
        if text:
            yield f'; [{name} "{text}"]'


def _moves(rules: Game[Any], turns: list[TurnPlayed]) -> Iterator[str]:
    """Yield a numbered line for each two turns; the first has only one if seat 2 began."""
    number = 1
    left = ""
    for fact in turns:
        # each move by itself: MAT marks no hits and groups no doubles
        moves = " ".join(rules.format_turn([move]) for move in fact.moves)
        dice = "".join(map(str, fact.dice))
        turn = f"{dice}: {moves or 'Cannot Move'}"
        if fact.seat == 1:
            left = turn
        else:
            left_cell = f"{number:3}) {left}"
            yield f"{left_cell:{COLUMN - 1}} {turn}"
            number += 1
            left = ""
    if left:
        yield f"{number:3}) {left}"


def _name(shown: str) -> str:
    """Return an entrant's name for a file: readers end it at a colon, and keep 31 bytes of it."""
    return shown.replace(":", ".").encode()[:NAME_BYTES].decode(errors="ignore").strip()
