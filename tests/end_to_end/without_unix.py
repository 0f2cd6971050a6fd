"""Runs a Python program as on a system without the Unix parts of Python, such as Windows: `PROGRAM [ARGUMENT]...`.

The program `arena` is the arena itself.
"""

import os
import runpy
import signal
import socket
import sys
from pathlib import Path

for name in ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None  # type: ignore[assignment] # an import raises ModuleNotFoundError
parts = {
    socket: ("AF_UNIX", "SO_PEERCRED", "SO_REUSEPORT", "MSG_DONTWAIT", "TCP_KEEPCNT"),
    os: ("fork", "getpgid", "getuid", "geteuid", "kill", "killpg", "register_at_fork", "setsid"),
    signal: ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGUSR1", "pthread_sigmask"),
}
if sys.argv[1] == "arena":
    parts = {}  # trio, which Windows has too, looks at what system this is, not at what is there
for module, names in parts.items():
    for each in names:
        if hasattr(module, each):
            delattr(module, each)

sys.argv = sys.argv[1:]
sys.path.insert(0, str(Path(sys.argv[0]).parent))
if sys.argv[0] == "arena":
    runpy.run_module("arena", run_name="__main__", alter_sys=True)
else:
    runpy.run_path(sys.argv[0], run_name="__main__")
