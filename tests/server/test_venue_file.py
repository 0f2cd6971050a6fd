"""`venue.toml`: what it says, and nonsense in every field told in one sentence with its line."""

import tomllib
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from arena.server.setup import weekly
from arena.server.setup.bot_section import BotSection
from arena.server.setup.tournament_file import parse_plan
from arena.server.setup.venue_file import (
    HOUSE_BOTS,
    VENUE_FILE,
    VenueFileError,
    default_text,
    fields_of,
    parse_venue,
    write_default,
)
from arena.server.setup.venue_runs import tournament_text
from arena.server.setup.weekly import WEEKDAYS, local_date, next_due_ms
from arena.tournaments.formats.swiss import SwissMonrad
from arena.words import say

BOTS = "".join(f'[[bot]]\nname = "{name}"\ncommand = "true"\n' for name in ("a", "b", "c"))
LADDER = '[[ladder]]\nname = "vasa"\n'
CUP = '[[cup]]\nname = "sat"\nladder = "vasa"\nday = "saturday"\ntime = "20:00"\n'
WHOLE = LADDER + BOTS + CUP


def problems_of(text: str) -> list[str]:
    with pytest.raises(VenueFileError) as refused:
        parse_venue(text)
    return [say(problem) for problem in refused.value.problems]


def test_the_default_file_is_a_vasa_ladder_of_four_house_bots() -> None:
    plan = parse_venue(default_text())
    [ladder] = plan.ladder
    assert (ladder.name, ladder.seats, plan.venue.joining) == ("vasa", 2, "invite")
    assert tuple(bot.entrant for bot in plan.anchors_of(ladder)) == HOUSE_BOTS
    assert all(Path(bot.arguments[1]).is_file() for bot in plan.bot)


def test_the_example_of_a_cup_in_the_default_file_is_one() -> None:
    before, _, example = default_text().partition("# [[cup]]")
    text = before + "[[cup]]" + example.replace("\n# ", "\n")
    [cup] = parse_venue(text).cup
    assert (cup.name, cup.zone, cup.format) == (
        "saturday",
        "Europe/Stockholm",
        "swiss-monrad-1",
    )


def test_the_default_file_is_written_once(tmp_path: Path) -> None:
    write_default(tmp_path)
    (tmp_path / VENUE_FILE).write_text(WHOLE)
    write_default(tmp_path)
    assert (tmp_path / VENUE_FILE).read_text() == WHOLE


def test_a_ladder_has_the_terms_of_a_tournament_file() -> None:
    text = LADDER.replace("\n", '\nruleset = "fiske"\ngames = 5\n', 1)
    text = text.replace("[[ladder]]", '[[ladder]]\nanchors = ["a", "b", "c"]')
    text += "[ladder.clock]\ndelay_ms = 7\n[ladder.limits]\nrejections = 0\n" + BOTS
    plan = parse_venue(text)
    [ladder] = plan.ladder
    run = parse_plan(
        tournament_text(
            ladder,
            name="fiske",
            bots=plan.anchors_of(ladder),
            tournament={"at_once": ladder.seats},
            limits={"grace_ms": plan.limits.grace_ms},
        )
    )
    assert (run.tournament.ruleset, run.terms.games, run.clock.delay_ms) == ("fiske", 5, 7)
    assert (run.limits.rejections, run.limits.grace_ms, run.at_once) == (0, 60_000, 2)
    assert run.entrants == ["a", "b", "c"]


def test_a_match_is_a_pair_unless_the_ladder_says_otherwise() -> None:
    [ladder] = parse_venue(LADDER + BOTS).ladder
    run = parse_plan(tournament_text(ladder, name="x", bots=parse_venue(WHOLE).bot))
    assert (run.tournament.pairs, run.terms.form) == (1, "pairs")


def test_a_cup_has_the_terms_of_its_ladder_where_it_gives_none() -> None:
    ladder = LADDER + 'ruleset = "fiske"\ngames = 5\n[ladder.clock]\ndelay_ms = 7\nbank_ms = 8\n'
    cup = CUP + 'format = "knockout-1"\npairs = 2\n[cup.clock]\nbank_ms = 9\n'
    [read] = parse_venue(ladder + BOTS + cup).cup
    run = parse_plan(tournament_text(read, name="cup", bots=parse_venue(WHOLE).bot))
    assert (run.tournament.ruleset, run.tournament.pairs, run.format.name) == (
        "fiske",
        2,
        "knockout-1",
    )
    assert (run.clock.delay_ms, run.clock.bank_ms) == (7, 9)


def test_a_small_field_of_a_cup_plays_fewer_rounds() -> None:
    [cup] = parse_venue(WHOLE + 'format = "swiss-monrad-1"\nrounds = 4\nat_once = 3\n').cup
    for field, rounds in [(2, 1), (3, 2), (5, 3), (7, 4), (8, 4)]:
        bots = [BotSection(name=f"b{number}", command="true") for number in range(field)]
        run = parse_plan(tournament_text(cup.for_field(field), name="cup", bots=bots))
        assert (run.format, run.at_once) == (SwissMonrad(rounds=rounds), 3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "there is no [[ladder]]: add one with a name and a ruleset"),
        (LADDER, "line 1: the ladder 'vasa' has 0 house bots; it needs at least 3"),
        (LADDER + 'anchors = ["a", "d"]\n' + BOTS, "there is no house bot 'd'; known are a, b, c"),
        (WHOLE + "[venu]\nname = 1\n", "unknown section: 'venu'"),
        (WHOLE + "[venue]\nname = 5\n", "name"),
        (WHOLE + '[venue]\nname = "a\\u0007"\n', "expected one line without control characters"),
        (WHOLE + '[venue]\njoining = "opne"\n', "joining"),
        (WHOLE + "[limits]\nsign_ups_a_day = 0\n", "a whole number of 1 to 10000"),
        (WHOLE + "[limits]\nlogins_a_minute = -1\n", "a whole number of 1 to 10000"),
        (WHOLE + "[limits]\nsign_up_a_day = 1\n", "did you mean 'sign_ups_a_day'?"),
        (WHOLE + '[limits]\nsecond_login = "x"\n', "second_login"),
        (WHOLE + '[listen]\naddress = "0.0.0.0"\n', "[listen] address: cannot listen on"),
        (WHOLE + '[listen]\naddress = "tcp:0.0.0.0:1"\n', "unencrypted"),
        (WHOLE + '[listen]\ncertificate = "x"\n', "certificate and key go together"),
        (WHOLE + '[pages]\naddress = "here"\n', "[pages] address = 'here'"),
        (WHOLE + "[pages]\nhosts = 5\n", "hosts"),
        (WHOLE + '[analysis]\non = "yes"\n', "true or false"),
        ("[ladder]\n" + BOTS, "[[ladder]]"),
        ("ladder = 5\n" + BOTS, "[[ladder]]"),
        (LADDER.replace("vasa", "Vasa") + BOTS, "use 1 to 16 of a-z, 0-9 and '-'"),
        (LADDER + LADDER + BOTS, "the name 'vasa' is taken by another ladder or cup"),
        (LADDER + "seat = 3\n" + BOTS, "did you mean 'seats'?"),
        (LADDER + "seats = 0\n" + BOTS, "a whole number of 1 to 256"),
        (LADDER + 'ruleset = "vsaa"\n' + BOTS, "did you mean 'vasa'?"),
        (LADDER + "games = 4\n" + BOTS, "3, 5 or 7"),
        (LADDER + "games = 3\npairs = 1\n" + BOTS, "[[ladder]] number 1: "),
        (LADDER + "clock = 5\n" + BOTS, "clock = 5 (a whole number): expected"),
        (LADDER + "[ladder.clock]\ndelay = 5\n" + BOTS, "delay_ms"),
        (LADDER + "[ladder.clock]\ndelay_ms = 0\nbank_ms = 0\n" + BOTS, "bank_ms"),
        (LADDER + "[ladder.limits]\ngrace_ms = 5\n" + BOTS, "grace_ms is the same for all runs"),
        (WHOLE + '[[bot]]\nname = "d-2"\ncommand = "x"\n', "ends like the name of a version"),
        (WHOLE + '[[bot]]\nname = "a"\ncommand = "x"\n', "'a' is entered 2 times"),
        (WHOLE + '[[bot]]\nname = "d"\nremote = true\n', "house bot d: leave out remote"),
        (WHOLE + '[[bot]]\nname = "d"\n', "bot d: "),
        (WHOLE.replace("saturday", "lördag"), "day"),
        (WHOLE.replace("20:00", "8 pm"), "time = '8 pm': expected hours and minutes in quotes"),
        (WHOLE.replace("20:00", "24:00"), "expected hours and minutes"),
        (WHOLE.replace('"20:00"', "20:00:00"), "time"),
        (WHOLE + 'zone = "Europe/Stokholm"\n', "did you mean 'Europe/Stockholm'?"),
        (WHOLE + 'zone = "Europe"\n', "is no time zone"),
        (WHOLE + 'zone = "../../etc/passwd"\n', "is no time zone"),
        (WHOLE + "best = 1\n", "a whole number of 2 to 256"),
        (WHOLE.replace('ladder = "vasa"', 'ladder = "vassa"'), "there is no ladder 'vassa'"),
        (
            WHOLE + 'format = "kockout"\n',
            "expected 'knockout-1', 'round_robin' or 'swiss-monrad-1'",
        ),
        (WHOLE + "rounds = 5\n", "[[cup]] number 1: "),
        (WHOLE + 'format = "swiss-monrad-1"\nrounds = 5\n', "8 entrants can play 1 to 4 rounds"),
        (WHOLE + 'format = "ladder"\n', "expected 'knockout-1', 'round_robin' or 'swiss-monrad-1'"),
        (WHOLE + 'format = "gauntlet-1"\n', "'gauntlet-1': expected 'knockout-1'"),
        (WHOLE + "at_once = 0\n", "[tournament] at_once = 0"),
        (WHOLE + 'day = "saturday"\n', "is given twice"),
        (WHOLE + "best = 257\n", "a whole number of 2 to 256"),
        (WHOLE + 'zone = ""\n', "is no time zone"),
        (WHOLE.replace('name = "sat"', 'name = ""'), "name"),
        (WHOLE.replace('name = "sat"\n', ""), "name"),
        (WHOLE.replace('name = "sat"', 'name = "vasa"'), "is taken by another ladder or cup"),
        (WHOLE + 'terms = "x"\n', "terms"),
    ],
)
def test_nonsense_is_told_in_one_sentence(text: str, told: str) -> None:
    problems = problems_of(text)
    assert told in "\n".join(problems)
    assert len(problems) <= 2
    assert all("\n" not in problem for problem in problems)


# Environment before file before default


def test_the_environment_goes_before_the_file() -> None:
    text = WHOLE + '[venue]\njoining = "closed"\nname = "file"\n'
    environment = {"ARENA_JOINING": "open", "ARENA_LISTEN": "tcp:127.0.0.1:5", "ARENA_NAME": "anna"}
    plan = parse_venue(text, fields_of(environment))
    assert (plan.venue.name, plan.venue.joining) == ("file", "open")
    assert plan.listen.address == "tcp:127.0.0.1:5"
    assert plan.pages.address == "127.0.0.1:8018"


def test_a_wrong_variable_is_named() -> None:
    with pytest.raises(VenueFileError, match="ARENA_JOINING"):
        parse_venue(WHOLE, fields_of({"ARENA_JOINING": "opne"}))


# Nothing breaks it


PLAIN: Any = st.recursive(
    st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["vasa", "a", "saturday", "20:00", "UTC", "open", "tcp:127.0.0.1:1"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(st.data())
def test_any_value_in_any_field_is_read_or_told(data: st.DataObject) -> None:
    raw: Any = tomllib.loads(WHOLE + "[venue]\n[listen]\n[pages]\n[limits]\n[analysis]\n")
    section = data.draw(st.sampled_from(sorted(raw)))
    table = raw[section][0] if isinstance(raw[section], list) else raw[section]
    fields = [
        *table,
        *("name", "joining", "address", "hosts", "sign_ups_a_day", "on", "seats", "anchors"),
        *("ruleset", "games", "pairs", "clock", "limits", "command", "best", "zone", "format"),
    ]
    table[data.draw(st.sampled_from(fields))] = data.draw(PLAIN)
    problems: tuple[Any, ...] = ()
    try:
        parse_venue(tomli_w.dumps(raw))
    except VenueFileError as error:
        problems = error.problems
    for problem in problems:
        assert say(problem)
        assert say(problem, "sv")


@given(st.text(max_size=200))
def test_any_text_is_told(text: str) -> None:
    with pytest.raises(VenueFileError):
        parse_venue(text)


# When a cup begins


def test_a_system_without_time_zones_is_told_and_has_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weekly, "available_timezones", set)
    assert list(weekly.weekly_problems("20:00", "UTC")) == []
    [(field, problem)] = weekly.weekly_problems("20:00", "No/Where")
    assert (field, "install tzdata" in say(problem)) == ("zone", True)


FRIDAY_MS = 1_795_781_000_000
"""2026-11-27, 12:03:20 UTC."""
DAY_MS = 86_400_000


def test_a_cup_begins_at_its_local_time() -> None:
    due_ms = next_due_ms("saturday", "20:00", "Europe/Stockholm", FRIDAY_MS)
    assert due_ms == 1_795_892_400_000  # 2026-11-28, 19:00 UTC
    assert next_due_ms("saturday", "20:00", "Europe/Stockholm", due_ms) == due_ms + 7 * DAY_MS
    assert next_due_ms("saturday", "20:00", "Europe/Stockholm", due_ms - 1) == due_ms


def test_a_cup_keeps_its_local_time_when_the_clocks_change() -> None:
    """In Stockholm they go back on 2026-10-25 and forward on 2026-03-29."""
    before_ms = 1_792_600_000_000  # 2026-10-21
    sunday_ms = next_due_ms("sunday", "12:00", "Europe/Stockholm", before_ms)
    assert sunday_ms % DAY_MS == 11 * 3_600_000
    assert sunday_ms - 7 * DAY_MS < before_ms
    skipped_ms = next_due_ms("sunday", "02:30", "Europe/Stockholm", 1_774_500_000_000)
    assert skipped_ms % DAY_MS == 90 * 60_000
    twice_ms = next_due_ms("sunday", "02:30", "Europe/Stockholm", before_ms)
    assert twice_ms % DAY_MS == 30 * 60_000


def test_a_time_that_is_skipped_at_the_end_of_its_day_comes_after_midnight() -> None:
    """In Nuuk Saturday ended at 23:00 on 2026-03-28, 01:00 UTC."""
    due_ms = next_due_ms("saturday", "23:30", "America/Nuuk", 1_774_746_900_000)
    assert due_ms == 1_774_747_800_000  # 2026-03-29, 01:30 UTC


ZONES = ["UTC", "Europe/Stockholm", "Asia/Kathmandu", "America/Nuuk", "Australia/Lord_Howe"]
CHANGES_MS = [1_774_746_000_000, 1_792_890_000_000, 1_775_314_800_000, 1_791_041_400_000]
"""When clocks change in 2026: in Europe and Greenland (01:00 UTC), and on Lord Howe Island."""
NEAR_A_CHANGE = st.builds(
    lambda change_ms, days, ms: change_ms + days * DAY_MS + ms,
    st.sampled_from(CHANGES_MS),
    st.integers(-8, 8),
    st.integers(-7_200_000, 7_200_000),
)


def is_skipped(local: datetime) -> bool:
    """No clock shows this time."""
    shown = local.astimezone(UTC).astimezone(local.tzinfo)
    return shown.replace(tzinfo=None) != local.replace(tzinfo=None)


@given(
    st.integers(0, 4 * 10**12) | NEAR_A_CHANGE,
    st.sampled_from(ZONES),
    st.sampled_from(WEEKDAYS),
    st.integers(0, 23),
    st.integers(0, 59),
)
def test_a_cup_comes_once_in_each_week_of_its_zone(
    after_ms: int, zone: str, day: Any, hour: int, minute: int
) -> None:
    """Each time is the first after the last one, wherever one begins to look between them."""
    at = f"{hour:02}:{minute:02}"
    due_ms = next_due_ms(day, at, zone, after_ms)
    assert 0 < due_ms - after_ms <= 7 * DAY_MS + 3_600_000
    assert next_due_ms(day, at, zone, due_ms - 1) == due_ms
    next_ms = next_due_ms(day, at, zone, due_ms)
    assert abs(next_ms - due_ms - 7 * DAY_MS) <= 3_600_000
    for moment_ms in (due_ms + 1, due_ms + 1_800_000, (due_ms + next_ms) // 2, next_ms - 1):
        assert next_due_ms(day, at, zone, moment_ms) == next_ms
    local = datetime.fromtimestamp(due_ms / 1000, ZoneInfo(zone))
    if (WEEKDAYS[local.weekday()], f"{local:%H:%M}") != (day, at):
        days_late = (local.weekday() - WEEKDAYS.index(day)) % 7
        date = local.date() - timedelta(days=days_late)
        assert is_skipped(datetime.combine(date, time(hour, minute), ZoneInfo(zone)))
    assert local_date(due_ms, zone) == local.date().isoformat()
