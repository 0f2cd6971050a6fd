"""Prints 10 MB to standard error before every match, and plays well."""

import sys

from common import play
from honest import Honest


class Noisy(Honest):
    def match_start(self, match):
        for _ in range(160):
            sys.stderr.write("x" * 65_535 + "\n")


if __name__ == "__main__":
    play(Noisy())
