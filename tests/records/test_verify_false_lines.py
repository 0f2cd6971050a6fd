"""`verify_run`: no hash makes a false line true."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from tests.matches.sitting import Sitting
from tests.records.forgeries import LEDGER, Line, assert_refused, nth, setting, twice, without
from tests.records.small_run import FIXTURE, RECORD, TERMS, attempt_record, forge, opened_tournament, run_of, small_run

MATCH_FORGERIES = {
    "a die of a roll": setting("turn_played", 1, dice=[5, 6]),
    "the dice of a roll in the other order": setting("turn_played", 1, dice=[6, 4]),
    "the throw for the start": setting("game_started", 0, opening=[[3, 1]]),
    "one throw more for the start": setting("game_started", 0, opening=[[2, 2], [2, 1]]),
    "who starts": setting("game_started", 1, starter=1),
    "who starts a later game": setting("game_started", 2, starter=2),
    "a throw in a later game": setting("game_started", 2, opening=[[1, 2]]),
    "an illegal turn as played": setting("turn_played", 1, moves=[[1, 9], [1, 5]]),
    "a legal turn as rejected": setting("turn_rejected", 0, moves=[[1, 7], [1, 5]]),
    "the code of a rejection": setting("turn_rejected", 0, code="fewer_dice"),
    "the clause of a rejection": setting("turn_rejected", 0, clause="B3.3"),
    "the sentence of a rejection": setting("turn_rejected", 0, message="no."),
    "rejections left": setting("turn_rejected", 0, left=1),
    "legal turns of a rejected roll": setting("turn_rejected", 0, legal_turns=3),
    "whose turn it was": setting("turn_played", 1, seat=1),
    "the number of a turn": setting("turn_played", 1, turn=2),
    "the number of a game": setting("turn_played", 1, game=2),
    "what is left on the clock": setting("turn_played", 2, left_ms=151),
    "the time of a turn": setting("turn_played", 2, spent_ms=120),
    "a turn that took more than there was": setting("turn_played", 2, spent_ms=301),
    "a flag that fell in time": setting("flag_fell", 0, spent_ms=300),
    "the dice under a flag": setting("flag_fell", 0, dice=[1, 5]),
    "who won a game": setting("game_ended", 1, winner=2),
    "a winner of a drawn game": setting("game_ended", 0, winner=1),
    "how a game ended": setting("game_ended", 0, ending="jan"),
    "by which clause": setting("game_ended", 0, clause="B9.1"),
    "the points of a game": setting("game_ended", 1, points=5),
    "the monk": setting("game_ended", 1, monk=True),
    "the rank": setting("game_ended", 1, rank=1),
    "why a game was forfeited": setting("game_ended", 1, cause="time"),
    "the turns of a game": setting("game_ended", 0, turns=3),
    "the score after a game": setting("game_ended", 1, score=[7, 0]),
    "the score of the match": setting("match_ended", 0, score=[13, 0]),
    "the violations of the match": setting("match_ended", 0, violations=[0, 2]),
    "the violations of a void match": setting("match_voided", 0, violations=[1, 0]),
    "a bot's entropy": setting("bot_ready", 0, entropy="0b"),
    "a bot of another name": setting("bot_ready", 0, entrant__name="zoe"),
    "the seed": setting("dice_revealed", 0, dice_seed="00" * 32),
    "the attempt of the seed": setting("dice_revealed", 0, attempt=2),
    "the commitment": setting("match_opened", 0, dice_commitment="00" * 32),
    "seed and commitment": lambda found: (
        setting("dice_revealed", 0, dice_seed="00" * 32)(found),
        setting("match_opened", 0, dice_commitment=hashlib.sha256(bytes(32)).hexdigest())(found),
    ),
    "what an entrant is called": setting("match_opened", 0, names=["Anna", "bo"]),
    "a rule": setting("match_opened", 0, ruleset__fields__points_jan=5),
    "the hash of the rules": setting("match_opened", 0, ruleset__hash="00" * 32),
    "the name of the rules": setting("match_opened", 0, ruleset__name="classic"),
    "no rules at all": setting("match_opened", 0, ruleset={}),
    "rules that are no table": setting("match_opened", 0, ruleset={"name": "vasa", "hash": "", "fields": 1}),
    "the clock": setting("match_opened", 0, terms__bank_ms=201),
    "the number of games": setting("match_opened", 0, terms__games=2),
    "the evaluator for luck": setting("match_opened", 0, luck={"name": "other", "sha256": "00" * 32}),
    "the entrants": setting("match_opened", 0, entrants=["bo", "anna"]),
    "the name of the match": setting("match_opened", 0, match="r1-bo-v-anna"),
    "the number of the attempt": setting("match_opened", 0, attempt=2),
    "the version of the format": setting("match_opened", 0, v=2),
    "the version of a line": setting("turn_played", 0, v=2),
    "no attempt of that number": lambda found: found.__delitem__(slice(10, None)),
    "a bot that never left comes back": lambda found: found.insert(
        found.index(nth(found, "turn_played", 1)),
        {"event": "bot_returned", "v": 1, "at_ms": 1_700_000_010_030, "seat": 1},
    ),
    "the seed left out": without("dice_revealed", 1),
    "the seed told twice": twice("dice_revealed", 1),
    "a receipt after the seed": lambda found: found.insert(-1, found.pop(found.index(nth(found, "receipt_disputed")))),
    "the end left out": without("match_ended"),
    "the void left out": without("match_voided"),
    "the end told twice": twice("match_ended"),
    "a roll left out": without("turn_played", 1),
    "time that runs backwards": setting("match_ended", 0, at_ms=1_700_000_010_000),
    "readiness after the start-up deadline": lambda found: (
        setting("bot_ready", 3, at_ms=1_700_000_011_001)(found),
        setting("game_started", 1, at_ms=1_700_000_011_001)(found),
    ),
}


@pytest.mark.parametrize("change", MATCH_FORGERIES.values(), ids=MATCH_FORGERIES)
def test_a_false_line_in_a_match_record_is_found_although_every_hash_fits(change: Callable[[list[Line]], None]) -> None:
    assert_refused(forge(small_run(), RECORD, change), RECORD, LEDGER)


TOURNAMENT_FORGERIES = {
    "the points of a game": setting("fixture_settled", games__1__points=5),
    "the winner of a game": setting("fixture_settled", games__1__winner="bo"),
    "the cause of a game": setting("fixture_settled", games__1__cause="time"),
    "a game less": setting("fixture_settled", games=[]),
    "the score": setting("fixture_settled", score=[11, 0]),
    "the winner": setting("fixture_settled", winner="bo"),
    "the decision": setting("fixture_settled", decision=["decision.points", {}]),
    "the violations": setting("fixture_settled", violations=[0, 0]),
    "the hash of the record": setting("fixture_settled", record_sha256="00" * 32),
    "the attempt": setting("fixture_settled", attempt=1),
    "the reason of the void": setting("fixture_voided", reason=["void.stopped", {}]),
    "the violations of the void": setting("fixture_voided", violations=[0, 0]),
    "the hash of the void record": setting("fixture_voided", record_sha256="00" * 32),
    "void for good, and played": setting("fixture_voided", is_last=True),
    "the commitment": setting("fixture_issued", dice_commitment="00" * 32),
    "the number of an attempt": setting("fixture_issued", 1, attempt=3),
    "a fixture nobody scheduled": setting("fixture_issued", 1, fixture="r2-anna-v-bo"),
    "a fixture that is none": setting("fixture_settled", fixture="anna and bo"),
    "the standings": setting("tournament_ended", standings__0__points=99),
    "the places": setting("tournament_ended", standings__0__place=2),
    "the match points": setting("tournament_ended", standings__0__match_points=0.5),
    "the order": lambda found: nth(found, "tournament_ended")["standings"].reverse(),
    "a row less": lambda found: nth(found, "tournament_ended")["standings"].pop(),
    "a step that was not needed": setting("tournament_ended", tie_breaks=[["standing.by_lot", {}]]),
    "a note": setting("tournament_ended", notes=["bo was ill"]),
    "the entrants": setting("tournament_opened", entrants=["anna", "cia"]),
    "one entrant more": setting("tournament_opened", entrants=["anna", "bo", "cia"]),
    "one entrant alone": setting("tournament_opened", entrants=["anna"]),
    "an entrant that is no name": setting("tournament_opened", entrants=["anna", "B o"]),
    "no cycle": setting("tournament_opened", schedule__cycles=0),
    "the rules": setting("tournament_opened", ruleset__fields__points_jan=5),
    "the clock": setting("tournament_opened", terms__delay_ms=1),
    "the evaluator for luck": setting("tournament_opened", luck={"name": "other", "sha256": "00" * 32}),
    "the tournament file": setting("tournament_opened", file_sha256="00" * 32),
    "the version of the format": setting("tournament_opened", v=2),
    "an attempt never issued": without("fixture_issued", 0),
    "an attempt issued twice": twice("fixture_issued", 1),
    "a match settled twice": twice("fixture_settled"),
    "an attempt void twice": twice("fixture_voided"),
    "opened twice": twice("tournament_opened"),
    "ended twice": twice("tournament_ended"),
    "a match that was played left out": without("fixture_settled"),
    "the end left out": without("tournament_ended"),
    "a withdrawal without violations": lambda found: found.insert(
        -2, {"event": "entrant_withdrawn", "v": 1, "at_ms": 1_700_000_010_585, "entrant": "bo", "violations": 3}
    ),
    "a withdrawal of a stranger": lambda found: found.insert(
        -2, {"event": "entrant_withdrawn", "v": 1, "at_ms": 1_700_000_010_585, "entrant": "zoe", "violations": 6}
    ),
    "a withdrawal that was due left out": setting("tournament_opened", violations=2),
}


@pytest.mark.parametrize("change", TOURNAMENT_FORGERIES.values(), ids=TOURNAMENT_FORGERIES)
def test_a_false_line_in_the_tournament_record_is_found_although_every_hash_fits(
    change: Callable[[list[Line]], None],
) -> None:
    assert_refused(forge(small_run(), LEDGER, change), LEDGER, "matches/", "tournament.toml")


def test_a_forgery_that_changes_nothing_is_in_order() -> None:
    for name in (LEDGER, RECORD):
        assert forge(small_run(), name, lambda _: None) == small_run()


def test_an_attempt_nobody_issued_is_found() -> None:
    files = small_run()
    more = Sitting(terms=TERMS, attempt=3)
    more.ready()
    more.void()
    assert_refused(files | {RECORD: attempt_record(more, files[RECORD])}, FIXTURE)
    lines = files[LEDGER].splitlines(keepends=True)
    assert_refused(files | {LEDGER: lines[0]}, FIXTURE)


def test_rules_that_cannot_be_used_are_named() -> None:
    def change(found: list[Line]) -> None:
        for line in found:
            if "ruleset" in line:
                line["ruleset"]["fields"]["points_jan"] = "many"

    files = forge(small_run(), LEDGER, change)
    assert_refused(forge(files, RECORD, change), "ruleset")


@pytest.mark.parametrize("ruleset", [{}, {"name": "vasa", "hash": "", "fields": 1}, {"fields": {"name": "vasa"}}])
def test_a_tournament_whose_ruleset_cannot_be_used_is_refused(ruleset: dict[str, Any]) -> None:
    files = run_of(opened_tournament(), is_finished=False)
    assert_refused(forge(files, LEDGER, setting("tournament_opened", ruleset=ruleset)), LEDGER)
