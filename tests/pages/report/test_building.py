"""The report says the same as the records."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from arena.games.result import Result
from arena.matches.facts import Terms, TurnPlayed
from arena.matches.time_control import TimeControl
from arena.pages.findings import EntrantSummary, Report
from arena.pages.report.building import report_of
from arena.pages.report.matches import ChosenGames
from arena.records.files import TOURNAMENT_RECORD, analysis_file
from arena.records.lines import RecordError, encode_line, read_attempts
from arena.records.replay import Replay
from arena.tournaments.formats.round_robin import round_robin
from arena.words import say
from tests.fixtures.caller import CALLER, by_these_rules
from tests.fixtures.report_runs import (
    HOSTILE,
    analysed_run,
    analysis,
    games_to_play,
    long_run,
    run,
)
from tests.fixtures.sample_runs import annulled_run
from tests.fixtures.sitting import VASA, Sitting
from tests.fixtures.small_run import (
    FIXTURE,
    RECORD,
    TERMS,
    Files,
    agreed_attempt,
    brandubh_attempt,
    called_attempt,
    forge,
    opened_tournament,
    pairs_attempt,
    run_of,
    small_run,
)


def counts(text: str) -> dict[str, list[int]]:
    """A position of a tables game, as the page has it, in the plain form from seat 1's side."""
    numbers = [
        0 if sign == "." else ord(sign) - 96 if sign.islower() else 64 - ord(sign)
        for sign in text[:28]
    ]
    return {
        "points": numbers[:24],
        "bar": [numbers[24], -numbers[25]],
        "off": [numbers[26], -numbers[27]],
    }


def positions_of(report: Report, game: int) -> list[str]:
    [found] = [one for one in report.matches[0].shown if one.number == game]
    return [step.position for step in found.steps if step.kind == "turn"]


def entrants(report: Report) -> list[EntrantSummary]:
    return [one for one in report.run.entrants if isinstance(one, EntrantSummary)]


def playable(report: Report) -> list[str]:
    return [f"{match.link}/{game.number}" for match in report.matches for game in match.shown]


@pytest.mark.parametrize("rules", games_to_play().values(), ids=list(games_to_play()))
def test_every_position_is_that_of_the_replayed_record(rules: Any) -> None:
    files = long_run(rules, turn_limit=150)
    [attempt] = read_attempts(RECORD, files[RECORD])
    replay = Replay(attempt.opened, attempt.seed, RECORD)
    expected = []
    for where, fact in attempt.facts:
        replay.check(fact, where)
        if (
            isinstance(fact, TurnPlayed)
            and fact.game == 1
            and replay.match.games
            and replay.match.games[0].number == 1
        ):
            [game] = replay.match.games
            expected.append(
                rules.to_plain(game.position if game.mover == 1 else rules.flip(game.position))
            )
    found = positions_of(report_of(files, games="all"), 1)
    assert len(found) - len(expected) in (0, 1), (
        "the position after the last turn is not in the machine any more"
    )
    for text, plain in zip(found, expected, strict=False):
        if rules.ruleset["family"] == "brandubh":
            assert text == "".join(plain["board"])
        else:
            assert counts(text) == {name: plain[name] for name in ("points", "bar", "off")}
            assert text[28:] == "".join(str(int(each)) for each in plain.get("unlocked", ()))


def test_the_position_after_the_last_turn_is_shown_as_well() -> None:
    report = report_of(long_run(games_to_play()["backgammon"], games=1), games="all")
    [game] = report.matches[0].shown
    ending = game.ended.result.ending
    assert ending in ("bearing_off", "turn_limit")
    assert ending == "turn_limit" or 15 in counts(positions_of(report, 1)[-1])["off"]


def test_turns_rejections_and_notes_are_steps_of_the_game() -> None:
    report = report_of(long_run(), games="all")
    first, second, turn = report.matches[0].shown[0].steps[:3]
    assert (first.kind, first.at, first.text) == ("rejected", "1a", "1/24 24/1")
    assert second.spent_ms == 5
    assert second.more["clause"] == "B3.1"
    assert second.more["left"] == 1
    assert (turn.kind, turn.at, turn.left_ms) == ("turn", "1", 60_000)
    assert HOSTILE.split('"')[0] in turn.more["info"]
    assert report.matches[0].versions == (HOSTILE, HOSTILE)


def test_a_void_attempt_stands_beside_the_one_that_counts() -> None:
    report = report_of(small_run(), games="all")
    match, void = report.matches
    assert (match.link, match.state, match.void) == (FIXTURE, "settled", "")
    assert (void.link, void.state, bool(void.void)) == (f"{FIXTURE}~1", "void", True)
    assert playable(report) == [f"{FIXTURE}/1", f"{FIXTURE}/2", f"{FIXTURE}/3", f"{FIXTURE}~1/1"]
    assert [row.result.ending for row in match.games if row.result] == [
        "turn_limit",
        "forfeit",
        "forfeit",
    ]


def test_what_went_wrong_is_told_with_its_place() -> None:
    report = report_of(small_run(), games="all")
    told = [
        (one.kind, one.entrant, one.game, one.at, say(one.label))
        for one in report.figures.incidents
    ]
    assert told[:2] == [
        ("forfeit", "bo", 2, "end", "illegal turns"),
        ("forfeit", "bo", 3, "end", "time"),
    ]
    assert [kind for kind, *_ in told] == ["forfeit"] * 2 + ["left"] * 3 + ["rejected"] * 3
    assert [at for kind, _, _, at, _ in told if kind == "rejected"] == ["1a", "2a", "2b"]
    assert report.figures.incidents_left_out == 0
    assert say(report.matches[0].shown[1].why) == (
        "more illegal turns than the tournament forgives in a game (1); a forfeit pays the highest points of the ruleset"
    )


@pytest.mark.parametrize(
    ("attempt", "kinds"),
    [
        (agreed_attempt, {"turn", "rejected", "draw"}),
        (brandubh_attempt, {"left", "returned", "turn", "rejected"}),
        (called_attempt, {"call", "turn", "rejected", "flag"}),
        (pairs_attempt, {"turn", "rejected", "flag"}),
    ],
)
def test_every_kind_of_match_can_be_played_through(attempt: Any, kinds: set[str]) -> None:
    sitting = attempt()
    files = run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting)
    with by_these_rules(CALLER) if sitting.rules is CALLER else nullcontext():
        report = report_of(files, games="all")
    assert report.figures.audit.state == "in order"
    assert {step.kind for game in report.matches[0].shown for step in game.steps} == kinds
    assert [game.number for game in report.matches[0].shown] == list(
        range(1, sitting.opened.terms.games + 1)
    )
    assert all(game.ended for game in report.matches[0].shown)


def test_a_run_without_any_match_has_a_report() -> None:
    report = report_of(run_of(opened_tournament(), is_finished=False), games=200)
    assert [(one.name, one.elo, one.mean) for one in entrants(report)] == [
        ("anna", None, None),
        ("bo", None, None),
    ]
    assert report.matches == []
    assert not report.run.is_finished


@pytest.mark.parametrize("cut", [1, 20])
def test_a_run_in_progress_is_told_as_far_as_it_goes(cut: int) -> None:
    files = small_run()
    tournament = files[TOURNAMENT_RECORD].split(b"\n")
    settled = next(place for place, line in enumerate(tournament) if b"fixture_settled" in line)
    data = files[RECORD]
    ends = [place for place, sign in enumerate(data) if sign == 10]
    files[RECORD] = data[: ends[-cut] - 3]
    files[TOURNAMENT_RECORD] = b"\n".join(tournament[:settled]) + b'\n{"event":"fixt'
    report = report_of(files, games=200)
    assert report.matches[0].state == "under way"
    assert report.run.counted == 0
    assert report.figures.audit.state == "in order"
    assert report.matches[1].link == f"{FIXTURE}~1"


def test_games_are_chosen_forfeits_first() -> None:
    """Then in the order of play, and those of void attempts as long as there is room."""
    shown = {
        games: report_of(small_run(), games=games) for games in (0, 1, 3, 4, "forfeits", "all")
    }
    numbers = {games: [place[-3:] for place in playable(report)] for games, report in shown.items()}
    assert numbers == {
        0: [],
        1: ["o/2"],
        3: ["o/1", "o/2", "o/3"],
        4: ["o/1", "o/2", "o/3", "1/1"],
        "forfeits": ["o/2", "o/3"],
        "all": ["o/1", "o/2", "o/3", "1/1"],
    }
    assert {games: (report.games_shown, report.games) for games, report in shown.items()} == {
        games: (len(found), 4) for games, found in numbers.items()
    }


def test_a_changed_record_is_told_of_and_shown_up_to_the_change() -> None:
    files = long_run()
    files[RECORD] = files[RECORD].replace(b'"turn":9,', b'"turn":8,', 1)
    start, _, closing = files[RECORD].rstrip(b"\n").rpartition(b"\n")
    report = report_of(files | {RECORD: start + b"\n"}, games="all")
    assert report.figures.audit.state == "not in order"
    [match] = report.matches
    broken = say(match.broken)
    assert "replay gives" in broken or "cannot follow" in broken
    assert [step.at for step in match.shown[0].steps if step.kind == "turn"] == [
        str(turn) for turn in range(1, 9)
    ]
    assert b"record_closed" in closing


def test_a_match_record_that_is_missing_is_named_and_its_result_stands() -> None:
    files = small_run()
    del files[RECORD]
    report = report_of(files, games="all")
    [match] = report.matches
    assert (match.state, match.score, match.shown) == ("settled", (12, 0), ())
    assert report.figures.audit.state == "not in order"
    assert say(report.figures.audit.sentence).startswith(
        f"{RECORD}: the record of a settled match is missing"
    )


@pytest.mark.parametrize(
    ("found", "forged", "message"),
    [
        (b'"match":"r1-anna-v-bo"', b'"match":"r1-bo-v-anna"', "attempt 1 is of another match"),
        (
            b'"entrants":["anna","bo"]',
            b'"entrants":["anna","eve"]',
            "attempt 1 is of another match",
        ),
        (b'"name":"vasa"', b'"name":"mine"', "or by other rules"),
    ],
)
def test_a_record_that_does_not_belong_to_the_run_is_left_out(
    found: bytes, forged: bytes, message: str
) -> None:
    files = first_attempt_under_way()
    report = report_of(files | {RECORD: files[RECORD].replace(found, forged)}, games="all")
    assert (report.figures.audit.state, playable(report)) == ("not in order", [])
    assert message in say(report.figures.audit.sentence)


@pytest.mark.parametrize(
    ("found", "forged", "message"),
    [
        (b'"name":"vasa"', b'"name":"mine"', "the ruleset cannot be used"),
        (FIXTURE.encode(), b"r9-anna-v-bo", "r9-anna-v-bo was issued, but is not in the schedule"),
        (b'"event":"tournament_opened"', b'"event":"opened"', r"tournament\.jsonl"),
    ],
)
def test_a_tournament_record_that_gives_no_run_is_refused(
    found: bytes, forged: bytes, message: str
) -> None:
    files = first_attempt_under_way()
    files[TOURNAMENT_RECORD] = files[TOURNAMENT_RECORD].replace(found, forged)
    with pytest.raises(RecordError, match=message):
        report_of({**files, "matches/r9-anna-v-bo.jsonl": files[RECORD]}, games=0)


def first_attempt_under_way() -> Files:
    """The small run before anything was closed."""
    files = small_run()
    for name, end in (
        (RECORD, b'{"event":"match_voided"'),
        (TOURNAMENT_RECORD, b'{"event":"fixture_voided"'),
    ):
        files[name] = files[name][: files[name].index(end)]
    return files


def first_of(*entrants: str) -> Sitting:
    """The first match of a round robin, in which seat 2 forfeits a game."""
    sitting = Sitting(terms=replace(TERMS, games=1), fixture=round_robin(entrants)[0].id)
    sitting.ready()
    sitting.plays()
    sitting.plays_illegally()
    sitting.plays_illegally()
    return sitting


def test_an_annulled_match_stays_in_the_list() -> None:
    """It counts for nobody, and can be looked at."""
    report = report_of(annulled_run(is_finished=False), games="all")
    assert {one.withdrawal for one in report.run.entrants} == {"none", "annulled"}
    annulled, counted = report.matches
    assert (annulled.state, counted.state, report.run.counted) == ("annulled", "settled", 1)
    assert annulled.shown


def test_the_page_of_a_bot_counts_no_annulled_match() -> None:
    report = report_of(annulled_run(is_finished=False), games=0)
    pages = {page.row.id: page for page in report.bots}
    [annulled, counted] = [
        next(p for p in report.matches if p.state == state) for state in ("annulled", "settled")
    ]
    for name in annulled.entrants:
        page = pages[name]
        assert ([match["outcome"] for match in page.matches], page.against, page.endings) == (
            ["annulled"],
            [],
            [],
        )
    for name in counted.entrants:
        [against], [ending] = pages[name].against, pages[name].endings
        assert (against["matches"], against["drawn"], ending["drawn"]) == (1, 1, 1)


def test_ratings_are_in_the_order_of_the_statistics() -> None:
    """The page sorts by this place and not by Elo, which differs in the thirteenth decimal where it is equal."""
    report = report_of(small_run(), games=0)
    places = {one.name: one.strength for one in entrants(report)}
    assert places == {"anna": 0, "bo": 1}


def test_the_crosstable_is_shaded_only_where_entrants_compare() -> None:
    sitting = first_of("anna", "bo", "carl", "dora")
    header = opened_tournament(sitting.opened.terms, ("anna", "bo", "carl", "dora"))
    report = report_of(run_of(header, sitting, is_finished=False), games=0)
    names = [one.name for one in report.run.entrants]
    met = {
        frozenset((names[row], names[column]))
        for row in range(4)
        for column in range(4)
        if report.figures.superior[row][column] is not None
    }
    assert met == {frozenset(sitting.opened.entrants)}


def test_times_fall_into_their_classes() -> None:
    report = report_of(small_run(), games=0)
    limits = report.figures.time_limits_ms
    anna = next(one.conduct for one in entrants(report) if one.name == "anna")
    assert sum(anna.times) == anna.turns
    assert (
        anna.times[max(place for place, limit in enumerate(limits) if limit <= anna.longest_ms)] > 0
    )


def test_terms_are_told_as_they_are_and_the_audit_may_be_left_out() -> None:
    report = report_of(small_run(), games=0, is_audited=False)
    run = report.run
    assert report.figures.audit.state == "left out"
    assert run.terms == Terms(
        games=3,
        clock=TimeControl(delay_ms=100, bank_ms=200),
        rejections=1,
        turn_limit=2,
        startup_ms=1000,
    )
    assert (run.ruleset, run.format) == (VASA.name, "round_robin")


def test_how_launched_bots_were_contained_is_told() -> None:
    files = dict(small_run())
    contained = {
        "event": "bots_contained",
        "v": 1,
        "at_ms": 1,
        "bots": {"anna": "bubblewrap", "bo": "none"},
    }
    assert report_of(files, games="all").run.contained == []
    found = report_of(
        forge(files, TOURNAMENT_RECORD, lambda lines: lines.insert(1, contained)), games="all"
    )
    assert [say(one) for one in found.run.contained] == [
        "launched in the sandbox of bubblewrap: anna",
        "launched NOT CONTAINED, without a sandbox: bo",
    ]


def test_a_forced_jan_is_in_the_page_whatever_else_is() -> None:
    endings = ("bearing_off", "forfeit", "jan", "forced_jan", "forced_jan")
    games = [
        Result(
            winner=1,
            ending=ending,
            clause="",
            points=1,
            cause="time" if ending == "forfeit" else None,
        )
        for ending in endings
    ]
    settled: Any = SimpleNamespace(fixture=FIXTURE, games=games)
    assert ChosenGames([settled], 2).of_settled(FIXTURE) == {2, 4}
    assert ChosenGames([settled], "forfeits").of_settled(FIXTURE) == {2}


def test_the_course_of_a_game_is_that_of_the_analysis() -> None:
    report = report_of(analysed_run(), games="all")
    for game in report.matches[0].shown:
        decisions = [one for one in analysis().decisions if one.game == game.number]
        first = next(one for one in analysis().rolls if one.game == game.number)
        assert game.analysis.start == pytest.approx(
            first.mean if first.seat == 1 else -first.mean, abs=1e-3
        )
        for turn, one in zip(game.analysis.turns, decisions, strict=True):
            assert turn.turn == one.turn
            assert turn.value == pytest.approx(one.value if one.seat == 1 else -one.value, abs=1e-3)
            assert (turn.loss, turn.mark, turn.choices) == (one.loss, one.mark or "", one.choices)
            assert turn.best == ("" if one.best == one.played else one.best)


def test_the_figures_of_the_run_are_those_of_the_analysis() -> None:
    found = report_of(analysed_run(), games="all").figures.analysis
    assert (found.evaluator, found.plies, found.analysed, found.matches) == ("small", [1], 1, 1)
    costs = sorted((one.loss for one in analysis().decisions if one.loss), reverse=True)[:5]
    assert [one.points for one in found.costliest] == pytest.approx([cost / 1000 for cost in costs])
    assert all(one.link == FIXTURE for one in found.costliest)
    assert found.luckiest.points == pytest.approx(
        max(one.luck for one in analysis().rolls), abs=1e-4
    )
    assert sum(one.decisions for one in found.losses) == sum(
        not one.forced for one in analysis().decisions
    )


def test_what_does_not_fit_is_not_shown() -> None:
    name = analysis_file(RECORD)
    data = analysed_run()[name]
    head = encode_line(analysis().head)
    for other in (
        None,
        data.replace(analysis().head.record_sha256.encode(), b"0" * 64),
        data[:-20],
        data.replace(head, head.replace(b'"anna"', b'"cara"')),
    ):
        files = run() if other is None else {**run(), name: other}
        report = report_of(files, games="all")
        assert report.figures.analysis is None
        assert all(game.analysis is None for game in report.matches[0].shown)


def test_results_without_luck_are_there_if_every_match_is_analysed() -> None:
    found = report_of(analysed_run(), games="all").figures.analysis
    given = sum(one.luck if one.seat == 1 else -one.luck for one in analysis().rolls)
    [match] = found.luck.matches
    raw, adjusted = match.raw, match.adjusted
    assert adjusted == pytest.approx(raw - given, abs=1e-3)
    assert say(found.luck.source) == "evaluator small sha256:000000000000, chosen afterwards"
    assert sorted(one.given for _, one, _ in found.luck.entrants) == pytest.approx(
        sorted([given, -given])
    )
