"""Plays well; the fingerprint of its build stands in a file."""

import sys
from pathlib import Path

from common import play
from honest import Honest


class Built(Honest):
    fingerprint = Path(sys.argv[1]).read_text()


play(Built())
