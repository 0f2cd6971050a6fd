"""Wrong use ends with exit status 2, a message that says what to do, and nothing left behind."""

import json
from pathlib import Path

import pytest

from arena.cli.shared.playing import name_and_command
from arena.server.setup.bot_section import BotSection
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import Plan, format_plan
from tests.fixtures.command_line import Arena


def test_a_tournament_file_and_bots_on_the_command_line_do_not_mix(
    here: Path, arena: Arena
) -> None:
    (here / "t.toml").write_text(
        '[[bot]]\nname = "anna"\ncommand = "true"\n[[bot]]\nname = "bo"\ncommand = "true"\n'
    )
    result = arena("run", "t.toml", "--bot", "cia=true", "--games", "5", "--out", "my-run")
    assert result.exit_code == 2
    assert "--bot" in result.stderr
    assert "--games, or change a field of it with --set" in result.stderr
    assert not (here / "my-run").exists()


def test_a_field_is_set_in_a_file_but_not_in_a_run(
    here: Path, arena: Arena, run_folder: Path
) -> None:
    (here / "t.toml").write_text("[clock]\nbank_ms = -1\n")
    said = arena("run", "t.toml", "--set", "clock.delay_ms=-5").stderr
    assert "  line 2: [clock] bank_ms = -1: expected" in said
    assert "  --set clock.delay_ms=-5: [clock] delay_ms = -5: expected" in said
    result = arena("run", run_folder, "--set", "clock.delay_ms=5")
    assert result.exit_code == 2
    assert "is a run, whose tournament file cannot change; leave out --set" in result.stderr


def test_a_command_without_its_quotes_is_told(here: Path, arena: Arena) -> None:
    """The shell splits it, and the second word is taken for a tournament file."""
    (here / "anna.py").touch()
    result = arena("run", "--bot", "anna=python", "anna.py", "--bot", "bo=true")
    assert result.exit_code == 2
    said = " ".join(result.stderr.split())
    assert (
        'anna.py is not a tournament file; a bot is given by --bot me="python anna.py", with the quotes'
        in said
    )
    said = " ".join(arena("run", "anna=python anna.py", "--bot", "bo=true").stderr.split())
    assert "there is no file 'anna=python anna.py'; a bot is given by --bot anna=COMMAND" in said


def test_two_bots_of_one_id_on_the_command_line_are_not_told_to_write_a_file(arena: Arena) -> None:
    said = " ".join(arena("run", "--bot", "Åsa, Vasa=true", "--bot", "asa=true").stderr.split())
    assert "both get the id asa; " in said
    assert "call one" in said
    assert 'id = "' not in said


def test_a_file_of_notepad_is_read(here: Path, arena: Arena) -> None:
    (here / "t.toml").write_bytes(b"\xef\xbb\xbf[clock]\r\nbank = 1\r\n")
    assert "line 2: unknown field in [clock]: 'bank'" in arena("run", "t.toml").stderr


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_says_how_to_save_it(here: Path, arena: Arena, encoding: str) -> None:
    """As Notepad writes "Unicode", with and without a byte order mark."""
    (here / "t.toml").write_text("[clock]\nbank_ms = 1\n", encoding=encoding)
    result = arena("run", "t.toml")
    said = "t.toml is written as UTF-16, which Notepad calls Unicode; save it as UTF-8 (in Notepad: Save as, Encoding:"
    assert (result.exit_code, said in result.stderr) == (2, True)


def test_a_file_that_is_no_text_is_refused(here: Path, arena: Arena) -> None:
    (here / "t.toml").write_bytes(b"[tournament]\nname = '\xe5'\n")
    result = arena("run", "t.toml")
    assert (result.exit_code, "t.toml is not UTF-8 text, in line 2" in result.stderr) == (2, True)


@pytest.mark.parametrize("is_there", [False, True])
def test_where_nothing_can_listen_nothing_is_left(
    here: Path, arena: Arena, *, is_there: bool
) -> None:
    """One reason, and the corrected command finds its folder as it was before the first try."""
    open_to_all, out = here / "open", here / "out"
    open_to_all.mkdir()
    open_to_all.chmod(0o755)
    if is_there:
        out.mkdir()
    result = arena(
        "run", "--remote", "a", "--remote", "b", "--listen", f"unix:{open_to_all}/x", "--out", out
    )
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith(
        f"Error: cannot listen on unix:{open_to_all}/x: others can enter"
    )
    assert result.stderr.endswith("or say insecure = true\n")
    assert (out.exists(), list(here.glob("out/*"))) == (is_there, [])


def test_a_path_that_no_system_has_is_told(here: Path, arena: Arena) -> None:
    (here / "circle").symlink_to("circle")
    for out, reason in (("circle/run", "Too many levels"), ("x" * 300, "File name too long")):
        result = arena("run", "--remote", "a", "--remote", "b", "--out", out)
        assert result.exit_code == 1
        assert f"cannot use {out}: {reason}" in result.stderr.replace("/tournament.jsonl", "")


def test_a_command_with_a_byte_that_is_no_text_is_told(here: Path, arena: Arena) -> None:
    told = "holds a byte that is not UTF-8"
    assert told in arena("play", "python \udcff").stderr
    assert told in arena("run", "--bot", "a=python \udcff", "--bot", "b=true").stderr


def test_a_folder_that_cannot_be_made_is_refused(here: Path, arena: Arena) -> None:
    (here / "file").touch()
    for out in ("file/run", "/proc/no-such-folder"):
        result = arena("run", "--remote", "a", "--remote", "b", "--out", out)
        assert (result.exit_code, f"{out} cannot be made or written" in result.stderr) == (2, True)
        assert "safe" not in result.stderr


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("tournament.jsonl", b"nonsense\n", "tournament.jsonl:1: not a line of this record"),
        (
            "secrets.json",
            b'{"dice_key":',
            "secrets.json: the file no longer holds the secrets of a run",
        ),
    ],
)
def test_a_run_whose_files_are_damaged_does_not_go_on(
    here: Path, arena: Arena, name: str, data: bytes, message: str
) -> None:
    """What to do is said; to try again as it is would lead to the same."""
    text = format_plan(
        Plan(bot=(BotSection(name="a", remote=True), BotSection(name="b", remote=True)))
    )
    folder = RunFolder(here / "run")
    folder.open(text)
    folder.close()
    (here / "run" / name).write_bytes(data)
    result = arena("run", "run")
    assert result.exit_code == 1
    assert message in result.stderr
    assert (here / "run" / name).read_bytes() == data
    assert result.stderr.endswith(
        "cannot be resumed: restore the file, or start again with another --out\n"
    )


REMOTE = """
[[bot]]
name = "anna"
remote = true
[[bot]]
name = "Åsa Ek, Vasa 1628"
remote = true
token_file = "asa.token"
"""


def test_a_dry_run_tells_who_is_left_out(here: Path, arena: Arena) -> None:
    (here / "t.toml").write_text(
        f'{REMOTE}[[bot]]\nname = "cia"\ncommand = "true"\nif_installed = "no-such-engine"\n'
    )
    (here / "asa.token").write_text("a" * 32)
    result = arena("run", "t.toml", "--dry-run")
    assert (result.exit_code, result.stdout.splitlines()[-1][:10]) == (0, "2 entrants")
    assert "bot cia is left out: no-such-engine is not installed\n" in result.stderr


def test_a_dry_run_tells_how_remote_bots_log_in(here: Path, arena: Arena) -> None:
    """Their plain ids, which their authors need, and a token that others can read."""
    (here / "t.toml").write_text(REMOTE, encoding="utf-8")
    token = here / "asa.token"
    token.write_text("nobody-guesses-this")
    token.chmod(0o600)
    result = arena("run", "t.toml", "--dry-run")
    assert (result.exit_code, result.stderr) == (0, "")
    anna, asa, where, _ = result.stdout.splitlines()
    assert where == (
        "remote bots connect at tcp:127.0.0.1:0; port 0 takes a free port, which is printed when the run starts; "
        "[listen] address or --set listen.address fixes it"
    )
    assert (
        anna.split("  ")[-1].strip()
        == "connects from elsewhere as anna with a token that the run makes; not tried"
    )
    assert (
        asa.split("  ")[-1].strip()
        == "connects from elsewhere as asa-ek with the token in asa.token; not tried"
    )
    token.chmod(0o644)
    warning = "other users of this machine can read asa.token; run: chmod 600 asa.token"
    assert arena("run", "t.toml", "--dry-run").stderr == f"[warning] {warning}\n"
    listens = ("--set", "listen.address=tcp:127.0.0.1:4711")
    assert (
        "\nremote bots connect at tcp:127.0.0.1:4711\n"
        in arena("run", "t.toml", "--dry-run", *listens).stdout
    )
    told = json.loads(arena("run", "t.toml", "--dry-run", "--json").stdout)
    assert told["listen"] == "tcp:127.0.0.1:0"
    assert told["bots"][1] == {"name": "asa-ek", "tried": False, "token_file": "asa.token"}
    assert told["warnings"] == [warning]
    token.write_text("")
    assert (
        "token_file 'asa.token' cannot be used: the file is empty"
        in arena("run", "t.toml", "--dry-run").stderr
    )
    assert [path.name for path in sorted(here.iterdir())] == ["asa.token", "t.toml"]


def test_a_dry_run_opens_nothing_to_others_for_persons_alone(arena: Arena) -> None:
    persons = (
        "--person",
        "Anna",
        "--person",
        "Bo",
        "--set",
        "clock.bank_ms=900000",
        "--set",
        "listen.pages=127.0.0.1:0",
    )
    lines = arena("run", *persons, "--dry-run").stdout.splitlines()
    link = "plays by hand in a browser; arena run prints the link, which is served on 127.0.0.1:0"
    assert lines[:2] == [f"Anna  {link}", f"Bo    {link}"]
    assert len(lines) == 3


# `arena compare` where it cannot begin: exit status 2, the reason, and nothing left behind


def test_a_folder_with_something_else_in_it_is_refused(here: Path, arena: Arena) -> None:
    (here / "notes.txt").write_text("mine")
    for out, message in (
        (here, "holds other files than batches"),
        (here / "notes.txt", "is not a folder"),
    ):
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
