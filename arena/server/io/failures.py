"""Bugs of the arena itself: only the operator gets the traceback."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from arena.server.io.disk import DiskError
from arena.server.io.operator_log import Log

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


def must_end_the_run(error: BaseException) -> bool:
    """Return whether the disk failed, alone or beside other things."""
    return any(isinstance(cause, DiskError) for cause in causes(error))


def log_failure(log: Log, error: Exception) -> None:
    """Log an unexpected exception for the operator, with its traceback."""
    kind = type(error).__name__
    log.error("arena_failed", error=kind, exc_info=error)
