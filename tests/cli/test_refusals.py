"""Wrong use of every command ends with exit status 2 and a message that says what to do; nothing is written."""

import sys
from pathlib import Path

import pytest

from tests.fixtures.command_line import Arena
from tests.fixtures.small_run import RECORD

MATCH = f"my-run/{RECORD}"
GOOD = ("--bot", "anna=true", "--bot", "bo=true")
NO_RUN = "is not a run folder: it has no tournament.jsonl"

WRONG = {
    "run": [
        ((), "no bots; give a tournament file, or at least two --bot NAME=COMMAND"),
        (("--bot", "anna", "--bot", "bo=true"), "--bot 'anna': expected NAME=COMMAND"),
        (
            ("--bot", "anna=no-such-program-here x", "--bot", "bo=true"),
            "bot anna: there is no program 'no-such-program-here'",
        ),
        (
            (*GOOD, "--games", "5", "--set", "tournament.games=3"),
            "tournament.games is given by --games 5 already",
        ),
        ((*GOOD, "--workers", "0"), "Invalid value for '--workers': 0 is not in the range"),
        ((*GOOD, "--workers", "2", "--dask", "tcp://127.0.0.1:1"), "give one of them"),
        (
            (*GOOD, "--dask", "here"),
            "'here' is not the address of a Dask scheduler; expected one such as tcp://",
        ),
        (
            (*GOOD, "--remote", "cia", "--workers", "2"),
            "but these connect from elsewhere: cia; give them a command",
        ),
        ((*GOOD, "--remote", "cia", "--dask", "tcp://127.0.0.1:1"), "or leave out --dask"),
        ((".",), "is not a run folder: it has no tournament.toml"),
        (
            ("--remote", "anna", "--remote", "bo", "--listen", "tcp:0.0.0.0:5"),
            "can be reached from other machines",
        ),
        (
            ("--remote", "anna", "--remote", "bo", "--listen", "elsewhere"),
            "expected unix:/path or tcp:host:port",
        ),
        (
            ("--remote", "anna", "--remote", "bo", "--listen", "tcp:127.0.0.1:99999"),
            "tcp:127.0.0.1:99999",
        ),
    ],
    "compare": [
        (("true", "false", "--elo0", "10"), "elo0 is 10 and elo1 10; elo1 has to be the greater"),
        (("a=true", "a=false"), "'a' is entered 2 times"),
        (("true", "no-such-program-here"), "bot old: there is no program 'no-such-program-here'"),
        (("true", "python 'x"), "bot old: the command cannot be read as a shell would"),
        (("true", ""), "old"),
        (("true", "false", "--ruleset", "wasa"), "did you mean 'vasa'?"),
        (
            ("true", "false", "--ruleset", "brandubh-1", "--luck-adjusted"),
            "luck cannot be taken out: there is no evaluator for brandubh-1",
        ),
    ],
    "query": [
        (("my-run", "SELECT 1", "--json", "--csv"), "exclude each other"),
        (
            ("my-run", "SELECT * FROM rejection"),
            "no such table: rejection; did you mean 'rejections'?",
        ),
        (
            ("my-run", "SELECT t.oponent FROM turns t"),
            "no such column: t.oponent; did you mean 'opponent'?",
        ),
        (
            ("my-run", "SELECT anna FROM turns"),
            "Tables: matches, games, turns, rejections, absences, bots",
        ),
        (("my-run", "SELEC"), "syntax error"),
        (("my-run", "SELECT '\udcff'"), "can't encode"),
        (("my-run", ""), "expected one SELECT"),
        (("my-run", "SELECT 1; SELECT 2"), "only execute one statement"),
        (("my-run", "DROP TABLE games"), "expected one SELECT"),
        (("my-run", "DELETE FROM games"), "expected one SELECT"),
        (
            ("my-run", "WITH a AS (SELECT 1) INSERT INTO games (match) SELECT * FROM a"),
            "expected one SELECT",
        ),
        (("my-run", "UPDATE sqlite_master SET name = 'a'"), "may not be modified"),
        (("my-run", "ATTACH 'other.sqlite' AS other"), "expected one SELECT"),
        (("my-run", "VACUUM INTO 'games.sqlite'"), "expected one SELECT"),
        (("my-run", "PRAGMA query_only = OFF"), "expected one SELECT"),
        (("my-run", "SELECT load_extension('other.so')"), "not authorized"),
        (("my-run", "SELECT readfile('/etc/passwd')"), "no such function"),
        (("my-run", "SELECT * FROM '/etc/passwd'"), "no such table: /etc/passwd"),
    ],
    "watch": [
        (("my-run/matches",), NO_RUN),
        (("my-run", "--listen", "0.0.0.0:0"), "and give --behind-proxy (arena docs watching)"),
        *(
            (("my-run", "--delay", time), "expected a time such as 60s")
            for time in ("", "soon", "-5s", "5 weeks", "1.5s")
        ),
    ],
    "play": [
        (("gredy",), "or the folder of a match; did you mean 'greedy'?"),
        (("nobody",), "there is no bot 'nobody'; choose one of random, greedy, lookahead, neural"),
        (
            ("greedy", "--ruleset", "brandubh-1", "--terminal"),
            "greedy does not play brandubh-1; choose one of random, brandubh-easy, brandubh",
        ),
        (("greedy", "--ruleset", "vaza"), "vaza"),
    ],
    "train": [
        *(
            (
                ("vasa", "--hidden", widths, "--out", "mine"),
                "expected at most 8 whole numbers from 2 to 4096 with commas",
            )
            for widths in (
                "",
                "1",
                "0,4",
                "4097",
                "9" * 5000,
                "²",
                "2,,2",
                ",".join(["2"] * 9),
                "-4",
            )
        ),
        *(
            (
                ("vasa", "--name", name, "--out", "mine"),
                "expected 1 to 80 printable characters without a slash",
            )
            for name in ("", "x" * 81, "a/b", "red\x1b[31m")
        ),
        (
            ("vasa", "--name", "brade-vasa-3"),
            "brade-vasa-3 is the name of weights that ship; give another one",
        ),
    ],
    "log": [
        (["none"], "does not exist; give the folder"),
        (["."], "is not a run folder"),
        (
            ["my-run/tournament.jsonl"],
            "is not a match record: expected a run folder, a .jsonl file",
        ),
        (["my-run", "rejection"], "there is no question 'rejection'; did you mean 'rejections'?"),
        (["my-run", "games", "--bot", "ana"], "there is no bot 'ana'; there are: anna, bo"),
        (["my-run", "endings", "--bot", "bo"], "--bot is not for endings; it takes --match"),
        (["my-run", "played-in"], "name it with --position"),
        (
            ["my-run", "played-in", "--position", "here"],
            "is not a position of vasa: 'here' is not slot:count",
        ),
        (["my-run", "leading-to", "--position", '{"points": []}'], "is not a position of vasa"),
        (["my-run", "leading-to", "--position", "{"], "is not a position of vasa"),
    ],
    "show": [
        ([MATCH, "--game", "9"], f"{RECORD} has no game 9; it has 1 to 3"),
        ([MATCH, "--turn", "900"], f"there is no turn 900 in {MATCH}; it has 1 to 2"),
        (
            [MATCH, "--game", "2", "--turn", "3"],
            f"there is no turn 3 in game 2 of {MATCH}; it has 1 to ",
        ),
        ([MATCH, "--attempt", "1", "--game", "2"], f"{RECORD} has no game 2; it has "),
        (
            ["my-run", "--game", "1", "--json"],
            "--game, --json: only for one match; give a file under my-run/matches, not the run",
        ),
        (["my-run/tournament.jsonl"], "tournament.jsonl is not a match record"),
        (["my-run", "--step"], "give a file under matches/"),
        ([MATCH, "--step", "--json"], "no --json"),
        ([MATCH, "--step"], "needs a terminal"),
    ],
    "report": [
        (
            ["my-run", "--out", "my-run"],
            "my-run is a folder; give --out the name of a file, such as my-run/report.html",
        ),
        (
            ["my-run", "--out", "no/page.html"],
            "no is not a folder; make it first, or give --out a name in an existing folder",
        ),
        (
            ["my-run", "--out", "/dev/null"],
            "/dev/null is not an ordinary file; give --out another name",
        ),
        (
            ["my-run", "--games", "most"],
            "found 'most'; expected all, none, forfeits or a whole number such as 500",
        ),
        (
            ["my-run/matches"],
            "my-run/matches is not a run folder: it has no tournament.jsonl; give the folder that `arena",
        ),
        (
            ["my-run/tournament.jsonl"],
            "my-run/tournament.jsonl is a file; give the folder of a run; did you mean my-run?",
        ),
    ],
    "export": [
        (["none", "--to", "csv"], "does not exist"),
        (
            ["my-run", "--to", "mat"],
            "MAT is for backgammon alone, and r1-anna-v-bo was played under 'vasa'",
        ),
        (["my-run", "--to", "csv", "--out", "no/where"], "there is no folder"),
        (
            ["my-run", "--to", "sqlite", "--out", "my-run", "--force"],
            "my-run is a folder, this format needs a file",
        ),
    ],
    "new": [
        (("pyhton", "bot"), "no starter in 'pyhton'; there are some in c, go, java"),
        (("pyhton", "bot"), "did you mean 'python'?"),
        (("Rust", "bot"), "did you mean 'rust'?"),
        (("cobol", "bot"), "for another one, docs/protocol.md says all a bot needs"),
        (("go", "full"), "full is a folder with something in it, and nothing is ever overwritten"),
        (("go", "full/file"), "full/file is a file, and nothing is ever overwritten"),
        (("go", "1st"), "no id can be made of the name '1st'; give another one with --name"),
        (("go", "bot", "--name", " Bo"), "the name ' Bo' cannot be shown"),
        (("go", "bot", "--name", "Twin"), "'twin' is entered 2 times"),
        (("go", "twin"), "'twin' is entered 2 times"),
    ],
    "check": [
        (
            (),
            'give the command that starts the bot, such as "python mybot.py", or --connect ADDRESS',
        ),
        (("--connect", "tcp:127.0.0.1:0", "python"), "or --connect ADDRESS; one of the two"),
        (("",), "the command is empty"),
        (
            ("no-such-program",),
            "there is no program 'no-such-program'; give a path or a name found on PATH",
        ),
        (("python 'x",), "cannot be read as a shell would"),
        (("--only", "hnadshake", "true"), "did you mean 'handshake'?"),
        (("--only", "draw-offered", "true"), "no situation is called 'draw-offered' in this game"),
        (("--ruleset", "wasa", "true"), "did you mean 'vasa'?"),
        (("--connect", "elsewhere"), "expected unix:/path or tcp:host:port"),
        (("--connect", "tcp:0.0.0.0:0"), "can be reached from other machines"),
        (("--token-file", __file__, "true"), "--token-file is for --connect"),
        (("--connect", "tcp:127.0.0.1:0", "--token-file", __file__), "cannot be used: it has more"),
    ],
    "replay": [
        ([MATCH, "--game", "1", "--turn", "1"], "give the bot as --bot COMMAND"),
        (
            [MATCH, "--game", "1", "--turn", "1", "--bot", "anna="],
            "expected COMMAND or NAME=COMMAND",
        ),
        (
            [MATCH, "--game", "1", "--turn", "1", "--bot", "no-such-program"],
            "there is no program 'no-such-program'",
        ),
        ([MATCH, "--turn", "1", "--bot", "anna=true"], "has 3 games; say which with --game"),
        (
            ["my-run", "--turn", "1", "--bot", "true"],
            "my-run is a folder; give a record under its matches/",
        ),
        (
            ["my-run", "--bot", "cia=true"],
            "no such game of my-run was forfeited by cia in a turn; give a match record",
        ),
        ([MATCH, "--game", "1", "--turn", "1", "--bot", "cia=true"], "turn 1 of game 1 is "),
        (
            [MATCH, "--game", "1", "--turn", "900", "--bot", "anna=true"],
            "there is no turn 900 of game 1",
        ),
        (
            [MATCH, "--game", "1", "--turn", "1", "--attempt", "4", "--bot", "anna=true"],
            "has no attempt 4; it has 1",
        ),
        (
            [MATCH, "--game", "1", "--turn", "1", "--bot", "anna=true 'x"],
            "cannot be read as a shell would",
        ),
    ],
    **{
        command: [
            *(((name,), NO_RUN) for name in ("nowhere", ".")),
            (("no\x1b[2Jfolder",), f"Error: no\\x1b[2Jfolder {NO_RUN}"),
            ((MATCH,), f"{MATCH} is a file; give the folder of a run; did you mean my-run?"),
            (("full/file",), "full/file is a file; give the folder of a run, such as"),
        ]
        for command in ("standings", "stats", "verify")
    },
}
"""The words after each command, and what is said of them; `my-run` is a run, and `full` a folder
with a file."""
CASES = [
    pytest.param((command, *words), message, id=" ".join((command, *words))[:60])
    for command, uses in WRONG.items()
    for words, message in uses
]


@pytest.mark.usefixtures("run_folder")
@pytest.mark.parametrize(("words", "message"), CASES)
def test_it_is_refused(arena: Arena, here: Path, words: tuple[str, ...], message: str) -> None:
    (here / "full").mkdir()
    (here / "full" / "file").touch()
    before = sorted(here.rglob("*"))
    result = arena(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert message in " ".join(result.stderr.split())
    assert sorted(here.rglob("*")) == before


def test_without_dask_a_run_on_a_cluster_says_what_to_install(
    arena: Arena, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = arena("run", *GOOD, "--dask", "tcp://127.0.0.1:1", "--out", "my-run")
    assert result.exit_code == 2
    assert f"`cluster`; install it with: {sys.executable} -m pip install" in result.stderr
    assert [*here.iterdir()] == []
