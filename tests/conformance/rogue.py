"""A bot that does one thing wrong, named by its first argument: `python rogue.py junk`."""

import os
import socket
import struct
import sys
import time

import msgpack

fault = sys.argv[1]
if fault == "crash":
    sys.exit("no file weights.bin; the token is " + os.environ["ARENA_TOKEN"])
stream = socket.socket(socket.AF_UNIX)
stream.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
incoming = stream.makefile("rb")
turns, hoard = 0, []


def write(data):
    stream.sendall(data)


def send(**message):
    body = msgpack.packb(message)
    write(struct.pack(">I", len(body)) + body)


if fault == "junk":
    write(b"hello, arena\n")
if fault == "colourful":
    sys.exit("\x1b[31mred\x07" + "!" * 10_000)
if fault == "junk":
    time.sleep(60)
while head := incoming.read(4):
    said = msgpack.unpackb(incoming.read(*struct.unpack(">I", head)))
    about = {key: said[key] for key in ("game", "turn") if key in said}
    if said["type"] == "hello":
        name, token = os.environ["ARENA_NAME"], os.environ["ARENA_TOKEN"]
        send(type="login", protocol=1, name=name, token=token, wants=["legal"])
    elif said["type"] == "match_start":
        if fault == "choosy":
            sys.exit(f"this bot does not play {said['ruleset']['name']}")
        send(type="match_ready", match=said["match"])
    elif said["type"] == "turn":
        turns += 1
        if turns >= 7 and fault == "crashes later":
            sys.exit("index out of range")
        if turns >= 7 and fault == "hangs later":
            time.sleep(60)
        if turns >= 7 and fault == "leaks later":
            hoard.append(b"x" * (64 << 20))
        if fault == "slow":
            time.sleep(60)
        if fault == "ponders":
            time.sleep(0.5)
        answer = {"moves": [[1, 7]]} if fault == "illegal" else {"choice": 0}
        send(type="play", info=None, **about, **answer)
    elif said["type"] == "rejected" and said["left"] >= 0:
        send(type="play", choice=0, **about)
    elif said["type"] == "ping":
        send(type="pong", data=said.get("data", 0))
    elif said["type"] == "bye":
        if fault == "talkative":
            send(type="bye")
        if fault == "lingering":
            stream.close()
            time.sleep(60)
        sys.exit(3 if fault == "status" else 0)
