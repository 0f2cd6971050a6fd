"""An error that a command lets pass becomes a sentence and an exit status, in one place for all commands."""

import errno

import pytest
from click.testing import CliRunner

from arena.cli.shared.lazy import LazyGroup
from arena.cli.shared.streams import OutputError
from arena.records.lines import RecordError
from arena.services.errors import FailedError, InterruptedWorkError, RefusedError
from arena.words import Said, SaidError, quoted

WHY = quoted("the disk is full")


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (RefusedError(WHY), 2, "Error: the disk is full\n"),
        (
            FailedError(WHY, ["first", quoted("second")], below=[WHY]),
            1,
            "Error: the disk is full\n  first\n  second\nthe disk is full\n",
        ),
        (InterruptedWorkError(WHY), 130, "the disk is full\n"),
        (SaidError(WHY), 2, "Error: the disk is full\n"),
        (
            RecordError("a.jsonl:1", WHY),
            1,
            "Error: the record cannot be read: a.jsonl:1: the disk is full\n",
        ),
        (
            ExceptionGroup("of trio", [OutputError(OSError(errno.ENOSPC, "full"))]),
            1,
            "Error: standard output cannot be written: No space left on device; make room, or name another file\n",
        ),
    ],
)
def test_every_kind_of_error_has_its_exit_status(error: Exception, status: int, told: str) -> None:
    group = LazyGroup()

    @group.command("fails")
    def fails() -> None:
        raise error

    result = CliRunner().invoke(group, ["fails"])
    assert (result.exit_code, result.stderr, result.stdout) == (status, told, "")


def test_what_nobody_foresaw_keeps_its_traceback() -> None:
    group = LazyGroup()

    @group.command("fails")
    def fails() -> None:
        raise ExceptionGroup("of trio", [ValueError("a fault of the arena")])

    assert isinstance(CliRunner().invoke(group, ["fails"]).exception, ExceptionGroup)


def test_python_reads_all_of_an_error() -> None:
    error = RefusedError(Said("run.refused"), ["first"], below=[WHY])
    assert str(error) == "the tournament cannot be played:\n  first\nthe disk is full"
