"""The errors that end play, as errors of a service."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arena.records.lines import RecordError
from arena.regular_files import failed
from arena.server.io.failures import causes
from arena.server.io.listening import ListenError
from arena.server.io.tls import CertificateError
from arena.server.run.seat_pages import PagesError
from arena.server.run.workers.chunk import WorkerError
from arena.server.setup.credentials import TokenError
from arena.services.errors import FailedError, InterruptedWorkError, RefusedError, ServiceError
from arena.words import Said, joined, quoted
from arena.words.system_errors import reason_of

EXPECTED = (
    OSError | CertificateError | ListenError | PagesError | RecordError | TokenError | WorkerError
)
"""What can go wrong around a run without a fault of the arena."""


class RunInterruptedError(InterruptedWorkError):
    """The run was stopped by hand; it can go on."""


class RunStoppedError(FailedError):
    """The arena could not go on, as with a full disk."""


class RunDamagedError(FailedError):
    """The records of the run are damaged, so it cannot go on from there."""


class AddressRefusedError(RefusedError):
    """The arena cannot listen where it shall."""


@contextmanager
def stopping_by_name(again: Callable[[], str | None]) -> Iterator[None]:
    """Raise an error that ends play as an error of a service; raise an unexpected one as it is.

    `again` returns the command that resumes the run, or None if the run has not started.
    """
    try:
        yield
    except (KeyboardInterrupt, OSError, ListenError, RecordError, BaseExceptionGroup) as error:
        end = _end(list(causes(error)), again())
        if end is None:
            raise
        raise end from error


def _end(errors: list[BaseException], again: str | None) -> ServiceError | None:
    """Return the error of a service for these errors; None if one of them is unexpected.

    The cases stand in the order of their weight: the first that fits decides.
    """
    # More than ten branches: it is a table of cases.
    if any(isinstance(error, KeyboardInterrupt) for error in errors):
        return _interruption(again)
    for error in errors:
        if isinstance(error, ServiceError):  # of an analysis between two batches
            return error
    if not all(isinstance(error, EXPECTED) for error in errors):
        return None
    reasons = _distinct_reasons(errors)
    if any(isinstance(error, RecordError) for error in errors):
        return RunDamagedError(joined([*reasons, Said("stopped.damaged")]))
    is_refused = all(isinstance(error, ListenError) for error in errors)
    if again is not None:
        if not is_refused:
            reasons.append(Said("stopped.safe"))
        reasons.append(Said("stopped.mended", {"command": again}))
    if is_refused:
        return AddressRefusedError(joined(reasons))
    return RunStoppedError(joined(reasons))


def _interruption(again: str | None) -> RunInterruptedError:
    if again is None:
        return RunInterruptedError(Said("stopped.before"))
    return RunInterruptedError(Said("stopped.go_on", {"command": again}))


def _distinct_reasons(errors: list[BaseException]) -> list[Said]:
    """Return each reason once: several workers may report the same one."""
    by_text: dict[str, Said] = {}
    for error in errors:
        reason = _reason(error)
        by_text[str(reason)] = reason
    return list(by_text.values())


def _reason(cause: BaseException) -> Said:
    """Return why play stopped; an error of the system names its file."""
    if isinstance(cause, OSError):
        return failed(cause)
    return quoted(reason_of(cause))
