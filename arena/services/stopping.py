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
    """Somebody has stopped it; it can go on."""


class RunStoppedError(FailedError):
    """The arena could not go on, as with a full disk."""


class RunDamagedError(FailedError):
    """The records of the run are damaged, so it cannot go on from there."""


class AddressRefusedError(RefusedError):
    """The arena cannot listen where it shall."""


@contextmanager
def stopping_by_name(again: Callable[[], str | None]) -> Iterator[None]:
    """Raise what ends play as an error of a service; what nobody expects is raised as it is.

    `again` returns the command that resumes the run, None if nothing has begun.
    """
    try:
        yield
    except (KeyboardInterrupt, OSError, ListenError, RecordError, BaseExceptionGroup) as error:
        end = _end(list(causes(error)), again())
        if end is None:
            raise
        raise end from error


def _end(found: list[BaseException], again: str | None) -> ServiceError | None:
    if any(isinstance(cause, KeyboardInterrupt) for cause in found):
        if again is None:
            return RunInterruptedError(Said("stopped.before"))
        return RunInterruptedError(Said("stopped.go_on", {"command": again}))
    for cause in found:
        if isinstance(cause, ServiceError):  # of an analysis between two batches
            return cause
    if not all(isinstance(cause, EXPECTED) for cause in found):
        return None
    by_text = {
        str(reason): reason for reason in map(_reason, found)
    }  # several workers may tell the same
    reasons = [*by_text.values()]
    if any(isinstance(cause, RecordError) for cause in found):
        return RunDamagedError(joined([*reasons, Said("stopped.damaged")]))
    is_refused = all(isinstance(cause, ListenError) for cause in found)
    if again is not None and not is_refused:
        reasons.append(Said("stopped.safe"))
    if again is not None:
        reasons.append(Said("stopped.mended", {"command": again}))
    kind = AddressRefusedError if is_refused else RunStoppedError
    return kind(joined(reasons))


def _reason(cause: BaseException) -> Said:
    """Return why play stopped; an error of the system names its file."""
    if isinstance(cause, OSError):
        return failed(cause)
    return quoted(reason_of(cause))
