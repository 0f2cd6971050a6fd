"""`arena compare` where it cannot begin: exit status 2, the reason, and nothing left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.cli.shared.playing import name_and_command
from tests.cli.conftest import Arena


def test_a_folder_with_something_else_in_it_is_refused(here: Path, arena: Arena) -> None:
    (here / "notes.txt").write_text("mine")
    for out, message in ((here, "holds other files than batches"), (here / "notes.txt", "is not a folder")):
        result = arena("compare", "true", "false", "--out", out)
        assert (result.exit_code, message in " ".join(result.stderr.split())) == (2, True)
    assert [path.name for path in here.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("python new.py", ("new", "python new.py")),
        ("tuned=python new.py --depth=3", ("tuned", "python new.py --depth=3")),
        ("python new.py --depth=3", ("new", "python new.py --depth=3")),
        ("Åsa Ek, Vasa 1628 = python asa.py", ("Åsa Ek, Vasa 1628", "python asa.py")),
        ("python bots/new.py depth=3", ("new", "python bots/new.py depth=3")),
        ("env DEPTH=3 python new.py", ("new", "env DEPTH=3 python new.py")),
        ("my/bot=2", ("new", "my/bot=2")),
        ("=2", ("new", "=2")),
    ],
)
def test_a_bot_is_a_command_or_a_name_and_a_command(text: str, named: tuple[str, str]) -> None:
    """A text that begins with a program is a command, though an `=` is in it."""
    name, line = name_and_command(text)
    assert (name or "new", line) == named
