"""Files of eXtreme Gammon and BGBlitz, and files that are hostile."""

import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.matches.facts import TurnPlayed, TurnRejected
from arena.records.lines import Attempt, read_attempts
from arena.records.replay import verify_attempt
from arena.services.foreign.mat import MatError
from arena.services.foreign.reading import read_foreign
from arena.words import say
from tests.fixtures.foreign_files import (
    GAME,
    Turn,
    bgf_double,
    bgf_file,
    bgf_packed,
    bgf_turn,
    xg_double,
    xg_file,
    xg_name,
    xg_packed,
    xg_record,
    xg_turn,
)

MAGIC = b":)\n\x01"
ILLEGAL: Turn = (1, (6, 5), ((24, 18), (24, 20)))
HIT: tuple[Turn, ...] = (
    (2, (5, 2), ((13, 8), (24, 22))),
    (1, (4, 1), ((24, 23), (13, 9))),
    (2, (6, 1), ((22, 16), (16, 15))),
    (1, (6, 2), ((25, 23), (24, 18))),
)


def xg(*turns: Turn, names: tuple[str, str] = ("Anna", "Bo")) -> bytes:
    records = [*map(xg_turn, turns), xg_double(1, taken=False)]
    return xg_file(records, names, picture=b"a picture")


def bgf(*turns: Turn, names: tuple[str, str] = ("Anna", "Bo")) -> bytes:
    return bgf_file([*map(bgf_turn, turns), *bgf_double(1, taken=False)], names)


Writer = Callable[..., bytes]
programs = pytest.mark.parametrize(("kind", "write"), [(".xg", xg), (".bgf", bgf)])


def read(folder: Path, kind: str, content: bytes) -> tuple[Attempt, list[str]]:
    path = folder / f"match{kind}"
    path.write_bytes(content)
    record = read_foreign(path)
    [attempt] = read_attempts("test", b"\n".join([*record.lines, b""]))
    verify_attempt(attempt)
    return attempt, [*map(say, record.notes)]


def turns_of(attempt: Attempt) -> list[tuple[int, set[int], list[list[int]]]]:
    """Seat, dice and moves in the mover's numbers from 24 down."""
    turns = []
    for _, fact in attempt.facts:
        if isinstance(fact, TurnPlayed):
            moves = sorted([25 - start, 25 - end] for start, end in fact.moves)
            turns.append((fact.seat, set(fact.dice), moves))
    return turns


def as_played(*turns: Turn) -> list[tuple[int, set[int], list[list[int]]]]:
    return [(player, set(dice), sorted(map(list, moves))) for player, dice, moves in turns]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_names_are_read_in_the_encodings_that_programs_use(tmp_path: Path, encoding: str) -> None:
    text = " Game 1\n Jürgen : 0      Åsa : 0\n  1) 31: 8/5 6/5      42: 8/4 6/4\n"
    attempt, _ = read(tmp_path, ".mat", text.encode(encoding))
    assert attempt.opened.shown == ("Jürgen", "Åsa")


@programs
@pytest.mark.parametrize("turns", [GAME, HIT], ids=["doubles", "hit and bar"])
def test_turns_names_and_the_end_are_those_of_the_file(
    tmp_path: Path, kind: str, write: Writer, turns: tuple[Turn, ...]
) -> None:
    attempt, notes = read(tmp_path, kind, write(*turns))
    assert attempt.opened.shown == ("Anna", "Bo")
    assert turns_of(attempt) == as_played(*turns)
    assert [(result.winner, result.points) for result in attempt.games] == [(1, 1)]
    assert [note[:30] for note in notes] == ["the doubling cube is left out "]


@programs
def test_seats_follow_the_names_and_moves_follow_the_seats(
    tmp_path: Path, kind: str, write: Writer
) -> None:
    """gvformat gives the first name in the alphabet the seat that numbers from 1 up."""
    attempt, _ = read(tmp_path, kind, write(*GAME, names=("Zoe", "Bo")))
    assert attempt.opened.shown == ("Bo", "Zoe")
    swapped = [(3 - player, dice, moves) for player, dice, moves in GAME]
    assert turns_of(attempt) == as_played(*swapped)
    assert [result.winner for result in attempt.games] == [2]


@programs
def test_an_illegal_turn_says_where(tmp_path: Path, kind: str, write: Writer) -> None:
    attempt, notes = read(tmp_path, kind, write(*GAME[:2], ILLEGAL, GAME[3]))
    assert turns_of(attempt) == as_played(*GAME[:2])
    assert len([fact for _, fact in attempt.facts if isinstance(fact, TurnRejected)]) == 1
    assert notes[0].startswith("game 1, turn 3: 65: ")
    assert notes[0].endswith("; the rest of this game is left out")


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty.xg": (lambda: b"", "it is no .xg file"),
    "empty.bgf": (lambda: b"", "it is no .bgf file"),
    "text.xg": (lambda: b"some text" * 99, "it is no .xg file"),
    "cut.xg": (lambda: xg(*GAME)[:-60], "it is no .xg file"),
    "cut.bgf": (lambda: bgf(*GAME)[:-60], "it is no .bgf file"),
    "bomb.xg": (lambda: xg_packed(bytes(1 << 28)), "(MemoryError"),
    "bomb.bgf": (lambda: bgf_packed(MAGIC + bytes(1 << 28)), "(MemoryError"),
    "bomb-in-bomb.xg": (
        lambda: xg_packed(zlib.compress(bytes(1 << 28))),
        "it has no game",
    ),
    "records.xg": (
        lambda: xg_packed(xg_record(3, (120, "i", 32)) * 20_000),
        "(MemoryError",
    ),
    "nested.bgf": (lambda: bgf_packed(MAGIC + b"\xf8" * 10**6), "(RecursionError: "),
    "nested-header.bgf": (lambda: b"[" * 10**6 + b"\n", "(RecursionError: "),
    "lists.bgf": (
        lambda: bgf_packed(MAGIC + b"\xf8" + b"\xf8\xf9" * 8_000_000),
        "(MemoryError",
    ),
    "no-dice.xg": (lambda: xg((1, (3, 9), ((8, 5),))), "it is no .xg file"),
    "large.xg": (
        lambda: bytes((4 << 20) + 1),
        "cannot be read: it has more than 4,194,304 bytes",
    ),
    "large.mat": (lambda: bytes((4 << 20) + 1), "cannot be read: it has more than 4,194,304 bytes"),
    "zeros.txt": (lambda: b"0" * (1 << 20), "line 1: it has more than 400 characters"),
    "other.mat": (lambda: b"\xff\xfe\x00", "it has no game"),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gets_one_sentence_and_little_memory(tmp_path: Path, name: str) -> None:
    """In a process of its own, because the largest size of a process never shrinks."""
    make, problem = HOSTILE[name]
    path = tmp_path / name
    path.write_bytes(make())
    script = f"""
import resource
from pathlib import Path
from arena.services.sources import SourceError, source_of
try:
    source_of(Path({str(path)!r}))
except SourceError as error:
    print(error)
status = Path("/proc/self/status").read_text()
print(status.partition("VmHWM:")[2].split()[0])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
    command = [sys.executable, "-c", script]
    reading = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    sentence, own, of_child = reading.stdout.splitlines()
    assert str(path) in sentence
    assert problem in sentence
    assert len(sentence) < 500
    assert max(int(own), int(of_child)) < 100 << 10


@pytest.mark.slow
def test_a_file_that_takes_for_ever_is_given_up(tmp_path: Path) -> None:
    """A number of millions of digits: each digit is added to all before it."""
    path = tmp_path / "number.bgf"
    path.write_bytes(bgf_packed(MAGIC + b"\x24" + b"\x01" * 8_000_000))
    with pytest.raises(MatError, match=r"it is no .bgf file, or it is damaged \(out of time\)"):
        read_foreign(path)


def test_without_the_package_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gvformat", None)
    path = tmp_path / "match.xg"
    path.write_bytes(xg(*GAME))
    with pytest.raises(MatError, match=r"the extra `foreign`; install it with: .* gammonview=="):
        read_foreign(path)
    text = tmp_path / "match.mat"
    text.write_text(" Game 1\n A : 0  B : 0\n  1) 31: 8/5 6/5\n")
    assert read_foreign(text).notes == []


def test_a_name_of_xg_is_text_of_any_language(tmp_path: Path) -> None:
    assert xg_name("Å") == b"\xc5\x00"
    attempt, _ = read(tmp_path, ".xg", xg(*GAME, names=("Åsa", "北")))
    assert set(attempt.opened.shown) == {"Åsa", "北"}
