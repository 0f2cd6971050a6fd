"""Prints the names of its environment and plays well."""

import os

from protocol.client import Bot, Choice

print(*sorted(os.environ), flush=True)


class First(Bot):
    wants = ("legal",)
    receipts = None

    def play(self, turn):
        return Choice(0)


First().main()
