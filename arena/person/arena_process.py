"""`arena`, as the program of a person's match: it ends in good order when the program that has started it is gone.

That holds its standard input open, and never writes to it. So a killed `arena play` leaves no arena behind that would
forfeit the match of an empty seat, or keep the run folder from the next one.
"""

import os
import runpy
import signal
import sys
import threading
import time
from typing import Final

SIGNALS: Final = ((signal.SIGINT, 0.3), (signal.SIGINT, 5.0), (signal.SIGKILL, 0.0))
"""The second interrupt does not wait for turns that were put; each has so many seconds before the next."""


def _end_with_it() -> None:
    sys.stdin.buffer.read()
    for number, seconds in SIGNALS:
        os.kill(os.getpid(), number)
        time.sleep(seconds)


if __name__ == "__main__":
    threading.Thread(target=_end_with_it, daemon=True).start()
    runpy.run_module("arena", run_name="__main__", alter_sys=True)
