"""Prints the names of its environment and plays well."""

import os

from common import play
from honest import Honest

print(*sorted(os.environ), flush=True)
play(Honest())
