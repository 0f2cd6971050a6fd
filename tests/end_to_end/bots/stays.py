"""Plays well, ignores goodbye and SIGTERM, and so does a child of it that nobody knows of."""

import os
import signal
import time

from common import leave_pid, play
from honest import Honest

signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child:
    leave_pid(child)
    play(Honest())
time.sleep(600)
