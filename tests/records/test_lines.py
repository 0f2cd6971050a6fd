"""A fact as a line and back, in one form only."""

import hashlib

import msgspec
import pytest
from msgspec.structs import replace

from arena.matches.facts import (
    BotMissing,
    ClockExtended,
    MatchResumed,
    Measured,
    ReceiptSigned,
    TurnPlayed,
)
from arena.records.facts import (
    BotsContained,
    EntrantsAbsent,
    EntrantsAdded,
    EntrantsAwaited,
    EntrantWithdrawn,
    HeadSigned,
    MatchLine,
    RoundDrawn,
    TournamentFact,
)
from arena.records.ladder_facts import (
    EarlierDay,
    EdgesTaken,
    EntrantCame,
    EntrantWent,
    LadderOpened,
    PairDrawn,
    PairingKey,
)
from arena.records.lines import (
    RecordError,
    closing_line,
    encode_line,
    match_lines,
    read_attempts,
    tournament_lines,
    whole_lines,
)
from arena.tournaments.ladder_players import Edge, Player
from arena.words import Said
from tests.fixtures.small_run import (
    FIXTURE,
    RECORD,
    agreed_attempt,
    called_attempt,
    facts_of,
    opened_tournament,
    played_attempt,
    rested_attempt,
    small_run,
    voided_attempt,
)

MORE = [
    BotMissing(at_ms=5, seat=2, reason=Said("lost.program", {"how": 'said "ö\\"'})),
    TurnPlayed(
        at_ms=5,
        game=1,
        turn=1,
        seat=1,
        dice=(),
        moves=[["d1", "c1"]],
        spent_ms=0,
        left_ms=0,
        info="\u2028é\U0001f3b2",
    ),
    TurnPlayed(
        at_ms=5,
        game=1,
        turn=1,
        seat=1,
        dice=(6, 6),
        moves=[],
        spent_ms=0,
        left_ms=0,
        info={"a": [None, True, {}]},
    ),
    MatchResumed(at_ms=5),
    ClockExtended(
        at_ms=5,
        game=1,
        turn=1,
        seat=1,
        spent_ms=4,
        extended_ms=3,
        measured=Measured(cpu_ms=1, starved_ms=3, steal_ms=0, pressure_ms=4),
    ),
]
MATCH_FACTS = [
    *facts_of(voided_attempt()),
    *facts_of(played_attempt()),
    *facts_of(agreed_attempt()),
    *facts_of(called_attempt()),
    *facts_of(rested_attempt()),
    *MORE,
    ReceiptSigned(at_ms=1, seat=1, lines=41, signature="5a" * 64),
]
RARE = [
    replace(opened_tournament(), public_key="1" * 64),
    EntrantWithdrawn(at_ms=1, entrant="anna", violations=6),
    EntrantsAwaited(at_ms=1, away=[]),
    EntrantsAbsent(at_ms=1, away=["anna"]),
    RoundDrawn(at_ms=1, round=2, fixtures=["r2-anna-v-bo"], byes=["cia"]),
    EntrantsAdded(at_ms=1, entrants=["dag"], file_sha256="0" * 64),
    BotsContained(at_ms=1, bots={"anna": "bubblewrap", "bo": "none"}),
    HeadSigned(at_ms=1, lines=7, sha256="0" * 64, public_key="1" * 64, signature="2" * 128),
    LadderOpened(
        at_ms=1,
        key_commitment="0" * 64,
        before=EarlierDay(run="vasa-2026-11-26", lines=7, sha256="0" * 64),
        players=[Player(entrant="anna-1", bot="anna", version=1, constant_elo=-12.5)],
        edges=[Edge(0, 1, 3, 1.5, 1.25, 0, 1)],
    ),
    EdgesTaken(
        at_ms=1, before=EarlierDay(run="vasa-2026-11-26", lines=9, sha256="0" * 64), edges=[]
    ),
    EntrantCame(
        at_ms=1, player=Player(entrant="anna-2", bot="anna", version=2, name="A", parent="anna-1")
    ),
    EntrantWent(at_ms=1, entrant="anna-2", why="elsewhere"),
    PairDrawn(
        at_ms=1,
        fixture="r1-anna-2-v-bo-1",
        free=2,
        free_sha256="0" * 64,
        number=(1 << 53) - 1,
        probability=0.1,
    ),
    PairingKey(at_ms=1, key="0" * 64),
]
"""Lines of tournaments that the small run has none of."""


def kinds(union: object) -> set[str]:
    """The names of all facts of a union."""
    return {str(kind.__struct_config__.tag) for kind in union.__args__}


@pytest.mark.parametrize(
    "fact", MATCH_FACTS + RARE, ids=lambda fact: str(fact.__struct_config__.tag)
)
def test_a_fact_is_one_line_and_the_same_fact_again(fact):
    line = encode_line(fact)
    assert b"\n" not in line
    again = (tournament_lines if fact in RARE else match_lines).read_line("here", line)
    assert type(again) is type(fact)
    assert encode_line(again) == line
    assert msgspec.json.decode(line)["event"] == str(type(fact).__struct_config__.tag)


def test_a_record_is_read_fact_by_fact_with_line_numbers():
    files = small_run()
    for name, reader in ((RECORD, match_lines), ("tournament.jsonl", tournament_lines)):
        found = list(reader.read(name, files[name]))
        assert [where for where, _ in found] == [
            f"{name}:{number}" for number in range(1, len(found) + 1)
        ]
        assert b"".join(encode_line(fact) + b"\n" for _, fact in found) == files[name]


def test_every_kind_of_line_has_been_tried():
    in_matches = {str(fact.__struct_config__.tag) for fact in MATCH_FACTS} | {"record_closed"}
    in_tournaments = {
        str(fact.__struct_config__.tag)
        for _, fact in tournament_lines.read("", small_run()["tournament.jsonl"])
    }
    assert in_matches == kinds(MatchLine)
    assert in_tournaments | {str(fact.__struct_config__.tag) for fact in RARE} == kinds(
        TournamentFact
    )


LINE = encode_line(BotMissing(at_ms=5, seat=2, reason=Said("ö")))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"null",
        b"[]",
        LINE.replace(b'"seat":2,', b'"seat":2,"seat":2,'),
        LINE.replace(b'"seat":2', b'"seat":3'),
        LINE.replace(b'"seat":2,', b""),
        LINE.replace("ö".encode(), b"\xff"),
        LINE.replace("ö".encode(), b"\\ud800"),
        LINE.replace(b"bot_missing", b"bot_mislaid"),
        LINE.replace(b'"at_ms":5', b'"at_ms":05'),
        LINE.replace(b'"at_ms":5', b'"at_ms":1e400'),
        LINE.replace(b'"at_ms":5', b'"at_ms":' + b"9" * 5000),
        LINE[:-1],
        LINE + b"x",
        b'{"event":"tournament_ended"}',
        b"[" * 100_000,
        b'{"event":' + b"[" * 100_000,
    ],
    ids=lambda line: repr(line[:60]),
)
def test_what_is_not_in_the_one_form_is_refused_with_its_place(line):
    with pytest.raises(RecordError) as caught:
        match_lines.read_line("matches/x.jsonl:7", line)
    assert caught.value.where == "matches/x.jsonl:7"
    assert str(caught.value).startswith("matches/x.jsonl:7: ")


def test_information_nested_without_end_is_refused_as_any_other_line():
    played = encode_line(MORE[1]).replace(
        '"\u2028é\U0001f3b2"'.encode(), b"[" * 100_000 + b"]" * 100_000
    )
    with pytest.raises(RecordError):
        match_lines.read_line("here", played)


def test_a_last_line_without_an_end_is_named():
    data = LINE + b"\n" + LINE[:20]
    with pytest.raises(RecordError, match=r"^x:2: the last line is incomplete"):
        list(match_lines.read("x", data))
    assert whole_lines(data) == LINE + b"\n"
    assert whole_lines(LINE) == b""
    assert whole_lines(b"") == b""


def test_a_closing_line_covers_every_byte_before_it():
    before = LINE + b"\n"
    assert hashlib.sha256(before).hexdigest().encode() in closing_line(before)
    assert len(list(match_lines.read("x", before + closing_line(before) + b"\n"))) == 2
    with pytest.raises(
        RecordError, match=r"^x:2: the closing line does not fit the lines before it"
    ):
        list(match_lines.read("x", before + closing_line(b"") + b"\n"))


def test_a_record_of_a_match_is_read_as_its_attempts():
    data = small_run()[RECORD]
    one, two = read_attempts(RECORD, data)
    assert [attempt.opened.attempt for attempt in (one, two)] == [1, 2]
    assert one.seed == bytes(range(32))
    assert one.is_closed
    assert data[one.size_bytes :].startswith(b'{"event":"match_opened"')
    assert two.size_bytes == len(data)
    assert [game.cause for game in two.games] == [None, "illegal_turns", "time"]
    assert [game.winner for game in two.games] == [None, 1, 1]
    assert two.end is not None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[1:], ":1: a match record begins with match_opened"),
        (
            lambda lines: lines[:3] + lines,
            ":4: a new attempt begins before the one before it was closed",
        ),
        (lambda lines: lines + lines[1:2], ": only a new attempt may follow a closing line"),
    ],
    ids=["no header", "two headers", "a line after the closing line"],
)
def test_attempts_stand_one_after_the_other(change, message):
    lines = small_run()[RECORD].splitlines(keepends=True)
    first = lines[
        : next(number for number, line in enumerate(lines) if b"record_closed" in line) + 1
    ]
    with pytest.raises(RecordError) as caught:
        read_attempts(f"{FIXTURE}.jsonl", b"".join(change(first)))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "brade-tournament-1",
            "brade-tournament-9",
            "unknown format 'brade-tournament-9'; this arena reads 'brade-tournament-1'",
        ),
        ('"v":1', '"v":2', "unknown version '2'; this arena reads 1"),
        (
            '"round_robin"',
            '"swiss-9"',
            "unknown format 'swiss-9'; known are round_robin, gauntlet-1, swiss-monrad-1, knockout-1",
        ),
        (
            '"tournament_opened"',
            '"tournament_open"',
            "unknown event 'tournament_open'; known are tournament_opened, ",
        ),
    ],
)
def test_a_line_of_another_version_is_refused_with_what_is_known(
    old: str, new: str, said: str
) -> None:
    line = small_run()["tournament.jsonl"].splitlines()[0]
    with pytest.raises(RecordError) as refused:
        tournament_lines.read_line("t:1", line.replace(old.encode(), new.encode(), 1))
    assert refused.value.message.startswith(said)
