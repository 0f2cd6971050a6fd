"""What `arena run` prints: its progress, a bar on a terminal, and a run that needs no more playing."""

import hashlib
import io
import json
import re
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from arena.cli.shared.output import arena_again
from arena.cli.shared.pages import pages_beside
from arena.cli.shared.progress import Progress
from arena.records.facts import BotsContained, RoundDrawn, TournamentFact
from arena.records.lines import tournament_lines
from arena.server.run.tournament_log import BotThinks, GamesPlayed
from arena.services.conclusion import where_bots_spoke
from arena.words import say
from tests.fixtures.arena_runs import honest, on_a_terminal, write_plan
from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import Arena
from tests.fixtures.sample_runs import absent_run, shortened_run, strict_run
from tests.fixtures.signed_run import signed_run
from tests.fixtures.small_run import opened_tournament, small_run

FACTS = [
    fact for _, fact in tournament_lines.read("tournament.jsonl", small_run()["tournament.jsonl"])
]
"""tournament_opened; attempt 1 issued and void; attempt 2 issued and settled; the end."""


class Watch:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def told(
    *facts: TournamentFact, before: list[TournamentFact] | None = None, seconds: float = 4
) -> list[str]:
    """The lines off a terminal; every fact but the first two takes its time."""
    out, watch = io.StringIO(), Watch()
    progress = Progress(Console(file=out, width=200), quiet=False, facts=before or [], now=watch)
    with progress:
        for number, fact in enumerate(facts):
            watch.seconds += seconds if number > 1 else 0
            progress.report(fact)
    return out.getvalue().splitlines()


def test_a_match_is_told_with_the_count() -> None:
    void, decided = told(*FACTS[:5])
    assert (
        void
        == "r1-anna-v-bo  attempt 1 is void: both bots are gone (see evidence/ and bots/ of the run, and arena show)"
    )
    assert decided.endswith("  [1 of 1]")


def test_the_time_left_follows_from_the_pace() -> None:
    """Games of the first of three matches are over after 1 and 2 of its 3 s; two more matches are left."""
    out, watch = io.StringIO(), Watch()
    opened = opened_tournament(entrants=("cia", "anna", "bo"))
    with Progress(
        Console(file=out, width=200), quiet=False, facts=[opened, FACTS[3]], now=watch
    ) as progress:
        for games in range(1, opened.terms.games + 1):
            watch.seconds += 1
            progress.report(GamesPlayed(fixture="r1-anna-v-bo", games=games))
        progress.report(FACTS[4])
    seconds = 2 * opened.terms.games
    assert out.getvalue().rstrip().endswith(f"[1 of 3, about 0:00:{seconds:02} left]")


def long_match(watch: Watch, *, is_terminal: bool = False, gone_on_from: int = 0) -> list[str]:
    """What is shown of the first three minutes of a match of 200 pairs, of which one is played in a second."""
    out = io.StringIO()
    opened = opened_tournament()
    opened = replace(opened, terms=replace(opened.terms, form="pairs", games=400))
    issued = replace(FACTS[3], attempt=1)
    before = [opened, issued] if gone_on_from else []
    console = Console(file=out, width=80, force_terminal=is_terminal)
    progress = Progress(console, quiet=False, facts=before, now=watch)
    with progress:
        if gone_on_from:
            progress.report(GamesPlayed(fixture="r1-anna-v-bo", games=gone_on_from))
        else:
            progress.report(opened)
            progress.report(issued)
        for pair in range(1, 31):
            watch.seconds += 1
            progress.report(GamesPlayed(fixture="r1-anna-v-bo", games=gone_on_from + 2 * pair))
        if is_terminal:
            progress._bar.refresh()
    return out.getvalue().splitlines()


def test_a_long_match_tells_how_many_pairs_are_played_and_how_long_it_will_take() -> None:
    assert long_match(Watch()) == [
        "r1-anna-v-bo  10 of 200 pairs  [0 of 1, about 0:03:10 left]",
        "r1-anna-v-bo  20 of 200 pairs  [0 of 1, about 0:03:00 left]",
        "r1-anna-v-bo  30 of 200 pairs  [0 of 1, about 0:02:51 left]",
    ]


def test_a_long_match_that_goes_on_has_the_pace_of_this_run() -> None:
    assert (
        long_match(Watch(), gone_on_from=300)[-1]
        == "r1-anna-v-bo  180 of 200 pairs  [0 of 1, about 0:00:20 left]"
    )


def test_on_a_terminal_a_long_match_has_a_bar_of_its_own_within_80_columns() -> None:
    shown = [
        re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)
        for line in long_match(Watch(), is_terminal=True)
    ]
    assert any("r1-anna-v-bo pairs" in line and "30/200" in line for line in shown), shown
    assert any("0/1" in line and "0:02:51" in line for line in shown), shown


def thoughts(*names: str, patient: tuple[str, ...] = (), **more: Any) -> str:
    """What is told of bots that think long about turns, one after the other, from the fifth second on."""
    out = io.StringIO()
    opened = opened_tournament(entrants=("anna", "bo", "cia"))
    opened = replace(opened, names={"bo": "Bo Ek [b]"})
    with Progress(Console(file=out, width=80, **more), quiet=False, facts=[opened]) as progress:
        for name in names:
            for seconds in (5, 6, 7):
                progress.report(
                    BotThinks(
                        fixture=f"r1-{name}",
                        name=name,
                        seconds=seconds,
                        may_be_long=name in patient,
                    )
                )
            progress._bar.refresh()
            progress.report(BotThinks(fixture=f"r1-{name}", name="", seconds=0))
        progress._bar.refresh()
    return out.getvalue()


def test_a_bot_that_thinks_long_is_named_once_and_a_person_never() -> None:
    assert thoughts("bo", "anna", "bo", "cia", patient=("cia",)).splitlines() == [
        "Bo Ek [b] has been thinking about a turn for 5 s, in r1-bo",
        "anna has been thinking about a turn for 5 s, in r1-anna",
    ]


def test_the_bar_tells_how_long_until_the_bot_has_answered() -> None:
    shown = re.sub(
        r"\x1b\[[0-9;?]*[A-Za-z]", "", thoughts("bo", "cia", patient=("cia",), force_terminal=True)
    )
    bars = [line for line in re.split(r"[\r\n]", shown) if line.startswith("matches")]
    ends = [bar.partition("-:--:--")[2].strip() for bar in bars]
    assert {"Bo Ek [b] thinks: 7 s", "cia thinks: 7 s"} <= {*ends}
    assert ends[-1] == ""


def test_of_several_bots_the_bar_names_the_one_that_thinks_longest_in_one_line() -> None:
    out, long = io.StringIO(), "x" * 60
    opened = replace(opened_tournament(), names={"anna": long})
    with Progress(
        Console(file=out, width=80, force_terminal=True), quiet=False, facts=[opened]
    ) as progress:
        for name, seconds in (("bo", 5), ("anna", 1234), ("bo", 6)):
            progress.report(BotThinks(fixture=f"r1-{name}", name=name, seconds=seconds))
        progress._bar.refresh()
    last = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue().split("\r")[-1])
    assert "xxx… thinks: 1234 s" in out.getvalue()
    assert len(last.strip()) <= 80


def test_a_round_is_told_when_it_is_drawn() -> None:
    drawn = RoundDrawn(at_ms=1, round=2, fixtures=["r2-anna-v-bo"], byes=["cia"])
    assert told(drawn) == ["round 2 is drawn: 1 match; a bye for cia"]


def test_quiet_is_quiet() -> None:
    out = io.StringIO()
    with Progress(Console(file=out), quiet=True) as progress:
        for fact in FACTS[:5]:
            progress.report(fact)
        assert out.getvalue() == ""
        progress.report(
            BotsContained(
                at_ms=1, bots={"anna": "bubblewrap", "bo": "none", "cia": "landlock_filter"}
            )
        )
    words = "NO SANDBOX for bo: they can do what you can; NO SANDBOX but Landlock and a filter of system calls for cia"
    assert " ".join(out.getvalue().split()) == words


def test_a_refused_login_is_told_by_what_was_sent() -> None:
    """A wrong token for the id, and a login under the display name: they are not the same mistake."""
    opened = replace(opened_tournament(), names={"anna": "Anna Ek, Vasa"})
    out = io.StringIO()
    progress = Progress(Console(file=out, width=200), quiet=False, facts=[opened])
    event = {"level": "warning", "name": "anna", "reason": "it hung up"}
    for kind in ("login_refused", "bot_lost"):
        progress.show(event | {"event": kind})
    assert out.getvalue().splitlines() == [
        "[warning] a login as anna was refused: it hung up",
        "[warning] Anna Ek, Vasa has lost its connection: it hung up",
    ]


# A run on a real terminal: the bar is drawn in place, and no control stands there as text


DRAWN_AGAIN = "\r\x1b[2K"
"""How rich takes back a bar of one line to draw it again."""


def test_what_pages_print_stands_above_the_bar_and_a_link_is_not_cut(here: Path) -> None:
    """They are a process of their own, which wrote into the line of the bar."""
    write_run(here / "run", small_run())
    out, links, is_told = io.StringIO(), list[str](), threading.Event()
    progress = Progress(Console(file=out, width=20, force_terminal=True), quiet=False)

    def tell(line: str) -> None:
        progress.tell(line)
        if line.startswith("http://"):
            links.append(line)
            is_told.set()

    with progress, pages_beside(here / "run", tell):
        assert is_told.wait(20)
    kept = re.sub(r"[^\n]*\r\x1b\[2K", "", out.getvalue())  # without the bars that were taken back
    shown = re.sub(r"\r|\x1b\[[0-9;?]*[A-Za-z]", "", kept).splitlines()
    assert [line for line in shown if line and not line.startswith("matches")] == links
    assert len(links[0]) > 20


@pytest.mark.parametrize(
    "workers",
    [
        pytest.param((), id="here"),
        pytest.param(("--workers", "2"), id="workers", marks=pytest.mark.slow),
    ],
)
def test_the_bar_of_a_run_is_drawn_in_place_and_counts_what_is_told_above_it(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    """Its controls were shown as text, and a result stood above a bar that had not counted it."""
    plan = write_plan(tmp_path, {name: honest() for name in ("anna", "bo", "cia")})
    shown = on_a_terminal("run", plan, "--out", tmp_path / "run", *workers)
    assert "\\u001b" not in shown
    assert DRAWN_AGAIN in shown
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    _, *after = re.split(r"r\d-\w+-v-\w+  ", plain)
    assert [bar and bar[1] for bar in (re.search(r"(\d)/3", part) for part in after)] == [
        "1",
        "2",
        "3",
    ]


def test_a_finished_run_is_shown_and_not_changed(arena: Arena, run_folder: Path) -> None:
    before = {path: path.read_bytes() for path in run_folder.rglob("*.jsonl")}
    result = arena("run", run_folder)
    assert result.exit_code == 0
    assert "1 of 1 matches counted; records are in" in result.stdout
    assert f"arena verify {run_folder}" in result.stdout
    assert "12:0" in result.stdout
    assert {path: path.read_bytes() for path in run_folder.rglob("*.jsonl")} == before


def test_the_head_is_told_of_a_signed_run_alone(here: Path, arena: Arena, run_folder: Path) -> None:
    """Who has given no key has nothing to publish; `verify` tells the head of every run."""
    ended = small_run()["tournament.jsonl"]
    assert "head, for" not in arena("run", run_folder).stdout
    write_run(here / "signed", signed_run())
    assert "head, for you to publish: " in arena("run", "signed").stdout
    assert (
        f"{ended.count(10)}:{hashlib.sha256(ended).hexdigest()}"
        in arena("verify", run_folder).stdout
    )


def test_a_command_to_type_next_begins_as_this_one(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "bin").mkdir()
    (here / "bin" / "arena").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(here / "bin"))
    for called, begins in {
        ".venv/bin/arena": ".venv/bin/arena",
        "/opt/my arena/bin/arena": "'/opt/my arena/bin/arena'",
        str(here / "bin" / "arena"): "arena",
        "/usr/lib/python3/arena/__main__.py": "arena",
    }.items():
        monkeypatch.setattr(sys, "argv", [called])
        assert arena_again("run", Path("my run")) == f"{begins} run 'my run'"


def test_running_a_finished_run_again_says_that_nothing_was_played(
    arena: Arena, run_folder: Path
) -> None:
    """Else the old standings look like those of a run that has just been played; scripts get it on standard output."""
    told = (
        f"{run_folder} is finished since 2023-11-14 22:13 UTC; nothing was played. "
        "To start a new run, give another folder with --out, or leave out --out"
    )
    for options in ((), ("--quiet",), ("--json",)):
        result = arena("run", run_folder, *options)
        assert result.stderr == f"[warning] {told}\n"
    assert list(map(json.loads, result.stdout.splitlines())) == [
        {"event": "run_begun", "folder": str(run_folder)},
        {"event": "message", "text": told},
    ]


def test_matches_that_withdrawals_prevent_are_counted(here: Path, arena: Arena) -> None:
    write_run(here / "run", strict_run())
    told = "2 of 3 matches counted (1 not played, because anna and cia withdrew)"
    result = arena("run", "run")
    assert f"\n{told}; records are in run" in result.stdout, result.stdout
    assert f"{told}\n" in arena("standings", "run").stdout
    assert "ended early" not in result.output, "the one that is left has played all its matches"


def test_a_run_that_ended_early_says_so_and_why_and_exits_with_1(here: Path, arena: Arena) -> None:
    """As do the standings, as text and as JSON; cia is left alone before its matches are played."""
    write_run(here / "run", shortened_run())
    told = "the tournament ended early, and 3 matches were not played: only 1 entrant is left"
    result = arena("run", "run")
    assert result.exit_code == 1
    assert result.stderr.endswith(f"\nError: {told}\n")
    assert f"; {told}\n" in result.stdout
    assert f"; {told}\n" in arena("standings", "run").stdout
    whole = json.loads(arena("standings", "run", "--json").stdout)
    assert (whole["ended_early"], whole["outcome"][1:]) == (told, [told])


def test_who_was_waited_for_in_vain_is_named_and_its_matches_are_void(
    here: Path, arena: Arena
) -> None:
    write_run(here / "run", absent_run())
    result = arena("run", "run")
    assert result.exit_code == 1
    assert result.stderr.endswith("\nError: bo, cia never came to a match\n")
    assert "void, since neither bot could play" not in result.stderr
    assert re.search(r"cia +void +void +·", result.stdout), result.stdout
    assert "; the tournament ended early: the wait for cia was given up\n" in result.stdout
    assert "\n1 of 3 matches counted; records are in run" in result.stdout


def test_a_run_stopped_before_its_closing_line_is_closed(arena: Arena, run_folder: Path) -> None:
    path = run_folder / "tournament.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(b'{"event":"record_closed"')])
    assert arena("run", run_folder).exit_code == 0
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("spoke", "told"),
    [
        ((), ""),
        (("evidence",), "; the evidence is in {}/evidence"),
        (("bots",), "; their output is in {}/bots"),
        (("bots", "evidence"), "; their output is in {}/bots"),
    ],
    ids=["nowhere", "lost-from-elsewhere", "launched", "both"],
)
def test_the_message_names_the_folder_that_says_why_bots_could_not_play(
    tmp_path: Path, spoke: tuple[str, ...], told: str
) -> None:
    for folder in ("bots", "evidence"):
        (tmp_path / folder).mkdir()
    for folder in spoke:
        (tmp_path / folder / "r1-anna-v-bo.anna").write_text("words")
    assert say(where_bots_spoke(tmp_path)) == told.format(tmp_path)


def test_a_run_without_a_folder_of_its_own_names_it_and_the_unfinished_one(
    here: Path, arena: Arena
) -> None:
    """After a kill the same command begins another run."""
    files = small_run()
    data = files["tournament.jsonl"]
    files["tournament.jsonl"] = data[: data.index(b'{"event":"tournament_ended"')]
    (here / "small.toml").write_bytes(files["tournament.toml"])
    write_run(here / "runs" / "small-1", files)
    told = "runs/small-1 of the same tournament is not finished; to go on with it: arena run runs/small-1\n"
    assert told in arena("run", "small.toml", "--anyway").stderr
    again = arena(
        "run", "small.toml", "--anyway"
    ).stderr  # small-2 has come to its end, without a bot
    assert "is not finished" not in again
    assert "records go to runs/small-3; after an interruption: arena run runs/small-3\n" in again
