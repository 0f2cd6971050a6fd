"""Commands that read somebody else's run: whatever is in the place of its files, they end with a sentence."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.cli.shared.playing import given_text
from arena.person.arena_run import RunError, plan_in
from tests.records.small_run import RECORD, small_run
from tests.strange_files import KINDS, Strange, soon_over

COMMANDS = {
    "standings": ("standings", "{run}"),
    "stats": ("stats", "{run}"),
    "show": ("show", "{run}"),
    "show-match": ("show", "{run}/" + RECORD, "--no-boards"),
    "log": ("log", "{run}", "slow-turns"),
    "log-match": ("log", "{run}/" + RECORD, "games", "--json"),
    "verify": ("verify", "{run}", "--dice"),
    "report": ("report", "{run}"),
    "query": ("query", "{run}", "SELECT count(*) FROM turns"),
    "export": ("export", "{run}", "--out", "{out}"),
    "analyse": ("analyse", "{run}"),
    "luck": ("standings", "{run}", "--luck-adjusted"),
}
PLACES = ("tournament.jsonl", "tournament.toml", "matches", RECORD, "analysis", RECORD.replace("matches", "analysis"))
OURS = ("report.html", "report.html.new", RECORD.replace("matches", "analysis") + ".new")
"""What commands write there themselves."""


@pytest.fixture
def strange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strange]:
    """A run that is in order, until something is put there."""
    folder = tmp_path_factory.mktemp("strange")
    found = Strange(folder)
    for name, data in small_run().items():
        (found.run / name).parent.mkdir(exist_ok=True)
        (found.run / name).write_bytes(data)
    yield found
    shutil.rmtree(folder)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", [*PLACES, *OURS])
def test_they_end_with_a_sentence(strange: Strange, name: str, command: str) -> None:
    was = strange.run.parent / "was"
    shutil.copytree(strange.run, was)
    for kind in KINDS:
        strange.put(kind, name)
        words = [part.format(run=strange.run, out=strange.run.parent / "out.sqlite") for part in COMMANDS[command]]
        with soon_over():
            result = CliRunner().invoke(main, words, env={"COLUMNS": "200"})
        told = f"{kind} in place of {name}: {result.output}"
        assert result.exception is None or isinstance(result.exception, SystemExit), f"{told}{result.exception!r}"
        assert result.exit_code in (0, 1, 2), told
        assert result.exit_code == 0 or result.output.strip(), told
        strange.assert_unharmed()
        for path in strange.run.parent.glob("*"):
            if path.name in ("run", "out.sqlite") or path.name.startswith("was-"):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.copytree(was, strange.run)


@pytest.mark.parametrize("read", [given_text, plan_in])
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_goes_on_with_a_tournament_file_of_its_own_alone(strange: Strange, read, kind: str) -> None:
    strange.put(kind, "tournament.toml")
    with soon_over(), pytest.raises((SystemExit, RunError)):
        read(strange.run)
