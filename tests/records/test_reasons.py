"""Reasons to be said: why games ended, and what was forfeited."""

from typing import Any, get_args

import pytest

from arena.games.result import Cause, Result, Seat
from arena.games.tables import endings
from arena.matches.facts import FlagFell, MatchFact, TurnPlayed, TurnRejected
from arena.matches.state import MOST_LOSSES
from arena.records.facts import EntrantsAbsent, FixtureSettled, FixtureVoided
from arena.records.reasons import (
    Forfeits,
    explain_end,
    forfeit_said,
    forfeit_why,
    forfeits_in,
    never_appeared,
)
from arena.records.timeline import Why
from arena.words import DEFAULT, Said, catalogue, say
from tests.fixtures.small_run import TERMS, small_run
from tests.records.test_timeline import AWAY, BACK, MISSING, ended, last_of


def result(ending: str, cause: Any = None, *, monk: bool = False) -> Result:
    winner: Seat | None = None if ending == "turn_limit" else 1
    return Result(
        winner=winner, ending=ending, clause="B9.1", points=1, monk=monk, rank=1, cause=cause
    )


def test_every_ending_over_the_board_has_its_sentence() -> None:
    known = {*get_args(endings.EndingName), *get_args(endings.BorneOff)}
    known |= {"king_captured", "king_escaped", "repetition", "no_move", "agreement"}
    assert {f"{kind}.{name}" for name in known for kind in ("why", "ending")} <= set(
        catalogue(DEFAULT)
    )


@pytest.mark.parametrize("cause", get_args(Cause))
def test_every_cause_of_a_forfeit_has_its_sentence(cause: Cause) -> None:
    said = explain_end(Why(result=result("forfeit", cause), terms=TERMS))
    assert said is not None
    done, _, worth = say(said).partition("; ")
    assert done
    assert worth == "a forfeit pays the highest points of the ruleset"


def test_a_monk_is_told_and_so_is_the_limit_of_turns() -> None:
    """An ending of a game of another package has no sentence."""
    assert say(explain_end(Why(result=result("tower", monk=True), terms=TERMS))) == (
        "a handsome game: the winner's 15 checkers all stand on point 24, and the loser has a checker on the bar (monk)"
    )
    assert (
        say(explain_end(Why(result=result("turn_limit"), terms=TERMS)))
        == f"no result after {TERMS.turn_limit} turns"
    )
    assert explain_end(Why(result=result("checkmate", monk=True), terms=TERMS)) is None


REJECTED = TurnRejected(
    at_ms=5,
    game=1,
    turn=3,
    seat=2,
    dice=(1, 2),
    moves=[[1, 3]],
    spent_ms=1,
    code="own_point",
    clause="B4.3",
    values={
        "move": "1/3",
        "point": "3",
        "legal": Said("legal.turns", {"count": 7, "nearest": "1/4"}),
    },
    legal_turns=7,
    left=-1,
)
PLAYED = TurnPlayed(
    at_ms=4, game=1, turn=1, seat=2, dice=(1, 2), moves=[[1, 4]], spent_ms=140, left_ms=60
)
FLAG = FlagFell(at_ms=5, game=1, turn=3, seat=2, dice=(1, 2), spent_ms=1420)


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (
            [PLAYED, REJECTED, ended("illegal_turns")],
            "1/3 puts a second checker on point 3, which may hold only one (B4.3)",
        ),
        ([FLAG, ended("time")], "1,420 ms of 100 + 100"),
        ([PLAYED, FLAG, ended("time")], "1,420 ms of 100 + 60"),
        ([REJECTED, PLAYED, FLAG, ended("time")], "1,420 ms of 100 + 60"),
        ([MISSING, ended("no_show")], "its program ended with exit status 255"),
        ([ended("no_show")], "it did not come to the table in time"),
        (
            [AWAY, BACK] * (MOST_LOSSES - 1) + [AWAY, ended("disconnect")],
            "it lost its connection 100 times in this match, and may not come back",
        ),
        ([PLAYED, ended(None)], ""),
    ],
)
def test_a_forfeit_says_why(facts: list[MatchFact], why: str) -> None:
    found = last_of(*facts).why
    assert found is not None
    said = forfeit_said(found)
    assert (say(said) if said else "") == why


def settled(fixture: str, *games: tuple[str, Cause | None]) -> FixtureSettled:
    """A match with the winner and the cause of each game."""
    first = fixture.split("-")[1]
    return FixtureSettled(
        at_ms=9,
        fixture=fixture,
        attempt=1,
        games=[
            Result(
                winner=1 if winner == first else 2,
                ending="forfeit",
                clause="B10.2",
                points=6,
                cause=cause,
            )
            for winner, cause in games
        ],
        score=(6, 0),
        winner="anna",
        decision=Said("decision.points"),
        violations=(0, 0),
        record_sha256="0" * 64,
    )


def test_forfeits_are_counted_by_entrant_and_cause() -> None:
    facts = [
        settled("r1-anna-v-bo", ("anna", None), ("anna", "time"), ("bo", "illegal_turns")),
        settled("r2-bo-v-anna", ("anna", "time"), ("anna", "disconnect")),
    ]
    assert [
        (one.entrant, one.cause, one.games, one.fixture, one.game) for one in forfeits_in(facts)
    ] == [
        ("bo", "time", 2, "r1-anna-v-bo", 2),
        ("anna", "illegal_turns", 1, "r1-anna-v-bo", 3),
        ("bo", "disconnect", 1, "r2-bo-v-anna", 2),
    ]


def test_where_the_match_record_is_gone_the_cause_is_told_alone() -> None:
    lost = Forfeits(
        entrant="bo", cause="no_show", games=1, fixture="r1-anna-v-bo", attempt=1, game=1
    )
    assert say(forfeit_why(lost, {})) == "no show"
    assert say(forfeit_why(lost, {"matches/r1-anna-v-bo.jsonl": b"{}\n"})) == "no show"


def test_where_the_match_record_can_be_read_the_first_forfeit_is_explained() -> None:
    late = Forfeits(entrant="bo", cause="time", games=1, fixture="r1-anna-v-bo", attempt=2, game=3)
    assert say(forfeit_why(late, small_run())) == "time: 301 ms of 100 + 200"


def test_an_entrant_that_came_once_has_appeared() -> None:
    absent = settled("r1-anna-v-bo", ("anna", "no_show"), ("anna", "no_show"))
    assert never_appeared([absent], {}) == ["bo"]
    assert (
        never_appeared([absent, settled("r2-bo-v-cia", ("cia", "time"), ("cia", "no_show"))], {})
        == []
    )


def test_an_entrant_that_was_ready_and_left_before_the_first_game_was_over_has_appeared() -> None:
    files = small_run()
    absent = settled("r1-anna-v-bo", ("anna", "no_show"))
    assert never_appeared([absent], files) == []
    void = FixtureVoided(
        at_ms=1,
        fixture="r1-anna-v-bo",
        attempt=1,
        reason=Said("void.left"),
        violations=(1, 1),
        is_last=False,
        record_sha256="0" * 64,
    )
    assert never_appeared([void, EntrantsAbsent(at_ms=2, away=["anna"])], files) == []
    assert never_appeared([void, EntrantsAbsent(at_ms=2, away=["cia"])], files) == ["cia"]
