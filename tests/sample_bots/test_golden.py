"""Every sample bot answers the golden conversations."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.protocol.golden import NAMES, Golden
from tests.sample_bots.process import started, unix_door
from tests.sample_bots.workshop import Sample


@pytest.mark.slow
def test_the_golden_conversations_are_answered(sample: Sample, tmp_path: Path) -> None:
    broken_off = {}
    for name in NAMES:
        golden = Golden(name)
        (tmp_path / name).mkdir()
        with unix_door(tmp_path / name) as door, started(sample, door.address) as bot:

            @contextmanager
            def connect() -> Iterator[socket.socket]:
                with door.open() as arena:
                    yield arena.stream

            broken_off[name] = golden.play(connect)
            if not broken_off[name]:
                code, complaint = bot.end()
                assert code == (1 if name == "refused" else 0), f"{name}: {complaint}"
    assert {name for name, reason in broken_off.items() if reason} <= {"call", "window"}
