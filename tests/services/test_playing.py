"""A run and a comparison from Python: an order in, a folder and its conclusion out, errors by name."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.records.facts import FixtureSettled, TournamentFact, TournamentOpened
from arena.records.files import TOURNAMENT_FILE
from arena.records.lines import RecordError
from arena.server.io.listening import ListenError
from arena.server.run.comparison import ComparisonProgress
from arena.server.setup.credentials import SigningKeyError
from arena.server.setup.given_fields import parse_set
from arena.server.setup.run_folder import FolderError
from arena.server.setup.tournament_file import parse_plan
from arena.services.analysing import NotWrittenError
from arena.services.bot_check import UnfitBotsError, check_before_start, dry_run
from arena.services.comparing import (
    Bots,
    ComparisonAudience,
    ComparisonOrder,
    ComparisonStoppedError,
    compare_bots,
)
from arena.services.conclusion import conclusion_of
from arena.services.crews import CrewError, CrewOrder, open_crew
from arena.services.errors import ServiceError
from arena.services.luck import NoLuckError
from arena.services.plans import PlanRefusedError
from arena.services.playing import Audience, OpenedRun, RunOrder, plan_run, play
from arena.services.progress import Advance, pass_by
from arena.services.stopping import (
    AddressRefusedError,
    RunDamagedError,
    RunInterruptedError,
    RunStoppedError,
    stopping_by_name,
)
from arena.tournaments.statistics.sequential import Decision, Hypotheses
from arena.words import Said, quoted, say
from tests.fixtures.arena_runs import honest, predictable, rogue, write_plan

WIDE = Hypotheses(elo0=-800, elo1=800, alpha=0.4, beta=0.4)
"""Decided by the first batch."""
QUICK = [parse_set("limits.sandbox=off"), parse_set("limits.check_bots=off")]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan_file(folder: Path, **bots: list[str]) -> Path:
    return write_plan(folder, {name: {"command": command} for name, command in bots.items()})


def test_a_run_is_planned_played_and_concluded(here: Path) -> None:
    file = plan_file(here, anna=honest(), bo=honest())
    facts: list[TournamentFact] = []
    opened: list[OpenedRun] = []

    @contextmanager
    def follow(begun: OpenedRun) -> Iterator[Audience]:
        opened.append(begun)
        yield Audience(report=facts.append, show=pass_by)  # type: ignore[arg-type]  # progress too

    planned = plan_run(RunOrder(tournament=file, fields=[parse_set("tournament.name=Friday")]))
    assert planned.plan.entrants == ["anna", "bo"]
    folder = play(planned, follow)
    assert folder == Path("runs", "friday-1")
    assert (opened[0].planned, opened[0].folder.path, opened[0].facts) == (planned, folder, [])
    assert isinstance(facts[0], TournamentOpened)
    conclusion = conclusion_of(folder)
    assert (conclusion.problem, conclusion.void, conclusion.state.is_finished) == (None, None, True)
    assert len([fact for fact in conclusion.facts if isinstance(fact, FixtureSettled)]) == 1
    before = (folder / TOURNAMENT_FILE).read_bytes()
    assert play(plan_run(RunOrder(tournament=folder))) == folder
    assert (folder / TOURNAMENT_FILE).read_bytes() == before


def test_a_run_of_which_nothing_is_played_says_so(here: Path) -> None:
    notes: list[Said] = []
    file = plan_file(here, anna=rogue("exits"), bo=rogue("exits"))
    folder = play(
        plan_run(RunOrder(tournament=file, out=Path("run")), notes.append), note=notes.append
    )
    problem = conclusion_of(folder).problem
    assert problem is not None
    assert problem.code == "run.nothing_played"
    assert notes == []


def test_what_cannot_be_played_is_refused_by_name(here: Path) -> None:
    file = plan_file(here, anna=honest(), bo=honest())
    with pytest.raises(PlanRefusedError) as refused:
        plan_run(RunOrder(text='[[bot]]\nname = "a"\ncommand = "no-such-program"'))
    assert refused.value.said == Said("run.refused")
    (here / "letters").mkdir()
    (here / "letters" / "to-anna").touch()
    with pytest.raises(FolderError):
        play(plan_run(RunOrder(tournament=file, out=Path("letters"))))
    with pytest.raises(SigningKeyError):
        play(plan_run(RunOrder(tournament=file, out=Path("run"), key_file=file)))
    with pytest.raises(CrewError):
        play(
            plan_run(
                RunOrder(tournament=file, out=Path("run"), crew=CrewOrder(2, "tcp://127.0.0.1:1"))
            )
        )
    assert not Path("run").exists()


def test_a_crew_is_opened_as_it_is_asked_for() -> None:
    plan = parse_plan('bot = [{name = "a", remote = true}, {name = "b", remote = true}]')
    with open_crew(plan, CrewOrder()) as crew:
        assert crew is None
    with pytest.raises(CrewError, match="a, b"), open_crew(plan, CrewOrder(workers=2)):
        pass


def test_bots_are_tried_before_a_run_or_in_its_place(here: Path) -> None:
    notes: list[Said] = []
    file = write_plan(
        here,
        {"anna": {"command": honest()}, "cat": {"command": ["cat"]}},
        limits={"check_bots": "require"},
    )
    planned = plan_run(RunOrder(tournament=file, out=Path("run")))
    with pytest.raises(UnfitBotsError) as unfit:
        play(planned, note=notes.append)
    assert [one.code for one in unfit.value.problems if isinstance(one, Said)][:1] == [
        "check.problem"
    ]
    assert (notes, Path("run").exists()) == ([], False)
    checked = dry_run(planned.plan, planned.out, planned.hidden)
    assert [(name, bool(finding.problem)) for name, finding in checked.findings.items()] == [
        ("anna", False),
        ("cat", True),
    ]
    assert checked.unfit == 1
    check_before_start(planned.plan, ["cat"], [], anyway=True, note=notes.append)
    assert [note.code for note in notes] == ["check.anyway"]


@pytest.mark.parametrize(
    ("error", "begun", "kind", "told"),
    [
        (KeyboardInterrupt(), False, RunInterruptedError, "stopped before the start"),
        (KeyboardInterrupt(), True, RunInterruptedError, "stopped; go on with: again"),
        (
            OSError(28, "full"),
            True,
            RunStoppedError,
            "No space left on device; finished matches are kept",
        ),
        (
            RecordError("a.jsonl:1", "it is torn"),
            True,
            RunDamagedError,
            "a.jsonl:1: it is torn; the run cannot be resumed",
        ),
        (NotWrittenError(quoted("the disk is full")), True, NotWrittenError, "the disk is full"),
        (
            ListenError(Said("quoted", {"text": "in use"})),
            True,
            AddressRefusedError,
            "in use; when the problem is solved",
        ),
    ],
)
def test_what_ends_play_has_a_name(
    error: BaseException, begun: bool, kind: type[ServiceError], told: str
) -> None:
    with pytest.raises(kind) as end, stopping_by_name(lambda: "again" if begun else None):
        raise BaseExceptionGroup("of trio", [error])
    assert told in say(end.value.said)


def test_what_nobody_expects_stays_as_it_is() -> None:
    with pytest.raises(ExceptionGroup), stopping_by_name(lambda: None):
        raise ExceptionGroup("of trio", [ValueError("a fault of the arena")])


def comparison(**changes: Any) -> ComparisonOrder:
    given: dict[str, Any] = {
        "new": ("new", shlex.join(honest())),
        "old": ("old", shlex.join(predictable())),
        "hypotheses": WIDE,
        "fields": [*QUICK, parse_set("tournament.pairs=1")],
        "most": 1,
        "out": Path("compared"),
    }
    return ComparisonOrder(**given | changes)


def test_two_bots_are_compared_with_the_luck_taken_out(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.services.luck.CORES", 1)  # no process of its own
    states: list[tuple[ComparisonProgress, Bots]] = []
    analysed: list[Advance] = []

    @contextmanager
    def analysing() -> Iterator[Any]:
        yield analysed.append

    def follow(*_: object) -> ComparisonAudience:
        return ComparisonAudience(
            report=pass_by,
            show=pass_by,
            tell=lambda *state: states.append(state),
            analysing=analysing,
        )

    compared = compare_bots(comparison(is_luck_adjusted=True), follow)
    assert (compared.folder, compared.bots.new_id, compared.bots.evaluator) == (
        Path("compared"),
        "new",
        "brade-vasa-3",
    )
    assert compared.progress.trial.decision in (Decision.H0, Decision.H1, Decision.GOES_ON)
    assert states == [(compared.progress, compared.bots)]
    assert analysed[-1] == (2, 2)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"new": ("new", "no-such-program")}, PlanRefusedError),
        (
            {"fields": [parse_set("tournament.ruleset=brandubh-1")], "is_luck_adjusted": True},
            NoLuckError,
        ),
        ({"new": ("new", shlex.join(rogue("exits")))}, ComparisonStoppedError),
        ({"fields": []}, UnfitBotsError),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(
    here: Path, changes: dict[str, Any], kind: type[ServiceError]
) -> None:
    if kind is UnfitBotsError:
        changes = changes | {"old": ("old", "cat")}
    with pytest.raises(kind):
        compare_bots(comparison(**changes))
