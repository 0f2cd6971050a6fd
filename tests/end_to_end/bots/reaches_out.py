"""Tries what a sandbox forbids, prints what it could do, and plays well."""

import os
import socket
import sys
import tempfile
from pathlib import Path

from protocol.client import Bot, Choice

port, run_folder, folder = sys.argv[1:4]


def can(act):
    """Whether something is possible."""
    try:
        return bool(act())
    except OSError:
        return False


def write_temporary():
    """Leaves nothing behind, since without a sandbox it is the folder of everybody."""
    with tempfile.TemporaryFile(dir="/tmp") as file:
        return file.write(b"x")


print("network", can(lambda: socket.create_connection(("127.0.0.1", int(port)), 1)))
print("secrets", can(lambda: Path(run_folder, "secrets.json").read_bytes()))
print("write", can(lambda: Path(folder, f"written-{os.getpid()}").write_text("x")))
print("others", can(lambda: any(int(path.name) > 100 for path in Path("/proc").glob("[0-9]*"))))
print("temporary", can(write_temporary), flush=True)


class Honest(Bot):
    wants = ("legal",)

    def play(self, turn):
        return Choice(0)


sys.argv[1:] = []
Honest().main()
