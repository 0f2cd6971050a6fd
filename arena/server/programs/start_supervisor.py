"""Starts a supervisor: Python keeps no compiled form of the file it is told to run, so that this one is short."""

from __future__ import annotations

import sys

if __name__ == "__main__":  # run by its path: then nothing tells where the package is
    sys.path.append(__file__.rpartition("/arena/server/")[0])
    from arena.server.programs.supervisor import main

    main(sys.argv[1:])
