"""Engines that speak UBGI or answer boards of FIBS: the drafts, faulty engines, whole games of the sample engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from arena.adapters.child import AdapterError
from arena.adapters.engines import LineEngine, UbgiEngine
from arena.adapters.stdio import LineProgram
from arena.cli.adapter import ENGINES, command
from arena.games import load_game, ruleset_record
from arena.server.setup.tournament_file import parse_plan
from protocol.client import TurnView
from protocol.messages import GameStart
from tests.adapters.behind import assert_complains
from tests.fixtures.arena_runs import REPOSITORY, assert_verified, play
from tests.fixtures.message_samples import MATCH_START, TURN

BACKGAMMON = load_game("backgammon")
MATCH = msgspec.structs.replace(MATCH_START, ruleset=ruleset_record(BACKGAMMON))
START = GameStart(game=1, match=MATCH.match, number=1, seat=1, starts=True)
LEGAL = [
    [list(move) for move in turn.moves]
    for turn in BACKGAMMON.legal_turns(BACKGAMMON.start(), (3, 1))
]
ASKED = TurnView(
    msgspec.structs.replace(
        TURN, dice=[3, 1], position=BACKGAMMON.to_plain(BACKGAMMON.start()), legal=LEGAL
    ),
    START,
    MATCH,
)
HERE = ("--address", "x", "--name", "a", "--token", "t")
SAMPLE = REPOSITORY / "sample_bots" / "engine" / "engine.py"

READY = "isready) echo readyok;; ubgi) echo id name old; echo ubgiok;;"
DRAFT_0 = "ubgi) echo id name old; echo readyok;; board:*) echo 8-5 6-5;;"
DRAFT_1 = f"{READY} newsession*) echo error unknown_command;; 'go role chequer') echo info 1; echo bestmove 8/5 6/5;;"
DRAFT_2 = (
    f"{READY.replace('ubgiok', 'proto 0.2; echo ubgiok')} 'go chequer') echo bestmove 8/5 6/5;;"
)
GAME = ("newgame", "isready")
SESSION = ("newsession type money jacoby off", "isready")
QUESTION = ("position gnubgid 4HPwATDgc/ABMA", "dice 3 1")


@contextmanager
def program(cases: str) -> Iterator[LineProgram]:
    """An engine in shell: what it does for each line, as the cases of `case`."""
    running = LineProgram(
        ["sh", "-c", f'while read -r line; do echo "$line" >&2; case $line in {cases} esac; done']
    )
    try:
        yield running
    finally:
        running.end()


@pytest.mark.parametrize(
    ("cases", "setting", "heard"),
    [
        (DRAFT_0, None, ["board:"]),
        (
            DRAFT_1,
            "setoption name Ply value 1",
            ["isready", "isready", *GAME, *SESSION, *GAME, *QUESTION, "go role chequer"],
        ),
        (
            DRAFT_2,
            "set Ply 1",
            ["isready", "isready", *GAME, *SESSION, *GAME, *SESSION, *QUESTION, "go chequer"],
        ),
    ],
    ids=["0.01", "0.1", "0.2"],
)
def test_every_draft_of_ubgi(
    capfd: pytest.CaptureFixture[str], cases: str, setting: str | None, heard: list[str]
) -> None:
    with program(cases) as running:
        bot = UbgiEngine(running, settings=[("Ply", "1")] if setting else [])
        bot.match_start(MATCH)
        bot.game_start(START)
        bot.game_start(START)
        assert bot.play(ASKED).moves == [[17, 20], [19, 20]]
    assert bot.version == "old, UBGI"
    told = [
        line
        for line in capfd.readouterr().err.splitlines()
        if not line.startswith("the program answered")
    ]
    assert [line[:6] if line.startswith("board:") else line for line in told] == [
        "ubgi",
        *filter(None, [setting]),
        *heard,
    ]


def test_an_engine_that_cannot_be_told_what_counts_is_reported_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with program(DRAFT_1) as running:
        engine = UbgiEngine(running)
        engine.game_start(START)
        engine.game_start(START)
    assert (
        capfd.readouterr().err.count(
            "the program answered 'error unknown_command' to 'newsession type money jacoby off'"
        )
        == 1
    )


def test_lines_without_the_word_of_an_answer_are_skipped() -> None:
    with program("board:*) echo thinking; echo move 8/5 6/5;;") as running:
        assert LineEngine(running, answer_word="move").play(ASKED).moves == [
            [17, 20],
            [19, 20],
        ]


def test_a_turn_without_a_legal_move_is_not_asked() -> None:
    nothing = TurnView(msgspec.structs.replace(TURN, legal=[[]]), START, MATCH)
    with program("board:*) exit 1;;") as running:
        assert LineEngine(running).play(nothing).moves == []


@pytest.mark.parametrize(
    ("cases", "complaint"),
    [
        (
            READY + "setoption*) echo error bad_value Ply;;",
            "the program answered 'error bad_value Ply' to 'setoption name Ply",
        ),
        (
            DRAFT_0,
            "the program speaks the first draft of UBGI, which has no options; leave out --set",
        ),
        ("ubgi) exit 3;;", "the program ended with exit status 3"),
        ("ubgi) yes;;", "the program has written 10000 lines and no answer to 'ubgi'"),
    ],
)
def test_a_greeting_that_fails(cases: str, complaint: str) -> None:
    with program(cases) as running, pytest.raises(AdapterError, match=complaint):
        UbgiEngine(running, settings=[("Ply", "7")])


@pytest.mark.parametrize(
    ("cases", "complaint"),
    [
        (
            READY + "go*) echo bestcube double;;",
            "expected a line that begins with 'bestmove', and its last line is 'bestcube double'",
        ),
        (
            "ubgi) echo readyok;; board:*) sleep 9;;",
            r"the program has not answered 'board:.*' .* it has written nothing",
        ),
        ("ubgi) echo readyok;; board:*) echo sorry;;", "the program answered 'sorry' to 'board:"),
    ],
)
def test_an_answer_that_does_not_come(cases: str, complaint: str) -> None:
    with program(cases) as running, pytest.raises(AdapterError, match=complaint):
        UbgiEngine(running).best_turn(ASKED, 0.6)


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (
            ("ubgi", *HERE, "--", "no-such-engine"),
            1,
            "the program 'no-such-engine' cannot be started: No such file",
        ),
        (
            ("fibs", *HERE, "--", "no-such-engine"),
            1,
            "the program 'no-such-engine' cannot be started: No such file",
        ),
        (
            ("ubgi", *HERE, "--set", "Ply", "--", "true"),
            2,
            "--set 'Ply': expected OPTION=VALUE, such as",
        ),
    ],
)
def test_wrong_use_is_told_in_one_sentence(
    arguments: tuple[str, ...], code: int, complaint: str
) -> None:
    assert_complains(*arguments, code=code, complaint=complaint)


def test_the_list_says_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.adapter.find_program", {"gnubg": "/usr/games/gnubg"}.get)
    told = CliRunner().invoke(command, ["--list"]).stdout.splitlines()
    assert told[0] == "gnubg  is at /usr/games/gnubg; play it by: arena adapter gnubg"
    assert told[1].startswith("bgci   is not installed; to install it: cargo install")


def test_the_sample_tournament_plays_every_engine_of_the_list() -> None:
    plan = parse_plan((REPOSITORY / "docs" / "tournaments" / "engines.toml").read_text())
    needed = {bot.if_installed: str(bot.command) for bot in plan.bot if bot.if_installed}
    assert {program: line for program, line, _ in ENGINES} == {
        program: line.removesuffix(" --plies 0") for program, line in needed.items()
    }


@pytest.mark.slow
def test_every_turn_of_the_sample_engine_is_accepted(tmp_path: Path) -> None:
    """By UBGI it is given position IDs, by FIBS boards; with either wrong it would play another position's turn."""
    adapter = [sys.executable, "-m", "arena", "adapter"]
    run = play(
        tmp_path,
        {kind: [*adapter, kind, "--", sys.executable, str(SAMPLE)] for kind in ("ubgi", "fibs")},
        tournament={"ruleset": "backgammon", "games": None, "pairs": 5},
        clock={"delay_ms": 5000, "bank_ms": 60_000},
    )
    (fixture,) = run.settled()
    assert not list(run.match(fixture, "turn_rejected"))
    assert not [cause for games in run.forfeits("ubgi").values() for _, cause in games if cause]
    assert_verified(run.folder)
