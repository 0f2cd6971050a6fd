"""Fuzzing of tournament files and of `--set`: right, nearly right, huge, deep, or rubbish."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Final

from arena.server.programs.bot_command import command_of
from arena.server.programs.containment import sandbox_problems
from arena.server.programs.start_problems import program_problems
from arena.server.setup.credentials import credential_problems
from arena.server.setup.given_fields import (
    GivenFieldError,
    parse_set,
    text_of_installed,
    with_fields,
)
from arena.server.setup.guarded_toml import TomlLimitError
from arena.server.setup.problems import LONGEST_TOLD, MOST_TOLD
from arena.server.setup.tournament_file import PlanError, format_plan, parse_plan
from tests.english import english
from tests.fuzz.mutations import other_bytes
from tests.strange_files import soon_over

FILE: Final = """
[tournament]
name = "Friday"
ruleset = { base = "classic", name = "club", entry_strikes = "outnumbered" }
options = []
games = 5
format = "gauntlet-1"
challengers = ["anna"]
cycles = 2
[clock]
delay_ms = 1000
bank_ms = 900000
[limits]
rejections = 3
sandbox = "auto"
memory_mib = 1024
[listen]
address = "tcp:127.0.0.1:0"
certificate = "file"
key = "file"
hosts = ["arena.example"]
[luck]
evaluator = "brade-classic-3"
[[bot]]
name = "anna"
command = "python file"
reads = ["file"]
if_installed = "sh"
[[bot]]
name = "Bo, Vasa"
id = "bo"
remote = true
token_file = "file"
[[bot]]
name = "cia"
person = true
"""
LONG_NUMBERS: Final = ("9" * 90, "9" * 5000, "-" + "9" * 4000, "0x" + "f" * 99)
NUMBERS: Final = ("0", "-1", "1.5", "nan", "-inf", "1e400", *LONG_NUMBERS)
TEXTS: Final = (
    '""',
    '"x"',
    "'\\'",
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\u202eabc"',
    '"\\U0001F3B2"',
    '"' + "x" * 5000 + '"',
)
COMMANDS: Final = (
    '"x y \'z"',
    '"' + "x " * 14_000 + '"',
    '"' + "x" * 300_000 + '"',
    '"./' + "x" * 300 + '"',
    '["sh", "", "\\n"]',
    '"env A=1"',
)
PATHS: Final = (
    '"pipe"',
    '"/dev/zero"',
    '"loop"',
    '"folder"',
    '"none/x"',
    '"~"',
    '"/"',
    '"../../.."',
)
DEEP: Final = (
    "[" * 9 + "]" * 9,
    "[" * 800 + "]" * 800,
    "{a=" * 50_000 + "}" * 50_000,
    "[" * 100_000,
)
TIMES: Final = ("1979-05-27T07:32:00Z", "07:32:00")
OTHERS: Final = ("true", "[]", "[[]]", "{}", '["a", 1]', "{a.b.c = 1}", "?", "", *TIMES)
MANY: Final = (
    "[" + "1," * 100_000 + "]",
    "[" + '"x",' * 10_000 + "]",
    '["pipe", "loop", "folder"]',
)
VALUES: Final = (NUMBERS, TEXTS, COMMANDS, PATHS, DEEP, OTHERS, MANY)
LONG_NAMES: Final = (".".join("a" * 9), ".".join("a" * 50_000), "x" * 200)
NAMES: Final = ("x", "name", "id", "'\\u0000'", "a.b", "''", "é", *LONG_NAMES)
FIELDS: Final = (
    "tournament.name",
    "tournament.ruleset",
    "clock.bank_ms",
    "bot.reads",
    "bot.anna.command",
)


class PlanFuzz:
    """Writes one tournament file after the other and has it checked; `cases` counts them.

    A file is in order, and the same when it is written again, or has problems that can be read.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        self._chance = random.Random(seed)
        self._folder = folder / "place"
        """Where the files lie that a tournament file may name."""
        self.cases = 0
        self.counts: Counter[str] = Counter()
        """How they ended."""

    def step(self) -> None:
        """One file. Raises `AssertionError` for a broken law, and whatever should not happen."""
        self._make_place()
        text = self._text()
        sets = [self._set() for _ in range(self._chance.choice((0, 0, 0, 0, 0, 1, 2)))]
        try:
            with soon_over():
                self.counts[self._check(text, sets)] += 1
        except BaseException as error:
            error.add_note(f"case {self.cases}: {sets!r:.500} {text!r:.2000}")
            raise
        shutil.rmtree(self._folder)
        self.cases += 1

    def _make_place(self) -> None:
        self._folder.mkdir()
        (self._folder / "file").write_text("a token that is long enough")
        (self._folder / "folder").mkdir()
        (self._folder / "loop").symlink_to("loop")
        os.mkfifo(self._folder / "pipe")

    def _check(self, text: str, sets: list[str]) -> str:
        try:
            fields = [parse_set(each) for each in sets]
        except GivenFieldError as error:
            _assert_readable([str(error)])
            return "a field cannot be read"
        try:
            plan = parse_plan(text, fields, tell_lines=True)
            parse_plan(text_of_installed(with_fields(text, fields))[0])
        except PlanError as error:
            _assert_readable(english(error.problems))
            return "it has problems"
        except TomlLimitError:
            return "it is too large to be kept"
        assert parse_plan(format_plan(plan)) == plan
        commands = {bot.name: command_of(bot, self._folder) for bot in plan.bot if not bot.remote}
        problems = program_problems(commands)
        problems += credential_problems(plan, self._folder)
        problems += sandbox_problems(plan, self._folder)
        return "its files cannot be used" if problems else "it is in order"

    def _text(self) -> str:
        chance = self._chance
        fate = chance.random()
        if fate < 0.1:
            data = other_bytes(chance, FILE.encode(), b'"', b"[", b"]", b"{", b"\\", b"'''")
            return data.decode(errors="replace")
        lines = FILE.splitlines()
        if fate > 0.5:  # without a certificate, which is none
            secrets = ("certificate", "key", "token_file")
            lines = [line for line in lines if not line.startswith(secrets)]
        changes = [self._other_value] * 3 + [self._other_name, self._add, self._move]
        for _ in range(chance.choice((0, 1, 1, 1, 2, 5))):
            chance.choice(changes)(lines)
        return "\n".join(lines)

    def _value(self) -> str:
        return self._chance.choice(self._chance.choice(VALUES))

    def _other_value(self, lines: list[str]) -> None:
        at = self._chance.randrange(len(lines))
        name, equals, _ = lines[at].partition("=")
        lines[at] = f"{name}{equals}{self._value()}" if equals else lines[at]

    def _other_name(self, lines: list[str]) -> None:
        at = self._chance.randrange(len(lines))
        name, equals, value = lines[at].partition("=")
        known = [line.partition("=")[0] for line in FILE.splitlines() if "=" in line]
        name = self._chance.choice((self._chance.choice(NAMES), self._chance.choice(known)))
        lines[at] = f"{name}{equals}{value}" if equals else f"[{name}]"

    def _add(self, lines: list[str]) -> None:
        line = f"{self._chance.choice(NAMES)} = {self._value()}"
        lines.insert(self._chance.randrange(len(lines) + 1), line)

    def _move(self, lines: list[str]) -> None:
        """Leave out a line, or have it a second time somewhere else."""
        line = lines.pop(self._chance.randrange(len(lines)))
        if self._chance.random() < 0.7:
            for _ in range(self._chance.choice((1, 2, 1000))):
                lines.insert(self._chance.randrange(len(lines) + 1), line)

    def _set(self) -> str:
        """One `--set` of the command line, which is shorter than a system lets it be."""
        chance = self._chance
        name = chance.choice(FIELDS)
        odd = chance.choice(NAMES)
        name = chance.choice((name, name, f"tournament.{odd}", odd))
        return f"{name}={self._value()}"[:100_000]


def _assert_readable(problems: list[str] | tuple[str, ...]) -> None:
    assert 1 <= len(problems) <= MOST_TOLD + 1, len(problems)
    lengths = [len(problem) for problem in problems]
    assert all(0 < length <= LONGEST_TOLD + 10 for length in lengths), lengths
