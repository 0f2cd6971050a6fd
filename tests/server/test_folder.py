"""The run folder: one arena at a time, one tournament for ever, secrets for the owner alone."""

import errno
import os
from pathlib import Path

import pytest

from arena.matches.facts import BotMissing
from arena.server.setup.plan_differences import differences
from arena.server.setup.run_folder import FolderError, RunFiles, RunFolder, Secrets
from arena.server.setup.tournament_file import parse_plan
from arena.words import Said
from tests.english import english

BOTS = '[[bot]]\nname = "anna"\ncommand = "sh"\n[[bot]]\nname = "bo"\ncommand = "sh"\n'
PLAN = f'[tournament]\nname = "a"\ncycles = 4\n{BOTS}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run"


def opened(path: Path, text: str = PLAN) -> RunFolder:
    folder = RunFolder(path)
    folder.open(text)
    return folder


def test_a_second_arena_is_refused_while_the_first_is_running(path: Path) -> None:
    first = opened(path)
    second = RunFolder(path)
    for _ in range(2):
        with pytest.raises(
            FolderError, match=r"another arena is running in .*; wait for it or give --out another"
        ):
            second.open(PLAN)
    first.close()
    second.open(PLAN)
    second.close()


def test_another_tournament_file_is_refused_with_the_values_that_differ(path: Path) -> None:
    opened(path).close()
    with pytest.raises(FolderError) as caught:
        opened(
            path, f'[clock]\nbank_ms = 1\n[tournament]\nname = "a"\n{BOTS.replace("sh", "zsh", 1)}'
        )
    first, *told, advice = str(caught.value).splitlines()
    assert first == f"{path} was started with another tournament file:"
    assert told == [
        "  tournament.cycles: 4 in the run, 1 in the file",
        "  clock.bank_ms: 60000 in the run, 1 in the file",
        "  bot.anna.command: 'sh' in the run, 'zsh' in the file",
    ]
    assert advice.startswith(f"resume it with its own file by `arena run {path}`, or give --out")
    opened(path).close()
    assert (path / "tournament.toml").read_text() == PLAN


def test_a_file_that_says_the_same_in_other_words_is_the_same(path: Path) -> None:
    """The run keeps the file with which it was begun."""
    opened(path).close()
    opened(
        path,
        f"# of Friday\n[tournament]\ncycles = 0x4\nname = 'a'\n[clock]\nbank_ms = 60_000\n{BOTS}",
    ).close()
    assert (path / "tournament.toml").read_text() == PLAN


OTHERS = {
    "format": (
        'format = "knockout-1"',
        "tournament.format: 'round_robin' in the run, 'knockout-1' in the file",
    ),
    "ruleset": (
        'ruleset = { base = "vasa", name = "x" }',
        "tournament.ruleset: 'vasa' in the run, {base = 'vasa', n",
    ),
    "games": ("games = 5", "tournament.games: nothing in the run, 5 in the file"),
    "options": (
        'ruleset = "classic"\noptions = ["one_die"]',
        "tournament.options: [] in the run, ['one_die'] in the",
    ),
}


@pytest.mark.parametrize(("field", "told"), OTHERS.values(), ids=OTHERS)
def test_a_value_is_told_as_a_tournament_file_has_it(field: str, told: str) -> None:
    found = english(differences(parse_plan(BOTS), parse_plan(f"[tournament]\n{field}\n{BOTS}")))
    assert any(difference.startswith(told) for difference in found), found


def test_bots_that_came_went_or_changed_places_are_told() -> None:
    anna, bo, cia = (f'[[bot]]\nname = "{name}"\nremote = true\n' for name in ("anna", "bo", "cia"))
    assert english(differences(parse_plan(anna + bo), parse_plan(bo + cia))) == [
        "bot.anna: in the run, not in the file",
        "bot.cia: not in the run, in the file",
    ]
    assert english(differences(parse_plan(anna + bo), parse_plan(bo + anna))) == [
        "bot: in the order anna, bo in the run, bo, anna in the file"
    ]


def test_a_tournament_file_that_is_no_text_is_another_one(path: Path) -> None:
    opened(path).close()
    (path / "tournament.toml").write_bytes(PLAN.encode() + b'# \xff"')
    with pytest.raises(FolderError, match="the file in the run is not UTF-8 text"):
        opened(path)
    (path / "tournament.toml").write_text("[tournament]\n")
    with pytest.raises(
        FolderError, match="the file in the run cannot be used: round_robin needs at least 2"
    ):
        opened(path)


def test_a_folder_with_other_files_is_left_alone(path: Path) -> None:
    path.mkdir()
    (path / "thesis.tex").write_text("x")
    with pytest.raises(FolderError, match="holds files, but not a run"):
        opened(path)
    assert [one.name for one in path.iterdir()] == ["thesis.tex"]


def test_a_file_is_no_folder(path: Path) -> None:
    path.write_text("x")
    with pytest.raises(FolderError, match="is not a folder"):
        opened(path)


def test_a_folder_whose_arena_was_killed_before_it_had_frozen_the_file_is_taken(path: Path) -> None:
    """A run that had only created its folder has nothing to lose: the same command begins it."""
    folder = opened(path)
    folder.close()
    (path / "tournament.toml").unlink()
    opened(path).close()
    (path / "tournament.toml").rename(path / "tournament.toml.new")
    opened(path).close()


def test_secrets_are_for_the_owner_alone(path: Path) -> None:
    before = os.umask(0)
    try:
        folder = opened(path)
        for number in range(3):
            folder.write_secrets(Secrets(dice_key="00" * 32, tokens={"a": f"token {number}"}))
            assert (path / "secrets.json").stat().st_mode & 0o777 == 0o600
            assert folder.read_secrets().tokens == {"a": f"token {number}"}
        folder.close()
    finally:
        os.umask(before)


@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
@pytest.mark.parametrize("was_there", [False, True])
def test_others_cannot_read_a_run(path: Path, umask: int, was_there: bool) -> None:
    before = os.umask(umask)
    try:
        if was_there:
            path.mkdir()
        folder = opened(path)
        folder.open_journal("r1-anna-v-bo").write(BotMissing(at_ms=1, seat=1, reason=Said("x")))
        folder.bot_output("anna", None).write_text("what a bot prints")
        folder.take_in(
            {"matches/r1-eva-v-bo.jsonl": b"", "evidence/r1-eva-v-bo.eva.json": b""},
            ["r1-eva-v-bo"],
        )
        folder.close()
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o007 == 0
    found = {str(one.relative_to(path)): one for one in path.rglob("*")}
    assert found.keys() >= {
        "bots",
        "evidence",
        "lock",
        "matches/r1-anna-v-bo.jsonl",
        "bots/run.anna",
    }
    most = {name: 0o750 if one.is_dir() else 0o640 for name, one in found.items()}
    assert {
        name: oct(one.stat().st_mode)
        for name, one in found.items()
        if one.stat().st_mode & 0o777 & ~most[name]
    } == {}


def test_secrets_do_not_show_themselves() -> None:
    shown = repr(Secrets(dice_key="5eed" * 16, tokens={"anna": "hunter2"}))
    assert "5eed" not in shown
    assert "hunter2" not in shown


def test_the_files_of_a_run_are_looked_at_by_name(path: Path) -> None:
    folder = opened(path)
    (path / "matches" / "r1-a-v-b.jsonl").write_bytes(b"x\n")
    (path / "tournament.jsonl").write_bytes(b"y\n")
    files = RunFiles(path)
    assert dict(files) == {
        "tournament.toml": PLAN.encode(),
        "tournament.jsonl": b"y\n",
        "matches/r1-a-v-b.jsonl": b"x\n",
    }
    assert len(files) == 3
    with pytest.raises(KeyError):
        files["matches/r2-a-v-b.jsonl"]
    folder.close()


@pytest.mark.parametrize("kept", ["matches/r1-anna-v-bo.jsonl", "bots/anna.log"])
def test_a_run_with_a_record_or_output_of_a_bot_is_never_removed(tmp_path: Path, kept: str) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.open("a plan")
    (folder.path / kept).write_bytes(b"a line")
    folder.remove_unplayed()
    assert folder.is_begun
    (folder.path / kept).unlink()
    folder.close()
    again = RunFolder(tmp_path / "run")
    again.open("a plan")
    again.remove_unplayed()
    assert again.is_begun
    again.close()


def test_closing_keeps_what_was_written_of_matches_that_are_not_over(path: Path) -> None:
    """A run is stopped in the middle of a match and gone on with; no file of it stays open in a worker."""
    folder = opened(path)
    folder.open_journal("r1-anna-v-bo").write(BotMissing(at_ms=1, seat=1, reason=Said("over")))
    folder.close_journal("r1-anna-v-bo")
    folder.open_journal("r2-anna-v-bo").write(BotMissing(at_ms=2, seat=1, reason=Said("not over")))
    folder.close()
    assert [
        b"over" in data for name, data in RunFiles(path).items() if name.startswith("matches/")
    ] == [True, True]


def test_closing_on_a_disk_that_takes_nothing_frees_the_folder(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run has ended because of the disk and says so; the next one may begin."""
    folder = opened(path)
    folder.open_journal("r1-anna-v-bo").write(BotMissing(at_ms=1, seat=1, reason=Said("lost")))

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        folder.close()
    opened(path).close()
