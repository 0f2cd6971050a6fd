"""Records as rows: every table, positions that follow from the moves, and what cannot be read."""

from contextlib import nullcontext
from random import Random
from typing import Any

import pytest

from arena.games import game_of_record, load_game
from arena.records.lines import RecordError, read_attempts
from arena.records.rows import (
    TABLE_OF,
    TABLES,
    GameRow,
    RejectionRow,
    Row,
    TurnRow,
    cells_of,
    columns_of,
)
from arena.records.tabulate import annulled_in, first_rules, rows_of_run
from tests.fixtures.caller import CALLER, by_these_rules
from tests.fixtures.sample_runs import annulled_run
from tests.fixtures.sitting import Sitting
from tests.fixtures.small_run import (
    RECORD,
    agreed_attempt,
    brandubh_attempt,
    called_attempt,
    forge,
    opened_tournament,
    pairs_attempt,
    run_of,
    small_run,
    unfinished_run,
)

Files = dict[str, bytes]


def rows(files: Files, *tables: str, with_positions: bool = True) -> list[Any]:
    return list(rows_of_run(files, tables=tables or tuple(TABLES), with_positions=with_positions))


def counts(found: list[Row]) -> dict[str, int]:
    names = [TABLE_OF[type(row)] for row in found]
    return {name: names.count(name) for name in TABLES if name in names}


def test_every_game_turn_rejection_and_absence_of_a_run_is_a_row() -> None:
    found = rows(small_run())
    assert counts(found) == {
        "matches": 2,
        "games": 3,
        "turns": 5,
        "rejections": 3,
        "absences": 4,
        "bots": 4,
    }
    first, second = rows(small_run(), "matches")
    assert (first.state, first.winner, first.round) == ("void", None, 1)
    assert first.void_reason
    assert (second.state, second.winner, second.score_1, second.score_2) == ("over", "anna", 12, 0)
    drawn, illegal, late = rows(small_run(), "games")
    assert (drawn.ending, drawn.winner, drawn.loser, drawn.starter) == (
        "turn_limit",
        None,
        None,
        "bo",
    )
    assert (illegal.cause, illegal.winner, illegal.loser) == ("illegal_turns", "anna", "bo")
    assert (late.cause, late.points) == ("time", 6)
    assert [row.event for row in rows(small_run(), "turns") if row.game == 3] == ["flag_fell"]
    assert [row.left for row in rows(small_run(), "rejections")] == [0, 0, -1]


def test_annulled_matches_and_their_games_are_marked() -> None:
    """M5; without a tournament record, as in a record by itself, nobody knows of it."""
    files = annulled_run(is_finished=False)
    found = rows(files, "matches", "games")
    assert [
        (TABLE_OF[type(row)], row.annulled, row.match in annulled_in(files)) for row in found
    ] == [
        ("matches", True, True),
        ("games", True, True),
        ("matches", False, False),
        ("games", False, False),
    ]
    records = {name: data for name, data in files.items() if name.startswith("matches/")}
    assert not any(row.annulled for row in rows(records, "matches", "games"))
    assert annulled_in(small_run()) == frozenset()


def test_the_place_of_a_row_is_its_line() -> None:
    files = small_run()
    for row in rows(files):
        line = files[row.file].splitlines()[row.line - 1].decode()
        assert f'"at_ms":{row.at_ms}' in line
        if isinstance(row, TurnRow):
            assert f'"event":"{row.event}"' in line
            assert f'"turn":{row.turn}' in line
        elif isinstance(row, GameRow):
            assert '"event":"game_ended"' in line


@pytest.mark.parametrize(
    "attempt", [agreed_attempt, brandubh_attempt, called_attempt, pairs_attempt]
)
def test_positions_follow_from_the_moves(attempt: Any) -> None:
    with by_these_rules(CALLER) if attempt is called_attempt else nullcontext():
        sitting = attempt()
        files = run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting)
        rules = game_of_record(sitting.opened.ruleset)
        start = rules.to_plain(rules.start())
        after: dict[int, Any] = {}
        for row in rows(files, "turns"):
            assert row.position == after.get(row.game, start)
            if row.event == "turn_played":
                assert [*map(list, rules.parse_turn(row.notation))] == [*map(list, row.moves)]
                after[row.game] = row.position_after
            else:
                assert row.position_after is None
        assert after
        assert [row.called for row in rows(files, "turns") if row.called] == (
            [1, 1] if sitting.rules is CALLER else []
        )


def test_hits_and_strikes_are_counted() -> None:
    """As many signs in the moves as hits and strikes, and no checker comes to the opponent's bar without one."""
    sitting = Sitting(rules=load_game("vasa"))
    sitting.ready()
    chance = Random(5)  # one of few in which a strike comes up
    while not sitting.is_over:
        sitting.plays(sitting.legal.moves(chance.randrange(len(sitting.legal))))
    hits = strikes = 0
    for row in rows(run_of(opened_tournament(sitting.opened.terms), sitting), "turns"):
        assert row.notation.count("**") == row.strikes
        assert row.notation.count("*") == row.hits + 2 * row.strikes
        assert (row.position_after["bar"][0] > row.position["bar"][1]) is (
            row.hits + row.strikes > 0
        )
        hits, strikes = hits + row.hits, strikes + row.strikes
    assert hits
    assert strikes


def test_positions_are_worked_out_only_if_wanted() -> None:
    for row in rows(small_run(), "turns", "rejections", with_positions=False):
        assert row.position is None
        assert isinstance(row, RejectionRow) or (row.notation, row.hits, row.strikes) == (
            None,
            None,
            None,
        )


def test_of_a_run_that_goes_on_what_is_there_is_shown() -> None:
    files = unfinished_run()
    whole = counts(rows(files))
    files[RECORD] += b'{"event":"turn_pl'
    assert (
        counts(rows(files | {"matches/notes.txt": b"hello", "matches/.DS_Store": b"\0"})) == whole
    )
    assert [row.state for row in rows(files, "matches")] == ["void", "open"]
    assert first_rules({}) is None


def test_broken_records_are_named_with_their_line() -> None:
    def move(found: list[dict[str, Any]]) -> None:
        next(line for line in found if line["event"] == "turn_played")["moves"] = [[1, 24]]

    def rename(found: list[dict[str, Any]]) -> None:
        found[0]["ruleset"]["name"] = "wasa"

    with pytest.raises(RecordError, match=rf"{RECORD}:\d+: this turn is not legal"):
        rows(forge(small_run(), RECORD, move))
    with pytest.raises(RecordError, match=rf"{RECORD}:1: the ruleset cannot be used"):
        rows(forge(small_run(), RECORD, rename))
    with pytest.raises(RecordError, match=rf"{RECORD}:2: not a line"):
        rows(small_run() | {RECORD: small_run()[RECORD].splitlines(keepends=True)[0] + b"{}\n"})


def test_every_column_is_described_and_every_cell_has_its_kind() -> None:
    types = {"integer": int, "text": str, "boolean": bool, "json": str}
    for name in TABLES:
        assert all(column.description for column in columns_of(name))
    for row in rows(small_run()):
        for column, cell in zip(columns_of(TABLE_OF[type(row)]), cells_of(row), strict=True):
            assert cell is None or type(cell) is types[column.kind], column


def test_a_record_can_be_read_without_the_tournament() -> None:
    record = read_attempts(RECORD, small_run()[RECORD])
    assert record[0].where == f"{RECORD}:1"
    [_, second] = rows({RECORD: small_run()[RECORD]}, "matches")
    assert (second.state, second.winner) == ("over", None)
