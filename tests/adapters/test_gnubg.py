"""`arena adapter gnubg`; what needs GNU Backgammon is skipped where it is not installed."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena.adapters.backgammon import parse_turn
from arena.adapters.child import AdapterError
from arena.adapters.gnubg import Gnubg, engine
from arena.games import Legal, load_game, ruleset_record
from arena.games.position_ids.fibs import format_board
from arena.games.position_ids.written import to_written
from arena.own_programs import find_program
from tests.adapters.behind import assert_complains
from tests.fixtures.arena_runs import REPOSITORY, assert_verified, play
from tests.fixtures.message_samples import MATCH_START
from tests.processes import children_of, pids_marked

needs_gnubg = pytest.mark.skipif(
    find_program("gnubg") is None, reason="GNU Backgammon is not installed: apt-get install gnubg"
)
BACKGAMMON = load_game("backgammon")
START = BACKGAMMON.to_plain(BACKGAMMON.start())
HERE = ("--address", "x", "--name", "a", "--token", "t")
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def gnubg() -> Iterator[Gnubg]:
    with engine(None, 0) as playing:
        yield playing


@needs_gnubg
@pytest.mark.parametrize(
    ("position", "dice", "expected"),
    [
        (START, (6, 5), [[1, 7], [7, 12]]),
        (START, (3, 1), [[17, 20], [19, 20]]),
        (
            {
                "points": [0] * 5 + [-2, -1] + [0] * 11 + [7, 7] + [0] * 4,
                "bar": [1, 0],
                "off": [0, 12],
            },
            (6, 1),
            [[0, 1], [1, 7]],
        ),
        (
            {"points": [*[-2] * 6, *[0] * 12, 14, *[0] * 5], "bar": [1, 0], "off": [0, 3]},
            (4, 2),
            [],
        ),
        (
            {"points": [-3, *[0] * 21, 1, 2], "bar": [0, 0], "off": [12, 12]},
            (6, 5),
            [[23, 25], [24, 25]],
        ),
        ({"points": [-3, *[0] * 22, 3], "bar": [0, 0], "off": [12, 12]}, (2, 2), [[24, 25]] * 3),
        ({"points": [-1, *[0] * 20, 1, 0, 1], "bar": [0, 1], "off": [13, 13]}, (2, 1), None),
    ],
    ids=[
        "run-with-a-back-checker",
        "make-point-20",
        "enter-and-hit",
        "closed-out",
        "last-two",
        "doubles",
        "they-wait",
    ],
)
def test_gnubg_answers_with_a_legal_turn(
    gnubg: Gnubg,
    position: dict[str, object],
    dice: tuple[int, int],
    expected: list[list[int]] | None,
) -> None:
    turn = parse_turn(
        gnubg.ask(format_board(to_written(position, dice, gammons=False)), PATIENCE_S), "gnubg"
    )
    if expected is not None:
        assert turn == expected
    assert isinstance(BACKGAMMON.judge(BACKGAMMON.from_plain(position), dice, turn), Legal)


@needs_gnubg
def test_what_gnubg_cannot_read_is_told(gnubg: Gnubg) -> None:
    with pytest.raises(AdapterError, match=r"gnubg answered 'Error: .*' to 'nonsense'"):
        gnubg.ask("nonsense", PATIENCE_S)
    assert parse_turn(
        gnubg.ask(format_board(to_written(START, (6, 5), gammons=False)), PATIENCE_S), "gnubg"
    )
    assert re.fullmatch(r"GNU Backgammon \d\S+, 0 plies", gnubg.version)


def test_a_silent_or_ended_engine_is_an_error(tmp_path: Path) -> None:
    output = tmp_path / "output"
    output.write_text("GNU Backgammon 1.07.001 20230103\nOut of memory\n\n")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        silent = Gnubg(ours, output, 2)
        with pytest.raises(AdapterError, match=r"not answered within 0 s, .* use fewer --plies"):
            silent.ask("version", 0.01)
        theirs.shutdown(socket.SHUT_WR)
        with pytest.raises(AdapterError, match="gnubg has ended; its last words: Out of memory"):
            silent.ask("version", 1)
        theirs.close()
        with pytest.raises(AdapterError, match="its last words: Out of memory"):
            silent.ask("version", 0.01)
        assert silent.version == "GNU Backgammon 1.07.001, 2 plies"


@needs_gnubg
def test_gnubg_ends_with_its_engine() -> None:
    before = set(children_of(os.getpid()))
    with engine(None, 0):
        [own] = set(children_of(os.getpid())) - before
    assert own not in children_of(os.getpid())


def test_other_games_are_refused(tmp_path: Path) -> None:
    (tmp_path / "output").touch()
    with socket.socket() as unused:
        bot = Gnubg(unused, tmp_path / "output", 0)
    with pytest.raises(
        AdapterError, match=r"gnubg plays backgammon and backgammon\+no_gammons only, not vasa"
    ):
        bot.match_start(
            msgspec.structs.replace(MATCH_START, ruleset=ruleset_record(load_game("vasa")))
        )
    bot.match_start(msgspec.structs.replace(MATCH_START, ruleset=ruleset_record(BACKGAMMON)))


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (
            ("gnubg", *HERE, "--gnubg", "/none"),
            1,
            "there is no program gnubg at '/none'; install it (Debian, Ubuntu: apt-get install gnubg), or say",
        ),
        (
            ("gnubg", *HERE, "--gnubg", "true"),
            1,
            "gnubg ended with exit status 0 before it could be asked; it said: nothing",
        ),
    ],
)
def test_wrong_use_is_told_in_one_sentence(
    arguments: tuple[str, ...], code: int, complaint: str
) -> None:
    assert_complains(*arguments, code=code, complaint=complaint)


@needs_gnubg
@pytest.mark.slow
@pytest.mark.parametrize("options", [["no_gammons"], []], ids=["to-one-point", "gammons"])
def test_every_turn_is_accepted(tmp_path: Path, options: list[str]) -> None:
    run = play(
        tmp_path,
        {
            "gnubg": [sys.executable, "-m", "arena", "adapter", "gnubg", "--plies", "0"],
            "random": [sys.executable, str(REPOSITORY / "sample_bots" / "random" / "bot.py")],
        },
        tournament={
            "ruleset": "backgammon",
            "options": options,
            "games": None,
            "pairs": 10,
            "cycles": 2,
        },
        clock={"delay_ms": 5000, "bank_ms": 60_000},
        limits={"startup_ms": 60_000},
    )
    assert len(run.settled()) == 2
    assert {cause for games in run.forfeits("gnubg").values() for _, cause in games} == {None}
    assert not [fact for fixture in run.settled() for fact in run.match(fixture, "turn_rejected")]
    assert run.standings()["gnubg"]["won"] == 2
    assert_verified(run.folder)
    assert pids_marked(str(tmp_path)) == []
