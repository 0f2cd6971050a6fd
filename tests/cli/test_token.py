"""`arena token`: one line on standard output, which a shell reads; what else to do is told beside it."""

import json
import shlex
from pathlib import Path

from arena.server.setup.run_folder import RunFolder, Secrets
from tests.fixtures.command_line import Arena

FILE = """
[listen]
address = "tcp:0.0.0.0:4711"
insecure = true
[[bot]]
name = "anna"
remote = true
[[bot]]
name = "bo"
command = "sh"
"""


def test_the_line_stands_alone_on_standard_output(here: Path, arena: Arena) -> None:
    (here / "run").mkdir()
    (here / "run" / "tournament.toml").write_text(FILE)
    RunFolder(here / "run").write_secrets(Secrets(tokens={"anna": "a token with blanks"}))
    result = arena("token", "run", "anna")
    assert result.exit_code == 0
    assert shlex.split(result.stdout) == [
        "ARENA_ADDRESS=tcp:HOST:4711",
        "ARENA_NAME=anna",
        "ARENA_TOKEN=a token with blanks",
    ]
    assert result.stdout.count("\n") == 1
    assert result.stderr == "write the name or the address of this machine in place of HOST\n"
    assert json.loads(arena("token", "run", "anna", "--json").stdout) == {
        "address": "tcp:HOST:4711",
        "name": "anna",
        "token": "a token with blanks",
        "authority": None,
    }


def test_what_is_no_run_or_needs_no_token_is_told(here: Path, arena: Arena) -> None:
    (here / "run").mkdir()
    assert (
        "run is not a run folder: it has no tournament.toml" in arena("token", "run", "anna").stderr
    )
    (here / "run" / "tournament.toml").write_text(FILE)
    result = arena("token", "run", "bo")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "bo is started by the arena" in result.stderr
