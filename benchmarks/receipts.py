"""What receipts cost: `python -m benchmarks.receipts RUN`, with the folder of a run that was played.

For every match record: how long the arena takes for the mark of a game, and what that is of a turn at 27 us, the cost
of a turn in `benchmarks/turns.py`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from arena.matches.facts import GameEnded, TurnPlayed
from arena.records.lines import match_lines
from arena.server.io.journal import Journal

TURN_US = 27


def main() -> None:
    """Write each record again and mark it after every game."""
    spent, games, turns = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(Path(sys.argv[1]).glob("matches/*.jsonl")):
            journal = Journal(Path(folder) / path.name)
            for _, fact in match_lines.read(path.name, path.read_bytes()):
                journal.write(fact)
                journal.commit()
                turns += isinstance(fact, TurnPlayed)
                if isinstance(fact, GameEnded):
                    began = time.perf_counter()
                    journal.mark()
                    spent += time.perf_counter() - began
                    games += 1
            journal.close()
    share = spent * 1e6 / turns / TURN_US
    print(f"{games} games of {turns / games:.0f} turns: {spent / games * 1e6:.0f} us a game, {share:.2%} of a turn")


if __name__ == "__main__":
    main()
