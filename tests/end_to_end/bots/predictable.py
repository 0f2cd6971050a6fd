"""Answers the same position always in the same way, after some milliseconds, and gives nothing to the dice."""

import sys
import time

from common import argument, leave_pid, play
from steady import Steady

from protocol.client import session

session._ENTROPY_BYTES = 0


class Predictable(Steady):
    def play(self, turn):
        time.sleep(argument(2) / 1000)
        return super().play(turn)


if "--address" in sys.argv:
    leave_pid()
    Predictable().main()
else:
    play(Predictable())
