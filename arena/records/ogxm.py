"""A backgammon match as a document of OGXM, the match format of OpenGammon, with its analysis.

It is the JSON form of the package `ogxm`, which checks it and writes the file. White is seat 1. As
in MAT, a match is a money session without a cube, under the Jacoby rule unless gammons count.
Equities are points that the mover can expect, to the fourth decimal.

OGXM has no place for rejected turns, lost connections and void attempts, nor for our proofs:
commitments and seeds of the dice, receipts, and the sealed head of a run.
"""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, Final

from arena.games import Game
from arena.records.analysed import Analysis
from arena.records.lines import Attempt
from arena.records.mat import backgammon_of, jacoby, turns_by_game

ROLLS: Final = list(combinations_with_replacement(range(1, 7), 2))
"""Rolls in the order of their action numbers: 1-1, 1-2, ... 6-6."""
TERMINATIONS: Final = {"forfeit": "forfeited", "turn_limit": "settled", "agreement": "settled"}
"""How a game ended, by its ending, unless it was played out."""
EVENT_BYTES: Final = 120
"""Longest name of an event that OGXM holds, in UTF-8."""

Verdicts = dict[tuple[int, int], dict[str, Any]]
"""What an analysis says of each turn, by its game and its number in it."""


def ogxm_document(attempt: Attempt, analysis: Analysis | None, event: str) -> dict[str, Any]:
    """Return the document of all games that are over.

    Raises `NotBackgammonError`, or `RecordError` for a ruleset that cannot be used.
    """
    rules = backgammon_of(attempt)
    opened = attempt.opened
    white, black = opened.shown
    games: list[dict[str, Any]] = []
    document = {
        "player_white": white,
        "player_black": black,
        "match_length": 0,
        "jacoby": jacoby(attempt) == "on",
        "event": event.encode()[:EVENT_BYTES].decode(errors="ignore") or None,
        "started_at": opened.at_ms,
        "checksum": "sha256",
        "games": games,
    }
    verdicts: Verdicts = {}
    if analysis is not None:
        verdicts = _verdicts(rules, analysis)
        document["analysis_info"] = {
            "currency": "cubeless",
            "model_name": analysis.head.evaluator,
            # 0 is a position judged as it stands
            "level": {"checker_ply": analysis.head.plies - 1},
        }
    turns = turns_by_game(attempt)
    for ended in attempt.ended:
        plies = []
        for fact in turns[ended.game]:
            ply = {
                "action_id": ROLLS.index((min(fact.dice), max(fact.dice))),
                "color": 2 - fact.seat,
                "moves": _steps(fact.moves, fact.seat),
                "analysis": verdicts.get((ended.game, fact.turn)),
            }
            plies.append(ply)
        result = ended.result
        game: dict[str, Any] = {
            "plies": plies,
            "termination": TERMINATIONS.get(result.ending, "played_out"),
        }
        if result.winner is not None:
            game |= {"winner": result.winner - 1, "points_won": result.points}
        games.append(game)
    return document


def _verdicts(rules: Game[Any], analysis: Analysis) -> Verdicts:
    """Return what an analysis says of each turn, by its game and its number in it."""
    decisions, rolls = analysis.counted
    verdicts: Verdicts = {}
    for roll in rolls:
        verdicts[roll.game, roll.turn] = {"roll": {"luck": roll.luck}}
    for decision in decisions:
        # the better one first, as OGXM wants it
        equities = {decision.best: decision.best_value, decision.played: decision.value}
        alternatives = []
        for text, equity in equities.items():
            alternative = {
                "move": _steps(rules.parse_turn(text), decision.seat),
                "equity": equity,
                "is_played": text == decision.played,
            }
            alternatives.append(alternative)
        verdict = verdicts.setdefault((decision.game, decision.turn), {})
        verdict["alternatives"] = alternatives
        if decision.choices > len(alternatives):
            verdict["alternatives_total"] = decision.choices
    return verdicts


def _steps(moves: Sequence[Sequence[Any]], seat: int) -> list[dict[str, int]]:
    """Return moves in White's points from 0 (bar) to 25 (off); Black goes the other way."""
    steps = []
    for start, end in moves:
        point = start if seat == 1 else 25 - start
        steps.append({"from": point, "pips": end - start})
    return steps
