"""`arena show`: the reason for every verdict, one attempt, calls for dice, and stepping through on a terminal."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.fixtures.arena_runs import environment
from tests.fixtures.asked_pages import write_run
from tests.fixtures.caller import CALLER, by_these_rules
from tests.fixtures.command_line import Arena
from tests.fixtures.sample_runs import annulled_run
from tests.fixtures.small_run import (
    RECORD,
    agreed_attempt,
    brandubh_attempt,
    called_attempt,
    opened_tournament,
    run_of,
)
from tests.processes import await_true


def test_every_verdict_has_its_reason_and_both_clocks(arena: Arena, run_folder: Path) -> None:
    shown = arena("show", run_folder / RECORD, "--attempt", 2).stdout
    lines = [line.strip() for line in shown.splitlines()]
    assert re.search(r"^     legal: one of \d+ legal turns$", shown, re.MULTILINE)
    assert "clocks: anna 150 ms, bo 200 ms" in lines
    assert re.search(
        r"^     illegal by B[\d.]+ \(\w+\); there are \d+ legal turns$", shown, re.MULTILINE
    )
    assert (
        "more illegal turns than the tournament forgives in a game (1); a forfeit pays the highest points of the ruleset"
        in lines
    )
    assert "no result after 2 turns" in lines
    assert any(
        line.startswith("the loser's time ran out (100 ms a turn and 200 ms a game)")
        for line in lines
    )
    assert any(
        line.startswith("too late: it had 100 ms for the turn and 200 ms in the bank")
        for line in lines
    )


def test_one_attempt_one_game_one_turn(arena: Arena, run_folder: Path) -> None:
    first = arena("show", run_folder / RECORD, "--attempt", 1, "--no-boards").stdout
    assert first.count("small") == 0
    assert "the match is void" in first
    assert "the match is over" not in first
    lines = arena(
        "show", run_folder / RECORD, "--attempt", 2, "--game", 2, "--turn", 1, "--json"
    ).stdout.splitlines()
    facts = [json.loads(line) for line in lines[1:]]
    assert {fact["game"] for fact in facts} == {2}
    assert {fact.get("turn", 1) for fact in facts} == {1}
    result = arena("show", run_folder / RECORD, "--attempt", 3)
    assert (result.exit_code, "has no attempt 3; it has 1, 2" in result.stderr) == (2, True)


def test_the_matches_of_a_run_have_a_line_each(arena: Arena, run_folder: Path) -> None:
    for number in (10, 2):
        (run_folder / "matches" / f"r{number}-anna-v-bo.jsonl").touch()
    result = arena("show", run_folder)
    assert (result.exit_code, result.stdout.splitlines()) == (
        0,
        [
            f"{run_folder / RECORD}   anna 12 : 0 bo  over; 1 void attempt before it",
            f"{run_folder / 'matches'}/r2-anna-v-bo.jsonl   nothing in it yet",
            f"{run_folder / 'matches'}/r10-anna-v-bo.jsonl  nothing in it yet",
        ],
    )


def test_an_annulled_match_is_called_so(here: Path, arena: Arena) -> None:
    write_run(here / "run", annulled_run(is_finished=False))
    annulled, drawn = arena("show", "run").stdout.splitlines()
    assert annulled.endswith("  annulled")
    assert drawn.endswith("  over")


def test_a_broken_record_is_named_and_the_others_are_listed(arena: Arena, run_folder: Path) -> None:
    (run_folder / "matches" / "r0-anna-v-bo.jsonl").write_bytes(b"nonsense\n")
    result = arena("show", run_folder)
    assert result.exit_code == 1
    assert [line.split()[1] for line in result.stdout.splitlines()] == ["cannot", "anna"]
    assert result.stderr.startswith(
        "cannot be read: matches/r0-anna-v-bo.jsonl:1: not a line of this record"
    )


class Terminal:
    """`arena show --step` on a terminal of its own."""

    def __init__(self, *arguments: object, **variables: str) -> None:
        self._end, theirs = pty.openpty()
        command = [sys.executable, "-m", "arena", "show", *map(str, arguments)]
        self._process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(TERM="xterm", **variables),
            start_new_session=True,
        )
        os.close(theirs)

    def page(self) -> str:
        """All that is shown until the line with the keys."""
        found = b""
        while b"q quit" not in found:
            assert select.select([self._end], [], [], 20)[0], found
            found += os.read(self._end, 4096)
        return found.decode().replace("\r\n", "\n")

    def _type(self, key: str) -> None:
        """Press a key once the program listens to single keys: it drops what was typed before."""
        await_true(lambda: not termios.tcgetattr(self._end)[3] & termios.ICANON)
        os.write(self._end, key.encode())

    def press(self, key: str) -> str:
        self._type(key)
        return self.page()

    def quit(self, key: str) -> int:
        self._type(key)
        status = self._process.wait(20)
        os.close(self._end)
        return status


def test_colours_are_for_terminals_that_want_them(arena: Arena, run_folder: Path) -> None:
    arguments = (run_folder / RECORD, "--attempt", 2, "--game", 1, "--turn", 2)
    coloured = Terminal(*arguments, "--step")
    assert "\x1b[7m" in coloured.page()
    assert coloured.quit("q") == 0
    plain = Terminal(*arguments, "--step", NO_COLOR="1")
    page = plain.page().replace("\x1b[2J\x1b[1;1H", "")
    assert "\x1b" not in page
    assert plain.quit("q") == 0
    printed = arena("show", *arguments).stdout
    assert (
        max(len(line) for line in printed.splitlines() if "│" in line or line.startswith("  >"))
        <= 80
    )
    assert "\x1b" not in printed
    assert "> O   1   2   3 " in printed or "> X   13  14 " in printed
    assert "(O)" in printed


def test_stepping_through_a_game(run_folder: Path) -> None:
    terminal = Terminal(run_folder / RECORD, "--attempt", 2, "--game", 1, "--step", "--turn", 2)
    second = terminal.page()
    assert "   2 " in second
    assert "legal: one of" in second
    assert "24  23  22  21  20  19" in second  # the board on which the game ended
    assert "3 of 4" in second
    assert "game 1 ends after 2 turns" in terminal.press("n")
    assert "4 of 4" in terminal.press("n")
    assert "3 of 4" in terminal.press("p")
    first = terminal.press("g")
    assert "1 of 4" in first
    assert "game 1: " in first
    assert "4 of 4" in terminal.press("G")
    assert "3 of 4" in terminal.press("\x1b[D")
    assert terminal.quit("q") == 0


# Calls for dice (B11.3) at the command line


def test_calls_are_shown_before_the_turns_they_belong_to(arena: Arena, here: Path) -> None:
    sitting = called_attempt()
    folder = write_run(here / "run", run_of(opened_tournament(sitting.opened.terms), sitting))
    with by_these_rules(CALLER):
        lines = arena("show", "--no-boards", folder / RECORD).stdout.splitlines()
    assert lines[4:9] == [
        "game 1: anna starts (throws 1-6)",
        "   1 O anna calls for 1 die   (40 ms)",
        "   1 O anna rolls 1: 1/2   (130 ms, 170 ms left)",
        "   2 X bo; REJECTED (no_such_call, B11.3; 0 left): you may not call for 3 dice here; call for 1 or 2",
        "   2 X bo calls for 2 dice   (10 ms)",
    ]
    assert "   1 X bo does not answer in time (301 ms)" in lines
    assert "   1 X bo rolls 6 and does not answer in time (301 ms)" in lines


# Brandubh: colours and squares, and no dice


@pytest.fixture
def brandubh(here: Path) -> Path:
    sitting = brandubh_attempt()
    return write_run(
        here / "brandubh",
        run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting),
    )


def test_a_match_is_shown_with_colours_and_squares_and_no_dice(
    arena: Arena, brandubh: Path
) -> None:
    result = arena("show", brandubh / RECORD)
    lines = result.stdout.splitlines()
    assert lines[0].startswith(
        "r1-anna-v-bo: anna (seat 1) against bo (seat 2), brandubh-1, 3 games,"
    )
    assert "game 1: anna (Black) starts" in lines
    assert "game 2: bo (Black) starts" in lines
    assert "   1 Black bo: d1-c1   (0 ms, 200 ms left)" in lines
    assert "   2 White anna: d3-c3   (0 ms, 200 ms left)" in lines
    assert "game 2 ends after 8 turns: drawn, repetition (T9)" in lines
    assert any(
        line.startswith("   2 White bo; REJECTED (blocked, T2; 0 left): d3-d2 is blocked on d2")
        for line in lines
    )
    assert (
        "game 3 ends after 1 turn: anna wins by forfeit (illegal turns), 1 point (B10.2)" in lines
    )
    assert "  4   b b w K w b b" in lines
    assert "roll" not in result.stdout


def test_offers_and_agreements_are_shown(arena: Arena, here: Path) -> None:
    sitting = agreed_attempt()
    files = run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting)
    lines = arena(
        "show", "--no-boards", write_run(here / "agreed", files) / RECORD
    ).stdout.splitlines()
    first = lines.index("game 1: anna (Black) starts")
    assert lines[first + 1].startswith(
        "   1 Black anna; REJECTED (no_draw_offered, T9; 0 left): a draw was accepted, but"
    )
    assert lines[first + 2 : first + 6][0::3] == [
        "   1 Black anna: d1-c1, offers a draw   (5 ms, 200 ms left)",
        "game 1 ends after 1 turn: drawn, agreement (T9)",
    ]
    assert lines[first + 4] == "   2 White bo accepts the draw   (150 ms, 150 ms left)"
    assert arena("show", here / "agreed").stdout.endswith("anna 0 : 0 bo  over\n")
    reasons = [line.strip() for line in arena("show", here / "agreed" / RECORD).stdout.splitlines()]
    assert "legal by T9: the turn before offered the draw" in reasons
    assert "an offered draw was accepted" in reasons


def test_the_facts_have_the_position_after_each_turn_as_the_side_that_moves_next_sees_it(
    arena: Arena, run_folder: Path
) -> None:
    lines = [
        json.loads(line)
        for line in arena("show", "--json", run_folder / RECORD).stdout.splitlines()
    ]
    query = "SELECT position_after FROM turns WHERE event = 'turn_played' ORDER BY line"
    rows = [
        json.loads(line) for line in arena("query", run_folder, query, "--json").stdout.splitlines()
    ]
    found = [line["position_after"] for line in lines if line["event"] == "turn_played"]
    assert found == [json.loads(row["position_after"]) for row in rows]
    assert found[0]["points"][0] == 15, "the side that moves next has not left its head"


def test_the_facts_have_the_position_after_each_turn_of_brandubh(
    arena: Arena, brandubh: Path
) -> None:
    lines = [
        json.loads(line) for line in arena("show", "--json", brandubh / RECORD).stdout.splitlines()
    ]
    played = [line for line in lines if line["event"] == "turn_played" and line["game"] == 2]
    rows = ["...b...", "...b...", "...w...", "bbwkwbb", "...w...", "...b...", "..b...."]
    assert played[0]["position_after"] == {"board": rows, "to_move": "white"}
    assert played[0]["dice"] == []


def test_every_turn_may_have_its_position(arena: Arena, run_folder: Path) -> None:
    record = run_folder / RECORD
    shown = arena("show", record, "--attempt", 2, "--turn", 1, "--no-boards", "--id").stdout
    assert "\n     1:15 | opp 13:15\n" in shown
    assert "1:15 | opp" not in arena("show", record, "--turn", 1, "--no-boards").stdout
