"""The signals that ask a program to end in good order."""

import signal
from typing import Final

HANG_UP: Final = getattr(signal, "SIGHUP", None)
"""The terminal was closed, or the connection to it is lost; Windows has no such signal."""


def ending_signals() -> list[signal.Signals]:
    """Return Ctrl-C, SIGTERM and SIGHUP.

    Leave out SIGHUP if this program ignores it, as it does when `nohup` has started it.
    """
    signals = [signal.SIGINT, signal.SIGTERM]
    if HANG_UP is None:
        return signals
    is_ignored = signal.getsignal(HANG_UP) is signal.SIG_IGN
    if not is_ignored:
        signals.append(HANG_UP)
    return signals
