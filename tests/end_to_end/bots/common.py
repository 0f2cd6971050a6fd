"""What the misbehaving bots share: leaving their process ids behind, and a login by hand."""

import os
import socket
import struct
import sys
from pathlib import Path

import msgpack

from protocol.client import Bot, connect, run


def leave_pid(pid=None):
    """Tell the test that this process was started, if the test wants to know."""
    home = Path(os.environ["HOME"])  # all that a bot that is not contained gets of the environment of a test, but PATH
    if home.name == "pids":
        (home / str(pid or os.getpid())).touch()


def play(bot: Bot):
    """Play as the environment says; the command line is left to the bot."""
    leave_pid()
    return run(bot, os.environ["ARENA_ADDRESS"], os.environ["ARENA_NAME"], os.environ["ARENA_TOKEN"])


def argument(default):
    """The number on the command line."""
    return int(sys.argv[1]) if sys.argv[1:] and sys.argv[1].isdecimal() else default


def send(stream: socket.socket, **message):
    body = msgpack.packb(message)
    stream.sendall(struct.pack(">I", len(body)) + body)


def messages(stream: socket.socket):
    """Every message of the arena until it hangs up."""
    incoming = stream.makefile("rb")
    while len(head := incoming.read(4)) == 4:
        yield msgpack.unpackb(incoming.read(*struct.unpack(">I", head)))


def logged_in():
    """A connection on which hello and login are done, and its messages from welcome on."""
    leave_pid()
    stream = connect(os.environ["ARENA_ADDRESS"])
    incoming = messages(stream)
    next(incoming)
    send(stream, type="login", protocol=1, name=os.environ["ARENA_NAME"], token=os.environ["ARENA_TOKEN"])
    return stream, incoming


def until_first_turn():
    """A connection in its first game, with a turn to answer, and its messages from then on."""
    stream, incoming = logged_in()
    for message in incoming:
        if message["type"] == "match_start":
            send(stream, type="match_ready", match=message["match"])
        elif message["type"] == "turn":
            return stream, incoming, message
    sys.exit(0)
