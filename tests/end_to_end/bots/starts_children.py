"""Starts 200 children in its first turn, each of which would live for ten minutes, and would then play on."""

import os
import time

from common import play

from protocol.client import Bot, Choice


class Crowd(Bot):
    wants = ("legal",)

    def play(self, turn):
        for _ in range(200):
            if not os.fork():
                time.sleep(600)
                os._exit(0)
        time.sleep(600)
        return Choice(0)


play(Crowd())
