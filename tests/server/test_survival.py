"""The arena survives itself: whatever raises in its connections, no run ends, and no honest bot loses a game for it."""

import ast
import hashlib
import json
import random
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest
import trio

from arena.records import facts
from arena.records.facts import FixtureSettled, FixtureVoided, TournamentEnded, TournamentFact
from arena.records.snapshot import as_it_stands
from arena.records.verify import verify_run
from arena.server.door import connection_limits, logins
from arena.server.io import link, tls
from arena.server.play import confirmations, frame_trace, player, session, table, translate
from arena.server.programs import launcher, program
from arena.server.run import evidence, remote_bots
from arena.server.run.tournament import Run, direct
from arena.server.run.tournament_log import BotThinks, GamesPlayed, Progressed
from arena.server.setup.run_folder import RunFiles, RunFolder
from arena.server.setup.tournament_file import parse_plan
from arena.server.venue import entrance
from protocol.greetings import Hello
from protocol.messages import MatchEntropy, MatchReady, MatchReveal, MatchStart, Turn
from tests.fixtures.arena_runs import predictable
from tests.fixtures.operator import lines_of
from tests.fixtures.playing_room import Guest, login
from tests.zoo.faults import GONE, legal

PLAN = """
[tournament]
{tournament}
at_once = 4
[clock]
delay_ms = 60000
bank_ms = 600000
[limits]
startup_ms = 600000
grace_ms = 600000
turns = 8
violations = 1000000
sandbox = "off"
check_bots = "off"
[listen]
address = "unix:{socket}"
"""
NAMES = ("anna", "bo", "cia", "dag", "eva")
TOKEN = "the-token-of-all"
TOURNAMENTS = {
    "round robin": "games = 3",
    "pairs": "pairs = 1",
    "gauntlet": 'format = "gauntlet-1"\nchallengers = ["anna"]\ngames = 3',
    "swiss": 'format = "swiss-monrad-1"\nrounds = 3\ngames = 3',
    "knockout": 'format = "knockout-1"\ngames = 3',
    "brandubh": 'ruleset = "brandubh-1"\ngames = 3',
}

OF_CONNECTIONS = (
    *(link, tls, session, player, table, translate, confirmations, frame_trace),
    *(entrance, evidence, connection_limits, logins, remote_bots),
)
OF_PROGRAMS = (launcher, program, *OF_CONNECTIONS)
"""The modules in which any line may raise."""
OF_THE_RUN = {
    *("open", "shut", "open_to_others", "gather", "_listen", "<module>"),
    *("expecting", "_set_limits", "allow", "room_for", "allow_files", "spare_connections"),
    *("borrowed_bots", "_account", "borrow", "give_back", "look", "tell_changes", "change_matches"),
    *("expect", "forget", "dismiss", "recall"),
    *("_let_in", "_token", "see_connected", "_tell_matches"),
}
"""What the run itself does before, between and after matches; it deals with no connection."""
OF_FAILURES = {
    "fail",
    "_fail",
    "_login_due",
    "give_up",
    "over",
    "failed",
    "abort",
    "_start",
    "_guarded",
    "_tell_failure",
    "absent_programs",
    "failed_before_login",
    "_raise",
}
"""What deals with a failure."""


class BugError(Exception):
    """An exception that no code expects."""


class Faults(trio.abc.Instrument):
    """Raises at random at any line of the modules of connections, but for what deals with failures."""

    def __init__(self, chance: random.Random, rate: float, modules: Sequence[ModuleType]) -> None:
        self._chance = chance
        self._rate = rate
        self._spared = {
            module.__file__: _handler_lines(Path(str(module.__file__))) for module in modules
        }
        self.raised: list[str] = []
        self.shown: list[str] = []
        """Events shown to the operator: after the end of the run this list alone has a fault."""

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """Go on: Python ends the tracing whenever it has raised."""
        sys.settrace(self._enter)

    def _enter(
        self, frame: FrameType, _event: str, _argument: object
    ) -> Callable[..., object] | None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if frame.f_code.co_qualname == "Entrance.stop":
            return None
        if name in ("__init__", "__post_init__") and file not in [
            module.__file__ for module in (link, tls, session)
        ]:
            return None  # made by the run, beside a match
        if file not in self._spared:
            return None
        # what is inside them, too, and what deals with a failure may call
        is_spared = set(frame.f_code.co_qualname.split(".")) & (OF_THE_RUN | OF_FAILURES)
        if is_spared or (frame.f_back and frame.f_back.f_code.co_name in OF_FAILURES):
            return None
        return self._step

    def _step(self, frame: FrameType, event: str, _argument: object) -> Callable[..., object]:
        if event == "line" and self._chance.random() < self._rate:
            code, line = frame.f_code, frame.f_lineno
            if line not in self._spared[code.co_filename]:
                self.raised.append(
                    f"<fault {len(self.raised)} at {Path(code.co_filename).name}:{line}>"
                )
                raise BugError(self.raised[-1])
        return self._step


def _handler_lines(path: Path) -> set[int]:
    """The lines that run when an exception has come up, and those that say no more than `try:` or `while True:`.

    And those of `with`: Python visits them again before it leaves the block, where nothing of ours
    runs and can raise. And those that only leave: Python has left the block of `try` there.
    """
    nodes = list(ast.walk(ast.parse(path.read_text())))
    tries = [node for node in nodes if isinstance(node, ast.Try)]
    handling = [one for node in tries for one in (*node.handlers, *node.finalbody)]
    lines = {
        line
        for node in handling
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    loops = {
        node.lineno
        for node in nodes
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
    }
    blocks = {node.lineno for node in nodes if isinstance(node, ast.With | ast.AsyncWith)}
    leaves = {
        node.lineno
        for node in nodes
        if isinstance(node, ast.Continue | ast.Break)
        or (isinstance(node, ast.Return) and node.value is None)
    }
    return lines | loops | blocks | leaves | {node.lineno for node in tries}


async def live(name: str, socket: Path, window: int) -> None:
    """Play the first legal turn of every roll, and come back whenever the connection ends."""
    while True:
        with suppress(*GONE, OSError):
            async with await trio.open_unix_socket(str(socket)) as stream:
                await play_on(Guest(stream, lambda: 0, lambda _: 0.0), name, window)
        await trio.sleep(0.01)


async def play_on(guest: Guest, name: str, window: int) -> None:
    """Answer whatever is asked, until the arena hangs up."""
    while True:
        match await guest.hear_next():
            case Hello():
                await guest.say(login(name, TOKEN, window=window, wants=("legal",)))
            case MatchStart(match=match):
                await guest.say(MatchReady(match=match, commitment=hashlib.sha256(b"").digest()))
            case MatchReveal(match=match):
                await guest.say(MatchEntropy(match=match, entropy=b""))
            case Turn() as turn:
                await guest.say(legal(turn))


def plan_text(tournament: str, folder: Path, *, are_launched: bool) -> str:
    """A tournament file for the bots below."""
    text = PLAN.format(tournament=TOURNAMENTS[tournament], socket=folder / "s")
    for name in NAMES:
        text += f'[[bot]]\nname = "{name}"\n'
        if are_launched:
            text += f"command = {json.dumps(predictable(0))}\n"
        else:
            text += f'remote = true\ntoken_file = "{name}.token"\nmatches_at_once = 2\n'
    return text


async def play(
    text: str, folder: Path, faults: Faults, *bots: tuple[str, Path, int]
) -> list[TournamentFact]:
    """A whole tournament of honest bots in an arena that fails all the time."""
    facts: list[TournamentFact] = []

    def report(fact: TournamentFact | Progressed) -> None:
        if not isinstance(fact, GamesPlayed | BotThinks):
            facts.append(fact)

    with closing(RunFolder(folder / "run")) as run_folder:
        run_folder.open(text)
        run = Run(
            plan=parse_plan(text),
            folder=run_folder,
            directory=folder,
            report=report,
            show=lambda line: faults.shown.append(str(line)),
        )
        async with trio.open_nursery() as nursery:
            for bot in bots:
                nursery.start_soon(live, *bot)
            trio.lowlevel.add_instrument(faults)
            try:
                with trio.fail_after(30 * 24 * 3600):
                    await direct(run)
            finally:
                trio.lowlevel.remove_instrument(faults)
                sys.settrace(None)
            nursery.cancel_scope.cancel()
    return facts


def check_all_is_played(facts: Sequence[TournamentFact]) -> None:
    """The tournament has ended, and no honest bot has lost a game otherwise than by playing."""
    assert [fact for fact in facts if isinstance(fact, TournamentEnded)]
    assert not [fact for fact in facts if isinstance(fact, FixtureVoided) and fact.is_last]
    causes = [
        game.cause for fact in facts if isinstance(fact, FixtureSettled) for game in fact.games
    ]
    assert set(causes) <= {None}, "an honest bot has forfeited a game"


async def survive(
    tournament: str, folder: Path, seed: int, *, rate: float, are_launched: bool = False
) -> int:
    """Play one tournament; returns how many faults it has met."""
    folder.mkdir(mode=0o700)
    for name in NAMES:
        (folder / f"{name}.token").write_text(f"{TOKEN}\n")
        (folder / f"{name}.token").chmod(0o600)
    text = plan_text(tournament, folder, are_launched=are_launched)
    bots = [(name, folder / "s", 1 + number % 3) for number, name in enumerate(NAMES)]
    faults = Faults(random.Random(seed), rate, OF_PROGRAMS if are_launched else OF_CONNECTIONS)
    facts = await play(text, folder, faults, *([] if are_launched else bots))
    check_all_is_played(facts)
    assert verify_run(as_it_stands(RunFiles(folder / "run"))).is_finished
    logged = [str(event) for event in lines_of(folder / "run" / "operator.jsonl")]
    told = "".join([*logged, *faults.shown])
    untold = set(faults.raised) - set(re.findall(r"<fault \d+ at [\w.:]+>", told))
    assert not untold, "a fault that the operator was not told of"
    return len(faults.raised)


async def survive_many(tournament: str, folder: Path, most: int, **more: Any) -> None:
    """Play one tournament after the other until so many faults are survived."""
    seed = count = 0
    while count < most:
        seed += 1
        count += await survive(tournament, folder / str(seed), seed, **more)


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the mock clock nothing may wait for a thread: time would run away meanwhile."""

    async def here(act: Callable[..., Any], *arguments: Any) -> Any:
        await trio.lowlevel.checkpoint()
        return act(*arguments)

    monkeypatch.setattr(trio.to_thread, "run_sync", here)
    monkeypatch.setattr("os.fsync", lambda _: None)


@pytest.fixture(autouse=True)
def many_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many failures in a row would void a fixture for good."""
    monkeypatch.setattr(facts, "FAILURES", 1_000_000)


real_time = pytest.mark.trio(run=trio.run)
"""For tests with real programs."""
pytestmark = pytest.mark.unmeasured  # the faults take the place of the tracer of coverage


@pytest.mark.slow
@pytest.mark.usefixtures("no_threads")
@pytest.mark.parametrize("most", [6, pytest.param(1700, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "tournament",
    [
        pytest.param(one, marks=[] if one in ("pairs", "knockout") else [pytest.mark.soak])
        for one in TOURNAMENTS
    ],
)
async def test_faults_of_connections_end_no_run_and_cost_no_honest_bot_a_game(
    tournament: str, most: int, tmp_path: Path
) -> None:
    await survive_many(tournament, tmp_path, most, rate=0.0003)


@real_time
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # of files: Python closes them in the end
@pytest.mark.soak
async def test_faults_of_programs_end_no_run_and_cost_no_honest_bot_a_game(tmp_path: Path) -> None:
    await survive_many("round robin", tmp_path, 300, rate=0.0005, are_launched=True)


@pytest.mark.slow
@real_time
@pytest.mark.parametrize(
    ("owner", "name"), [(frame_trace.Trace, "hide"), (player.Player, "stand_up")]
)
async def test_a_fault_between_two_steps_costs_the_program_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: type, name: str
) -> None:
    act, faults = getattr(owner, name), iter([BugError("in the middle")])

    def act_and_fail(self: object, *arguments: Any) -> None:
        act(self, *arguments)
        for fault in faults:
            raise fault

    monkeypatch.setattr(owner, name, act_and_fail)
    text = plan_text("round robin", tmp_path, are_launched=True)
    with trio.fail_after(60):
        check_all_is_played(await play(text, tmp_path, Faults(random.Random(0), 0, ())))
    assert next(faults, None) is None
