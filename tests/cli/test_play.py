"""`arena play`: what is refused, and a match on a terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main


def refused(*arguments: str) -> str:
    found = CliRunner().invoke(main, ["play", *arguments])
    assert found.exit_code in (1, 2), found.output
    assert "Traceback" not in found.output
    return " ".join(found.output.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nobody", "there is no bot 'nobody'; choose one of random, greedy, lookahead, neural"),
        (
            "greedy --ruleset brandubh-1 --terminal",
            "greedy does not play brandubh-1; choose one of random, brandubh-easy, brandubh",
        ),
        ("greedy --ruleset vaza", "vaza"),
        ("greedy --set tournament.options=['three_dice']", "three_dice"),
    ],
)
def test_a_bot_or_ruleset_that_is_not_there_is_refused(words: str, message: str) -> None:
    assert message in refused(*words.split())


def test_a_run_that_is_no_match_of_a_person_is_not_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "tournament.toml").write_text(
        '[[bot]]\nname = "a"\ncommand = "x"\n[[bot]]\nname = "b"\ncommand = "x"\n', encoding="utf-8"
    )
    found = refused(str(tmp_path), "--terminal")
    assert "is not a match of a person against a bot; arena run goes on with it" in found


class Typing:
    """`arena play --terminal` behind a pipe."""

    def __init__(self, folder: Path, *arguments: str, language: str = "en") -> None:
        words = [sys.executable, "-m", "arena", "--language", language, "play", *arguments, "--terminal"]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
        )
        self.said = ""

    def until(self, *ends: str) -> str:
        """What is said until one of these; it is over at the end of the stream."""
        assert self.process.stdout is not None
        heard = ""
        while not heard.endswith(ends):
            piece = os.read(self.process.stdout.fileno(), 1)
            if not piece:
                break
            while piece[-1] >= 0x80:  # the rest of a character
                try:
                    piece.decode()
                    break
                except UnicodeDecodeError:
                    piece += os.read(self.process.stdout.fileno(), 1)
            heard += piece.decode()
        self.said += heard
        return heard

    def close(self) -> None:
        """End it, if that is still to do, and let go of its pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()  # type: ignore[union-attr]  # asked for above

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()


@pytest.mark.slow
def test_a_match_on_a_terminal_from_the_first_roll_to_resignation(tmp_path: Path) -> None:
    match = Typing(tmp_path, "random", "--out", "run")
    match.until("help shows what you can type\n")
    prompt = match.until("you roll ")
    dice = match.until(": ").removesuffix(": ")
    match.type("24/1")
    assert re.search(r"no: 24/1 is not a move: .* \(B3\.1\)", match.until(f"you roll {dice}: "))
    match.type("?")
    legal = re.findall(r"^  (\S+/\S+.*)$", match.until(f"you roll {dice}: "), re.MULTILINE)
    assert legal
    match.type(legal[0])
    match.until("; Enter plays it: ")
    match.type("undo")
    match.until(" left: ", f"you roll {dice}: ")
    match.type("resign")
    match.until("yes resigns: ")
    match.type("yes")
    assert "you have resigned" in match.until()
    assert match.process.wait(90) == 0
    match.close()
    assert "│" in prompt  # the board
    verified = subprocess.run(
        [sys.executable, "-m", "arena", "verify", "run"], cwd=tmp_path, capture_output=True, check=False
    )
    assert verified.returncode == 0


@pytest.mark.slow
def test_a_match_on_a_terminal_is_gone_on_with(tmp_path: Path) -> None:
    match = Typing(tmp_path, "random", "--out", "run")
    match.until("you roll ")
    dice = match.until(": ")
    match.process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
    match.until()
    assert match.process.wait(60) == 130
    assert b"go on with: arena play run --terminal" in match.process.stderr.read()  # type: ignore[union-attr]
    match.close()
    again = Typing(tmp_path, "run", language="sv")
    again.until("du kastar ")
    assert again.until(": ") == dice
    again.type("24/1")
    assert "nej: 24/1 är inget drag: brickor går framåt" in again.until(f"du kastar {dice}")
    again.type("ge upp")
    again.until("ja ger upp: ")
    again.type("ja")
    assert "du har gett upp" in again.until()
    assert again.process.wait(90) == 0
    again.close()
