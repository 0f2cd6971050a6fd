"""A bot without a fault: plays the first legal turn of every roll, unless an option says otherwise.

Options of the kit, such as `--address`, may follow.
"""

import argparse
import json
import os
import sys
import time
import zlib
from pathlib import Path

from protocol.client import Bot, Choice, dice

PARSER = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
PARSER.add_argument("--think-ms", type=int, default=0, help="take so long for every turn")
PARSER.add_argument(
    "--steady", action="store_true", help="answer every position differently, the same one alike"
)
PARSER.add_argument("--no-entropy", action="store_true", help="give nothing to the dice")
PARSER.add_argument(
    "--last-words", action="store_true", help="say something on both streams after goodbye"
)
PARSER.add_argument("--mark", help="a word to find its processes by")
OPTIONS, REST = PARSER.parse_known_args()


class Honest(Bot):
    version = "1.0"
    fingerprint = "honest build"
    receipts = None
    wants = ("legal",)

    def play(self, turn):
        time.sleep(OPTIONS.think_ms / 1000)
        return Choice(
            zlib.crc32(json.dumps(turn.position).encode()) % len(turn.legal)
            if OPTIONS.steady
            else 0
        )


home = Path(
    os.environ["HOME"]
)  # all that a bot without a sandbox gets of the environment of a test, but PATH and LANG
if home.name == "pids":  # the test wants to know how many there were
    (home / str(os.getpid())).touch()
if OPTIONS.no_entropy:
    dice._ENTROPY_BYTES = 0
sys.argv[1:] = REST
try:
    Honest().main()
except SystemExit:
    if OPTIONS.last_words:
        time.sleep(0.2)
        sys.stdout.write("my last words\n")
        sys.stderr.write("and a sigh\n")
    raise
