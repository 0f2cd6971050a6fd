"""`verify_run` of every format, and of runs that took newcomers: each fixture is one that the format gives."""

import hashlib
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from arena.pages.report.building import report_of
from arena.records.facts import EntrantsAdded, RecordClosed, TournamentFact, TournamentOpened
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import RecordError, read_tournament, tournament_lines
from arena.records.rulings import drawn_fact, ended_fact
from arena.records.state import state_of
from arena.records.tabulate import rows_of_run
from arena.records.verify import verify_run
from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.schedule import Fixture
from arena.words import say
from tests.matches.sitting import Sitting
from tests.records.forgeries import Line, twice, without
from tests.records.small_run import (
    FILE,
    RECORD,
    TERMS,
    Files,
    attempt_record,
    closed,
    forge,
    issued,
    lines,
    opened_tournament,
    settled,
    small_run,
)
from tests.tournaments.sample_formats import SAMPLES

LEDGER = "tournament.jsonl"
MORE = FILE + b'[[bot]]\nname = "dag"\n'


def won_by_forfeit(fixture: Fixture, winner: str) -> Sitting:
    """A match to which only the winner came."""
    sitting = Sitting(terms=TERMS, fixture=fixture.id)
    sitting.ready(1 if fixture.first == winner else 2)
    sitting.waits(5000)
    return sitting


def play_on(facts: list[TournamentFact], files: Files, *, rounds: int = 9) -> None:
    """Draw, play and settle whatever the format gives; the name that comes first in the alphabet wins."""
    opened = facts[0]
    assert isinstance(opened, TournamentOpened)
    for _ in range(rounds):
        drawn = state_of(opened, facts).next_round()
        if drawn is not None:
            facts.append(drawn_fact(drawn, opened.at_ms))
        for fixture in state_of(opened, facts).left_to_play():
            sitting = won_by_forfeit(fixture, min(fixture.entrants))
            files[f"matches/{fixture.id}.jsonl"] = record = attempt_record(sitting)
            facts += [issued(sitting), settled(sitting, record)]


def whole_run(header: TournamentOpened) -> Files:
    """A run of any format, played to its end."""
    facts: list[TournamentFact] = [header]
    files: Files = {"tournament.toml": FILE}
    play_on(facts, files)
    facts.append(ended_fact(state_of(header, facts).standings(), header.at_ms))
    return files | {LEDGER: closed(b"", facts)}


def knockout() -> Files:
    """Five seeds: three byes in the first round, then the semi-finals and the final."""
    header = opened_tournament(entrants=("eva", "dag", "cia", "bo", "anna"), violations=100)
    return whole_run(replace(header, schedule=Knockout()))


def joined() -> Files:
    """A round robin of two that was over when two others joined it."""
    files = whole_run(opened_tournament(violations=100))
    facts = [fact for _, fact in tournament_lines.read(LEDGER, files[LEDGER])]
    before = len(facts)
    newcomers = EntrantsAdded(
        at_ms=facts[0].at_ms,  # type: ignore[union-attr]  # the first line has a time
        entrants=["dag", "cia"],
        file_sha256=hashlib.sha256(MORE).hexdigest(),
    )
    facts.append(newcomers)
    play_on(facts, files)
    opened = facts[0]
    assert isinstance(opened, TournamentOpened)
    facts.append(ended_fact(state_of(opened, facts).standings(), opened.at_ms))
    return files | {"tournament.toml": MORE, LEDGER: closed(files[LEDGER], facts[before:])}


def events(files: Files) -> list[str]:
    return [type(fact).__name__ for _, fact in tournament_lines.read(LEDGER, files[LEDGER])]


def test_a_knock_out_is_in_order() -> None:
    files = knockout()
    found = verify_run(files)
    assert (found.fixtures, found.scheduled, found.is_finished) == (4, 4, True)
    assert events(files).count("RoundDrawn") == 3
    facts = [fact for _, fact in tournament_lines.read(LEDGER, files[LEDGER])]
    part = facts[: [type(fact).__name__ for fact in facts].index("FixtureSettled") + 1]
    names = {f"matches/{fact.fixture}.jsonl" for fact in part if hasattr(fact, "fixture")}
    found = verify_run(
        {name: data for name, data in files.items() if name in names} | {"tournament.toml": FILE, LEDGER: lines(part)}
    )
    assert (found.fixtures, found.scheduled, found.is_finished) == (1, 4, False)


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_of_any_format_is_in_order(name: str) -> None:
    plan = SAMPLES[name]
    header = replace(opened_tournament(entrants=plan.entrants, violations=100), schedule=plan.format)
    found = verify_run(whole_run(header))
    assert found.fixtures == found.scheduled > 0
    assert found.is_finished


def test_a_round_robin_that_was_joined_is_in_order() -> None:
    files = joined()
    found = verify_run(files)
    assert (found.fixtures, found.scheduled, found.is_finished) == (6, 6, True)
    assert events(files).count("RecordClosed") == 2


def of(found: list[Line], event: str, number: int = 0) -> Line:
    return [line for line in found if line["event"] == event][number]


def swap_seats(found: list[Line]) -> None:
    drawn = of(found, "round_drawn")
    drawn["fixtures"] = ["r1-bo-v-anna" if each == "r1-anna-v-bo" else "r1-anna-v-bo" for each in drawn["fixtures"]]


def move_up(found: list[Line]) -> None:
    """The second round before the first is over."""
    second = of(found, "round_drawn", 1)
    found.remove(second)
    found.insert(2, second)


def leave_out(found: list[Line]) -> None:
    found.remove(of(found, "round_drawn", 2))


def join(found: list[Line]) -> None:
    added = {
        "event": "entrants_added",
        "v": 1,
        "at_ms": 1,
        "entrants": ["finn"],
        "file_sha256": found[0]["file_sha256"],
    }
    found.insert(1, added)


def contain(found: list[Line]) -> None:
    found.insert(1, {"event": "bots_contained", "v": 1, "at_ms": 1, "bots": {"finn": "bubblewrap"}})


FORGERIES: dict[str, tuple[Callable[[], Files], Callable[[list[Line]], None], str]] = {
    "seats swapped": (knockout, swap_seats, ""),
    "another has the bye": (knockout, lambda found: of(found, "round_drawn").update(byes=["bo"]), "the round must be"),
    "a bye left out": (knockout, lambda found: of(found, "round_drawn")["byes"].pop(), "the round must be"),
    "a fixture too many": (knockout, lambda found: of(found, "round_drawn")["fixtures"].append("r1-eva-v-dag"), ""),
    "no fixture at all": (
        knockout,
        lambda found: of(found, "round_drawn")["fixtures"].append("final"),
        "not a fixture",
    ),
    "drawn too early": (knockout, move_up, "no round of knockout-1 can be drawn here"),
    "drawn out of turn": (knockout, lambda found: of(found, "round_drawn", 1).update(round=3), "the round must be"),
    "a round left out": (knockout, leave_out, ""),
    "a knock-out joined": (knockout, join, "takes no newcomers"),
    "a stranger contained": (knockout, contain, "finn did not enter"),
    "another format": (knockout, lambda found: found[0].update(schedule={"name": "round_robin", "cycles": 1}), ""),
    "rounds in a knock-out": (
        knockout,
        lambda found: found[0]["schedule"].update(rounds=2),
        "not in the form",
    ),
    "no known format": (knockout, lambda found: found[0]["schedule"].update(name="knockout-2"), "knockout-2"),
    "joined by nobody": (joined, lambda found: of(found, "entrants_added").update(entrants=[]), ""),
    "joined twice": (joined, lambda found: of(found, "entrants_added").update(entrants=["dag", "anna"]), ""),
    "joined in another order": (joined, lambda found: of(found, "entrants_added").update(entrants=["cia", "dag"]), ""),
    "with another file": (joined, lambda found: of(found, "entrants_added").update(file_sha256="0" * 64), "SHA-256"),
    "not joined, but played": (joined, lambda found: found.remove(of(found, "entrants_added")), ""),
}


@pytest.mark.parametrize(("run", "change", "message"), FORGERIES.values(), ids=FORGERIES)
def test_a_false_drawing_is_found_although_every_hash_fits(
    run: Callable[[], Files], change: Callable[[list[Line]], None], message: str
) -> None:
    with pytest.raises(RecordError) as caught:
        verify_run(forge(run(), LEDGER, change))
    assert message in str(caught.value)


def test_only_newcomers_open_a_record_again() -> None:
    files = knockout()
    facts = [fact for _, fact in tournament_lines.read(LEDGER, files[LEDGER])]
    assert isinstance(facts[-1], RecordClosed)
    more = files | {LEDGER: files[LEDGER] + lines([facts[2]])}
    with pytest.raises(RecordError, match="only entrants_added may follow a closing line"):
        verify_run(more)


def standings(files: Files) -> None:
    """The question that `arena standings`, `stats` and `report` all ask."""
    facts = [fact for _, fact in read_tournament(TOURNAMENT_RECORD, files[TOURNAMENT_RECORD])]
    state_of(facts[0], facts).standings()  # type: ignore[arg-type]  # the first line opens it


def add_round(found: list[Line]) -> None:
    """One more round after the final, with its number."""
    last = max(place for place, line in enumerate(found) if line["event"] == "round_drawn")
    found.insert(-2, found[last] | {"round": found[last]["round"] + 1})


def part(found: list[Line]) -> None:
    """Neighbours of the last round have byes instead of a match."""
    drawn = [line for line in found if line["event"] == "round_drawn"][-1]
    found[:] = found[: found.index(drawn) + 1]
    _, first, _, second = drawn["fixtures"].pop().split("-")
    drawn["byes"] = [first, second]


@pytest.mark.parametrize(
    ("run", "change", "message"),
    [
        (small_run, twice("fixture_settled"), "tournament.jsonl:6: .* is decided twice"),
        (knockout, without("round_drawn", 1), r"tournament.jsonl:\d+: .* is decided, but not in the schedule"),
        (knockout, twice("round_drawn"), "tournament.jsonl: .*round 1 is drawn where round 2 must be"),
        (knockout, twice("round_drawn", 2), "tournament.jsonl: .*round 3 is drawn where round 4 must be"),
        (knockout, add_round, "tournament.jsonl: .*round 4 is drawn after the final"),
        (knockout, part, "tournament.jsonl: .* are neighbours, but do not meet in round 3"),
    ],
)
def test_a_tournament_record_that_contradicts_itself_is_named(
    run: Callable[[], Files], change: Callable[[list[Line]], None], message: str
) -> None:
    with pytest.raises(RecordError, match=message):
        standings(forge(run(), TOURNAMENT_RECORD, change))


def end_first(found: list[Line]) -> None:
    """The end of the first game before its last turn."""
    end = next(place for place, line in enumerate(found) if line["event"] == "game_ended")
    found[end - 1], found[end] = found[end], found[end - 1]


@pytest.mark.parametrize("change", [without("game_started"), end_first])
def test_a_turn_of_a_game_that_is_not_open_is_named(change: Callable[[list[Line]], None]) -> None:
    """By everything that reads match records; the report leaves the record out and tells of it."""
    files = forge(small_run(), RECORD, change)
    message = rf"{RECORD}:\d+: game 1 is not open here"
    with pytest.raises(RecordError, match=message):
        list(rows_of_run(files, tables=("turns",), with_positions=True))
    with pytest.raises(RecordError, match=message):
        verify_run(files)
    assert "game 1 is not open here" in say(report_of(files, games="all").figures.audit.sentence)
