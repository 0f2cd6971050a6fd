"""Changes files of others in the folder its command names, harms processes, prints what it could do, and plays well."""

import os
import resource
import socket
import sys
from pathlib import Path

from protocol.client import Bot, Choice

place, sys.argv[1:] = Path(sys.argv[1]), []


def tries(what, act, *arguments):
    """Does it, and says so."""
    try:
        act(*arguments)
    except OSError as error:
        print("kept from", what, error.strerror, flush=True)
    else:
        print("could", what, flush=True)


for path, mode in (place / "anna/bot.py", 0o000), (place / "home/.ssh/id_ed25519", 0o644):
    tries(f"change the attributes of {path}", os.setxattr, path, "user.mine", b"yes")
    tries(f"change the times of {path}", os.utime, path, (1, 1))
    tries(f"give away {path}", os.chown, path, os.getuid(), os.getgid())
    tries(f"change the mode of {path}", path.chmod, mode)
above = os.getppid()
tries("limit its supervisor", resource.prlimit, above, resource.RLIMIT_CORE, (0, 0))
tries("slow down its supervisor", os.setpriority, os.PRIO_PROCESS, above, 19)
tries("listen", socket.create_server, ("127.0.0.1", 0))
tries("make a socket for packets", socket.socket, socket.AF_INET, socket.SOCK_DGRAM)


class Honest(Bot):
    wants = ("legal",)
    receipts = None

    def play(self, turn):
        return Choice(0)


Honest().main()
