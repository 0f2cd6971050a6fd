"""Bugs of the arena itself: only the operator gets the traceback."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from arena.regular_files import failed
from arena.server.io.disk import DiskError
from arena.server.io.operator_log import Log
from arena.words import Said, SaidError, joined

P = ParamSpec("P")
T = TypeVar("T")


class Failing(Protocol):
    """A connection or a match."""

    def fail(self, error: Exception) -> None:
        """End it, and tell the operator why. Raises the exception again if the run must end."""
        ...


F = TypeVar("F", bound=Failing)


def ends_itself_alone(act: Callable[Concatenate[F, P], T]) -> Callable[Concatenate[F, P], T | None]:
    """Decorate a method: an unexpected exception in it ends its connection or match alone."""

    @wraps(act)
    def guarded(self: F, /, *arguments: P.args, **named: P.kwargs) -> T | None:
        try:
            return act(self, *arguments, **named)
        except Exception as error:  # noqa: BLE001 - any bug is told to the operator
            self.fail(error)
            return None

    return guarded


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions in a group, however deep; trio groups those that end its tasks."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from causes(inner)
    else:
        yield error


def reason_of_all(error: BaseException) -> Said:
    """Say why something could not be done, from errors of the system and `SaidError` alone."""
    reasons: list[Said] = []
    for cause in causes(error):
        if isinstance(cause, SaidError):
            reasons.append(cause.said)
        else:
            assert isinstance(cause, OSError), "there are no others"
            reasons.append(failed(cause))
    return joined(reasons)


def must_end_the_run(error: BaseException) -> bool:
    """Return whether the disk failed, alone or beside other things."""
    return any(isinstance(cause, DiskError) for cause in causes(error))


def log_failure(log: Log, error: Exception) -> None:
    """Log an unexpected exception for the operator, with its traceback."""
    kind = type(error).__name__
    log.error("arena_failed", error=kind, exc_info=error)
