"""Plays well, and says something on both its streams when it is told goodbye."""

import sys
import time

from common import play
from honest import Honest

play(Honest())
time.sleep(0.2)
sys.stdout.write("my last words\n")
sys.stderr.write("and a sigh\n")
