"""Connects, and never says who it is."""

import os

from common import leave_pid, messages

from protocol.client import connect

leave_pid()
for _ in messages(connect(os.environ["ARENA_ADDRESS"])):
    pass
