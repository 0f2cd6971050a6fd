"""Plays well; a grandchild of it has left its family, group and session, ignores every signal it can, and stays."""

import os
import signal
import time

from common import play
from honest import Honest


def leave_daemon():
    """The double fork of a daemon."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    time.sleep(600)
    os._exit(0)


leave_daemon()
play(Honest())
