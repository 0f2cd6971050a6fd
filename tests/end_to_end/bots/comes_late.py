"""Takes three seconds to start, then plays the first legal turn of every roll."""

import time

from common import play
from honest import Honest

time.sleep(3)
play(Honest())
