"""A bot among many files: its folder is shown whole, what it may not see is covered, and its start stays quick."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from arena.server.programs.bot_command import BotCommand
from arena.server.programs.containment import Containment, find_containment
from arena.server.programs.program import launched
from arena.server.programs.readable import (
    BUBBLEWRAP,
    LANDLOCK,
    FileView,
    HiddenPlaces,
    Means,
    Readable,
)
from arena.server.setup.tournament_file import parse_plan
from tests.english import english
from tests.fixtures.sandboxes import SANDBOX

IN_A_SANDBOX = SANDBOX.marks[0]
REAL_TIME = pytest.mark.trio(run=trio.run)

FILES = 500
PLAN = """
[limits]
sandbox = "require"
[[bot]]
name = "anna"
command = "python bot.py"
[[bot]]
name = "bo"
command = "python bo/bot.py"
[[bot]]
name = "eva"
remote = true
token_file = "eva.txt"
"""
SCRIPT = """
import os, socket
def look(path):
    try:
        os.listdir(path) if os.path.isdir(path) else open(path).read()
    except OSError as error:
        return type(error).__name__
    return "seen"
def tell():
    print(*(f"{{path}}={{look(path)}}" for path in {paths!r}), flush=True)
tell()
with socket.socket(socket.AF_UNIX) as arena:
    arena.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
    arena.recv(1)
tell()
"""
"""Tells what it can read, waits for a word of the arena, and tells it again."""
HIDDEN = ("eva.txt", "x.token", "runs", "bo", "bo/bot.py", "old", "old/secrets.json")
"""What the bot in the club may not read: files and folders that are known, or look like what they
are."""
OPEN = ("bot.py", "0.txt")
LATER = ("runs/2/secrets.json", "bo/new.bin", "new.txt")


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A folder with a bot, many files, and what the bot may not see."""
    folder = tmp_path / "club"
    for name in (
        "bot.py",
        "bo/bot.py",
        "eva.txt",
        "x.token",
        "runs/1/secrets.json",
        "old/secrets.json",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    (folder / "old/tournament.jsonl").touch()
    (folder / "eva.txt").write_text("the-token-of-eva")
    for number in range(FILES):
        (folder / f"{number}.txt").touch()
    return folder


@pytest.fixture
def contained(club: Path) -> Containment:
    """The containment of a run in this folder, by bubblewrap."""
    return find_containment(parse_plan(PLAN), hidden=[], directory=club)


def command(club: Path, reads: tuple[Path, ...] = ()) -> BotCommand:
    """The command of anna."""
    return BotCommand(words=(sys.executable, "bot.py"), directory=club, reads=reads)


def shown(club: Path, means: Means, *, reads: tuple[Path, ...] = ()) -> Readable:
    """What anna may read, without what every program may."""
    bots = frozenset([club / "bot.py", club / "bo/bot.py"])
    kept = HiddenPlaces(paths=(club / "runs", club / "eva.txt"), bots=bots, runs=club / "runs")
    found = FileView(command(club, reads), kept, means).look()
    paths = tuple(path for path in found.paths if path.is_relative_to(club.parent))
    return Readable(paths=paths, covered=found.covered, notes=found.notes)


def test_a_large_folder_is_shown_whole_and_what_is_hidden_is_covered(club: Path) -> None:
    found = shown(club, BUBBLEWRAP)
    assert found.paths == (club,)
    assert set(found.covered) == {
        club / name for name in ("eva.txt", "x.token", "runs", "bo", "old")
    }
    assert found.notes == ()


def test_where_nothing_can_be_covered_the_entries_are_listed_up_to_a_limit(club: Path) -> None:
    found = shown(club, LANDLOCK)
    assert set(found.paths) == {
        club / "bot.py",
        *(club / f"{number}.txt" for number in range(FILES)),
    }
    assert found.covered == ()
    few = shown(club, Means(most_listed=FILES, most_covered=0))
    assert few.paths == (club / "bot.py",)
    assert english(few.notes) == [
        f"sees only {club / 'bot.py'}, not the folder around it, which holds more than a bot; add `reads`"
    ]


def test_many_credentials_are_left_out_of_a_list_and_too_many_of_both_show_the_script_alone(
    club: Path,
) -> None:
    for number in range(BUBBLEWRAP.most_covered):
        (club / f"{number}.key").touch()
    assert shown(club, BUBBLEWRAP).paths == (club / "bot.py",)
    for number in range(FILES):
        (club / f"{number}.txt").unlink()
    assert shown(club, BUBBLEWRAP).paths == (club / "bot.py",)
    (club / "weights.bin").touch()
    assert shown(club, BUBBLEWRAP).paths == (club / "bot.py", club / "weights.bin")


def test_a_file_that_the_command_names_is_shown_whatever_its_name(club: Path) -> None:
    """A bot that signs has a key of its own."""
    words = BotCommand(words=(sys.executable, "bot.py", "x.token", "eva.txt"), directory=club)
    kept = HiddenPlaces(paths=(club / "runs", club / "eva.txt"), runs=club / "runs")
    found = FileView(words, kept, BUBBLEWRAP).look()
    assert club / "x.token" not in found.covered
    assert club / "eva.txt" in found.covered


def test_what_the_operator_adds_is_looked_through_as_well(club: Path) -> None:
    more = club.parent / "more"
    more.mkdir()
    for number in range(FILES):
        (more / f"{number}.bin").touch()
    (more / "y.token").touch()
    found = shown(club, BUBBLEWRAP, reads=(more,))
    assert found.paths == (club, more)
    assert more / "y.token" in found.covered
    for number in range(FILES):
        (more / f"{number}.token").touch()
    [_, note] = english(shown(club, BUBBLEWRAP, reads=(more,)).notes)
    assert (
        note
        == f"does not see {more}, which has too many files that no bot may see; name the files in `reads`"
    )


@pytest.mark.parametrize("files", [0, FILES])
def test_what_is_to_be_hidden_since_the_last_start_is_hidden_at_the_next(
    club: Path, files: int
) -> None:
    for number in range(files, FILES):
        (club / f"{number}.txt").unlink()
    kept = HiddenPlaces(paths=(club / "runs",), runs=club / "runs")
    view = FileView(command(club), kept, BUBBLEWRAP)
    first = view.look()
    (club / "note.txt").touch()
    assert view.look() == first
    (club / "new.token").touch()
    (club / "another").mkdir()
    (club / "another/tournament.jsonl").touch()
    then = view.look()
    new = {club / "new.token", club / "another"}
    assert new <= set(then.covered) if files else new.isdisjoint(then.paths)


@IN_A_SANDBOX
def test_the_words_of_a_start_stay_few_whatever_lies_in_the_folder(
    club: Path, contained: Containment
) -> None:
    for number in range(5_000):
        (club / f"{number}.bin").touch()
    words, _ = contained.launch(command(club), shared=())
    assert len(json.dumps(words)) < 20_000


async def seen(
    containment: Containment, club: Path, meanwhile: Callable[[], object]
) -> list[dict[str, str]]:
    """What anna can read before something is done meanwhile, and after that."""
    (club / "bot.py").write_text(SCRIPT.format(paths=(*HIDDEN, *OPEN, *LATER)))
    async with launched(command(club), containment, name="anna") as alone:
        with trio.fail_after(60):
            stream = await alone.connection()
            assert stream is not None, alone.how
            meanwhile()
            await stream.aclose()
            await alone.has_ended.wait()
    assert alone.stderr == ""
    return [dict(word.split("=") for word in line.split()) for line in alone.stdout.splitlines()]


@IN_A_SANDBOX
@REAL_TIME
@pytest.mark.parametrize("has_runs", [True, False])
async def test_what_is_covered_cannot_be_read_nor_what_is_made_there_later(
    club: Path, contained: Containment, *, has_runs: bool
) -> None:
    """The place of runs is covered before it is there. Other new files of a large folder are seen."""
    if not has_runs:
        shutil.rmtree(club / "runs")

    def meanwhile() -> None:
        (club / "runs/2").mkdir()
        for name in LATER:
            (club / name).touch()

    before, after = await seen(contained, club, meanwhile)
    assert {path: before[path] for path in OPEN} == dict.fromkeys(OPEN, "seen")
    assert {path: after[path] for path in OPEN} == dict.fromkeys(OPEN, "seen")
    assert "seen" not in {look[path] for look in (before, after) for path in HIDDEN}
    assert {path: after[path] for path in LATER} == {
        "runs/2/secrets.json": "FileNotFoundError",
        "bo/new.bin": "FileNotFoundError",
        "new.txt": "seen",
    }


@IN_A_SANDBOX
@pytest.mark.soak
@REAL_TIME
async def test_a_hundred_thousand_files_cost_little_time(
    club: Path, contained: Containment
) -> None:
    """At most a second more than an empty folder at the first start, and 50 ms at the next."""
    for number in range(FILES, 100_000):
        (club / f"{number}.txt").touch()
    empty = club.parent / "empty"
    empty.mkdir()
    for folder in (empty, club):
        (folder / "bot.sh").touch()
    without_ms = [await start_ms(contained, empty) for _ in range(6)]
    with_ms = [await start_ms(contained, club) for _ in range(6)]
    assert with_ms[0] < without_ms[0] + 1000
    assert min(with_ms[1:]) < min(without_ms[1:]) + 50


async def start_ms(containment: Containment, folder: Path) -> float:
    """How long a program takes that does nothing."""
    began = trio.current_time()
    async with launched(
        BotCommand(words=("sh", "bot.sh"), directory=folder), containment, name="x"
    ) as alone:
        await alone.has_ended.wait()
    return 1000 * (trio.current_time() - began)
