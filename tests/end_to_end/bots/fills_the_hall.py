"""Logs in and plays well; ten children, each in a session of its own, open as many connections as they are let."""

import os
import socket
import time

from honest import Honest

from protocol.client import connect, play_over

CHILDREN = 10
CONNECTIONS = 34


def fill():
    held = []
    for _ in range(CONNECTIONS):
        held.append(socket.socket(socket.AF_UNIX))
        held[-1].connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
    time.sleep(600)


mine = connect(os.environ["ARENA_ADDRESS"])
for _ in range(CHILDREN):
    if os.fork() == 0:
        os.setsid()
        fill()
play_over(mine, Honest(), os.environ["ARENA_NAME"], os.environ["ARENA_TOKEN"])
