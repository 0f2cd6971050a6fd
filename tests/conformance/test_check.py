"""`arena check`: its findings for bots with one fault, and for bots with none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from arena.conformance.game_length import LONG_GAMES
from arena.conformance.situations import situations
from arena.games import ruleset_names
from arena.matches.time_control import TimeControl
from arena.server.setup.sections import toml_value
from protocol.messages import MatchStart, Turn
from tests.fixtures.bot_workshop import ROOT, surroundings
from tests.fixtures.command_line import Arena
from tests.fixtures.sitting import VASA

ROGUE = f"{sys.executable} {Path(__file__).with_name('rogue.py')}"
RANDOM = f"{sys.executable} {ROOT / 'sample_bots' / 'random' / 'bot.py'}"
PATIENCE_S = 60


@pytest.fixture(autouse=True)
def _kit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def checked(arena: Arena, command: str, *options: str) -> tuple[int, dict[str, Any]]:
    result = arena("check", "--set", "limits.sandbox=off", "--json", *options, command)
    return result.exit_code, {one["name"]: one for one in json.loads(result.stdout)["situations"]}


@pytest.mark.parametrize(
    ("fault", "situation", "found", "expected"),
    [
        (
            "crash",
            "handshake",
            "does not connect: its program ended with exit status 1",
            "ARENA_ADDRESS, and login",
        ),
        (
            "junk",
            "handshake",
            "breaks the protocol: a frame of 1751477356 bytes is announced",
            "login",
        ),
        ("choosy", "match", "hangs up", "match_ready for match 'check'"),
        (
            "illegal",
            "match",
            "gives an illegal turn: the turn uses 1 die, but 2 dice of 6-2 can be used",
            "6-2 at",
        ),
        ("talkative", "handshake", "says something after the arena's last word", "nothing"),
    ],
)
def test_what_a_bot_does_wrong_is_found(
    arena: Arena, fault: str, situation: str, found: str, expected: str
) -> None:
    code, seen = checked(arena, f"{ROGUE} {fault}", "--only", situation, "--wait", "5")
    one = seen[situation]
    assert (code, one["result"]) == (1, "failed")
    assert one["found"].startswith(found)
    assert expected in one["expected"]
    assert re.fullmatch(r"docs/protocol(-[a-z]+)?\.md#[a-z-]+", one["see"])
    if fault == "crash":
        assert one["stderr"][-1].startswith("no file weights.bin; the token is ****")
    if fault == "choosy":
        assert (one["program"], one["stderr"]) == (
            "ended with exit status 1",
            ["this bot does not play vasa"],
        )
    if fault == "illegal":
        assert json.loads(one["decoded"]) == {
            "type": "play",
            "info": None,
            "game": 1,
            "turn": 1,
            "moves": [[1, 7]],
        }
        assert bytes.fromhex(one["hex"])[4:].startswith(b"\x85\xa4type\xa4play")
    if fault == "junk":
        assert (bytes.fromhex(one["hex"]), one["decoded"]) == (b"hello, arena\n", "")


def test_a_bot_that_hangs_is_told_its_clock(arena: Arena) -> None:
    code, seen = checked(arena, f"{ROGUE} slow", "--only", "bank", "--set", "clock.bank_ms=300")
    assert (code, seen["bank"]["found"]) == (
        1,
        "says nothing more for 300 ms, all that its clock allows",
    )


def test_a_bot_has_its_delay_whatever_wait_says(arena: Arena) -> None:
    code, seen = checked(
        arena,
        f"{ROGUE} ponders",
        "--only",
        "delay",
        "--wait",
        "0.45",
        "--set",
        "clock.delay_ms=20000",
    )
    assert (code, seen["delay"]["result"]) == (0, "passed")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "found", "program"),
    [
        ("crashes later", "hangs up", "ended with exit status 1"),
        ("hangs later", "says nothing more for 1500 ms, all that its clock allows", ""),
        ("leaks later", "hangs up", "was ended"),
    ],
)
def test_what_goes_wrong_from_the_seventh_turn_on_is_found(
    arena: Arena, fault: str, found: str, program: str
) -> None:
    """Every other situation is over by then."""
    limits = (
        "--set",
        "clock.delay_ms=1000",
        "--set",
        "clock.bank_ms=500",
        "--set",
        "limits.memory_mib=256",
    )
    code, seen = checked(arena, f"{ROGUE} '{fault}'", "--only", "match", "--only", "game", *limits)
    assert (code, seen["match"]["result"], seen["game"]["result"]) == (1, "passed", "failed")
    assert (seen["game"]["found"], len(seen["game"]["spent_ms"])) == (
        found,
        6 if fault != "leaks later" else ANY,
    )
    assert program in seen["game"]["program"]


def test_the_bot_of_the_page_on_the_library_plays_every_game(arena: Arena, here: Path) -> None:
    page = (ROOT / "docs" / "rules-library.md").read_text(encoding="utf-8")
    (here / "shortest.py").write_text(page.partition("```python\n")[2].partition("```")[0])
    for ruleset in ("fiske", "brandubh-2"):
        code, seen = checked(
            arena, f"{sys.executable} shortest.py", "--only", "match", "--ruleset", ruleset
        )
        assert (code, seen["match"]["result"]) == (0, "passed")


@pytest.mark.slow
def test_a_bot_that_would_lose_on_time_fails_soon_with_its_figures(arena: Arena) -> None:
    code, seen = checked(
        arena, f"{ROGUE} ponders", "--set", "clock.delay_ms=100", "--set", "clock.bank_ms=1000"
    )
    assert code == 1
    assert seen["match"]["result"] == "passed"
    takes_ms = r"takes \d+ ms for a turn \(the middle one of 3\), and loses on time in its turn \d+"
    assert re.fullmatch(takes_ms, seen["pace"]["found"])
    assert seen["pace"]["expected"] == (
        "at most 109 ms a turn, with which the clock of 100 ms a turn and 1000 ms a game lasts for 103 turns a side"
    )
    assert {one["skipped"] for one in list(seen.values())[3:]} == {"pace goes wrong"}
    only = ("--only", "match", "--only", "pace")
    assert checked(arena, f"{ROGUE} ponders", *only)[1]["pace"]["result"] == "passed"
    lasts = "with 1582 ms a turn the clock lasts for 103 turns; 19 of 20 games between good bots are no longer"
    assert lasts in " ".join(
        arena("check", "--set", "limits.sandbox=off", *only, f"{ROGUE} ponders").stdout.split()
    )


@pytest.mark.slow
def test_long_games_are_known_of_every_ruleset_and_of_house_rulesets_by_their_base(
    arena: Arena,
) -> None:
    assert LONG_GAMES.keys() == set(ruleset_names())
    house = ("--set", 'tournament.ruleset={base = "fiske", name = "mine", jan = true}')
    note = checked(arena, f"{ROGUE} ponders", "--only", "match", "--only", "pace", *house)[1][
        "pace"
    ]["note"]
    assert "lasts for 88 turns" in note
    whole = (
        "--set",
        f"tournament.ruleset={toml_value({**VASA.ruleset, 'name': 'whole', 'longest_prime': 7})}",
    )
    code, seen = checked(arena, f"{ROGUE} ponders", "--only", "match", "--only", "pace", *whole)
    assert (code, seen["pace"]["skipped"]) == (0, "the length of games of whole was not measured")


@pytest.mark.slow
def test_the_clocks_of_a_tournament_file_are_those_of_the_check(arena: Arena, here: Path) -> None:
    (here / "t.toml").write_text(
        '[tournament]\nruleset = "backgammon"\n[clock]\ndelay_ms = 100\nbank_ms = 1000\n'
        '[limits]\nsandbox = "off"\n[[bot]]\nname = "anna"\nremote = true\n[[bot]]\nname = "bo"\nremote = true\n'
    )
    only = ("--only", "match", "--only", "pace", "--tournament", "t.toml")
    result = arena("check", "--json", *only, f"{ROGUE} ponders")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["ruleset"]) == (1, "backgammon")
    assert told["situations"][1]["expected"].endswith(
        "100 ms a turn and 1000 ms a game lasts for 47 turns a side"
    )
    refused = arena("check", "--tournament", "t.toml", "--ruleset", "vasa", "true")
    assert refused.exit_code == 2
    assert "t.toml defines the tournament already; leave out --ruleset" in refused.stderr


def test_a_clock_with_an_increment_has_a_situation_in_which_the_bank_has_grown(
    arena: Arena,
) -> None:
    code, seen = checked(
        arena, f"{ROGUE} ponders", "--only", "increment", "--set", "clock.increment_ms=500"
    )
    assert (code, seen["increment"]["result"]) == (0, "passed")
    [one] = [
        one for one in situations(VASA, TimeControl(increment_ms=500)) if one.name == "increment"
    ]
    said = [message for words in one.connections[0] for message in words.messages]
    assert [message.clock.left_ms for message in said if isinstance(message, Turn)] == [
        60_000,
        60_500,
    ]
    assert [message.clock.increment_ms for message in said if isinstance(message, MatchStart)] == [
        500
    ]


def test_a_clock_without_a_part_has_no_situation_for_it(arena: Arena) -> None:
    for part in ("delay", "bank", "increment"):
        listed = arena("check", "--list", "--set", f"clock.{part}_ms=0").stdout
        assert "handshake" in listed
        assert not re.search(rf"^{part} ", listed, re.MULTILINE)


def test_what_is_optional_fails_nothing(arena: Arena) -> None:
    code, seen = checked(arena, f"{ROGUE} status", "--only", "exit-status", "--only", "reconnect")
    assert code == 0
    assert [one["result"] for one in seen.values()] == ["failed", "failed"]
    assert seen["exit-status"]["found"] == "leaves otherwise: its program ended with exit status 3"
    assert (
        seen["reconnect"]["expected"] == "a connection to the address in ARENA_ADDRESS, and login"
    )


def test_without_a_login_nothing_else_is_tried(arena: Arena) -> None:
    result = arena("check", "--set", "limits.sandbox=off", f"{ROGUE} crash")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "FAIL handshake         answers hello with login, and stops at bye"
    assert [line.split(":")[0].strip() for line in lines[1:-1]] == [
        "found",
        "expected",
        "stderr",
        "see",
    ]
    assert lines[-1] == (
        "0 of 23 situations go well under vasa, 22 not played (handshake goes wrong): something that is required "
        "goes wrong."
    )


def test_what_a_bot_prints_steers_no_terminal(arena: Arena) -> None:
    result = arena(
        "check", "--set", "limits.sandbox=off", "--only", "handshake", f"{ROGUE} colourful"
    )
    (line,) = (line for line in result.stdout.splitlines() if "stderr:" in line)
    assert line.startswith("     stderr:   \\x1b[31mred\\x07!!!")
    assert len(line) < 2100


def test_a_call_for_dice_is_only_for_bots_that_want_it(arena: Arena) -> None:
    ruled = ("--ruleset", "classic", "--set", "tournament.options=['one_die']", "--only", "call")
    assert checked(arena, RANDOM, *ruled)[1]["call"]["result"] == "passed"
    code, seen = checked(arena, f"{ROGUE} none", *ruled)
    assert (code, seen["call"]["skipped"]) == (0, "it does not ask for call")


RESTING = """
from protocol.client import Bot, Break, Choice

class Resting(Bot):
    wants = ("legal",)

    def play(self, turn):
        return Choice(0)

    def between_games(self, pause: Break):
        assert (pause.number, pause.left_ms) == (2, 5000)

Resting().main()
"""


def test_a_break_is_only_for_bots_that_want_it(arena: Arena, tmp_path: Path) -> None:
    """Others hear nothing of it, unless they are asked for this situation alone."""
    (tmp_path / "resting.py").write_text(RESTING, encoding="utf-8")
    only = ("--only", "break", "--only", "window")
    assert (
        checked(arena, f"python {tmp_path / 'resting.py'}", *only)[1]["break"]["result"] == "passed"
    )
    assert "break" not in checked(arena, RANDOM, *only)[1]
    code, seen = checked(arena, RANDOM, "--only", "break")
    assert (code, seen["break"]["skipped"]) == (0, "it does not ask for break")


def test_the_checklist_of_a_good_bot(arena: Arena) -> None:
    only = ("--only", "match", "--only", "entering", "--only", "refused")
    result = arena("check", "--set", "limits.sandbox=off", *only, "--", *RANDOM.split())
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [re.sub(r"\d+ ms", "0 ms", line) for line in result.stdout.splitlines()]
    assert lines == [
        "ok   match             plays a match of two games, from match_start to match_end; at most 0 ms a turn",
        "ok   entering          enters a checker from the bar; at most 0 ms a turn",
        "ok   refused           leaves without another word when its login is refused",
        "3 of 3 situations go well under vasa: all that is required goes well.",
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "ruled",
    [
        ("--ruleset", "backgammon"),
        pytest.param(("--ruleset", "brandubh-1"), marks=pytest.mark.soak),
        pytest.param(("--ruleset", "fiske"), marks=pytest.mark.soak),
        pytest.param(
            ("--ruleset", "classic", "--set", "tournament.options=['one_die', 'double_six']"),
            marks=pytest.mark.soak,
        ),
    ],
    ids=lambda ruled: ruled[1],
)
def test_a_good_bot_conforms_in_every_game(arena: Arena, ruled: tuple[str, ...]) -> None:
    code, seen = checked(arena, RANDOM, *ruled)
    assert code == 0
    assert [name for name, one in seen.items() if one["result"] != "passed"] == []


def test_a_bot_that_connects_by_itself(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("open sesame, please\n")
    only = ("--only", "handshake", "--only", "match")
    command = [
        sys.executable,
        "-m",
        "arena",
        "check",
        "--connect",
        "tcp:127.0.0.1:0",
        "--name",
        "anna",
        *only,
    ]
    with subprocess.Popen(
        [*command, "--token-file", str(tmp_path / "token")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as checking:
        try:
            assert checking.stderr is not None
            assert "start it in a loop with:" in checking.stderr.readline()
            told = checking.stderr.readline()
            address = re.match(r"ARENA_ADDRESS=(\S+) ARENA_NAME=anna ARENA_TOKEN=\$\(cat ", told)
            assert address, told
            given = {
                "ARENA_ADDRESS": address[1],
                "ARENA_NAME": "anna",
                "ARENA_TOKEN": "open sesame, please",
            }
            for _ in range(2):
                subprocess.run(
                    RANDOM.split(), env=surroundings(**given), check=True, timeout=PATIENCE_S
                )
            printed, complained = checking.communicate(timeout=PATIENCE_S)
        finally:
            checking.kill()
    assert (checking.returncode, complained) == (0, "")
    assert printed.endswith(
        "2 of 2 situations go well under vasa: all that is required goes well.\n"
    )
    assert "open sesame, please" not in printed + told


def test_the_list_of_situations(arena: Arena) -> None:
    lines = arena("check", "--list", "--ruleset", "brandubh-1").stdout.splitlines()
    assert "draw-offered      answers a turn with which a draw is offered" in lines
    told = json.loads(arena("check", "--list", "--json").stdout)["situations"]
    assert [one["name"] for one in told if not one["required"]] == [
        "unknown-messages",
        "exit-status",
        "reconnect",
    ]
