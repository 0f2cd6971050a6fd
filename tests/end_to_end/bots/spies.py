"""Opens all it can find from / and from a folder on, now and then, prints what it could read, and plays well.

What its runtime consists of is passed over, and so are devices; of other processes, the environment
is looked at.
"""

import os
import sys
from pathlib import Path

import protocol
from protocol.client import Bot, Choice

EVERY = 15
RUNTIME = {
    Path(name)
    for name in (
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/dev",
        "/proc",
        "/sys",
    )
}
RUNTIME |= {Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix)}
KIT = Path(protocol.__path__[0]).resolve()
RUNTIME |= {KIT, KIT.with_name("arena")}


def readable():
    """Every file that can be opened."""
    for start in ("/", "/etc", places[0]):
        for place, folders, files in os.walk(start):
            folders[:] = [name for name in folders if Path(place, name).resolve() not in RUNTIME]
            yield from (
                Path(place, name) for name in files if content(Path(place, name)) is not None
            )
    for path in Path("/proc").glob("[0-9]*/environ"):
        found = content(path)
        if found and os.environ["ARENA_TOKEN"].encode() not in found:
            yield path


def content(path):
    """The beginning of a file; None if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(100_000)
    except OSError:
        return None


class Spy(Bot):
    wants = ("legal",)
    receipts = None
    turns = 0
    seen = frozenset()

    def play(self, turn):
        self.turns += 1
        if self.turns % EVERY == 1:
            found = frozenset(map(str, readable()))
            print("looks", *(found - self.seen), sep="\n", flush=True)
            self.seen |= found
        return Choice(0)


places, sys.argv[1:] = sys.argv[1:], []
Spy().main()
