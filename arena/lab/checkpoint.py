"""A training as a file, so that it can be killed at any moment and go on as if nothing had happened."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np

from arena.analysis.arrays import Array
from arena.analysis.outcomes import Way
from arena.analysis.sides import STATE_BYTES
from arena.games.tables.position import from_state, swapped
from arena.lab.plan import Plan, PlanError
from arena.lab.self_play import Board, Played
from arena.lab.training import Round, Training

FORMAT: Final = 1


def write_checkpoint(training: Training, path: Path) -> None:
    """Write everything that the next round depends on; the file is whole at every moment."""
    boards = [board.states for table in training.tables for board in table.boards]
    arrays: dict[str, Array] = {
        "about": _bytes(json.dumps([FORMAT, training.plan.text(), astuple(training.done)]).encode()),
        "kept": _packed([game.states for game in training.kept]),
        "kept_lengths": np.array([len(game.states) for game in training.kept], dtype=np.int64),
        "kept_ways": np.array([training.evaluator.ways.index(game.way) for game in training.kept], dtype=np.int64),
        "boards": _packed(boards),
        "board_lengths": np.array([len(states) for states in boards], dtype=np.int64),
    }
    for name, values in _learnt(training).items():
        arrays |= {f"{name}{number}": array for number, array in enumerate(values)}
    arrays["steps"] = np.array([adam.steps for adam in training.adams], dtype=np.int64)
    scratch = path.with_name(path.name + ".new")
    with scratch.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # its stub takes the names for other arguments
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)


def read_checkpoint(plan: Plan, path: Path) -> Training:
    """The training as it was; raises `PlanError` if the file is damaged or of another plan or version."""
    training = Training(plan)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            number, text, done = json.loads(arrays["about"].tobytes())
            if number != FORMAT or text != plan.text():
                raise PlanError(f"{path} is of another plan or version; give another --out")
            for name, values in _learnt(training).items():
                for place, array in enumerate(values):
                    array[:] = arrays[f"{name}{place}"]
            for adam, steps in zip(training.adams, arrays["steps"].tolist(), strict=True):
                adam.steps = steps
            ways: list[Way] = [training.evaluator.ways[way] for way in arrays["kept_ways"].tolist()]
            kept = _unpacked(arrays["kept"], arrays["kept_lengths"])
            training.kept = [Played(states, way) for states, way in zip(kept, ways, strict=True)]
            boards = iter(_unpacked(arrays["boards"], arrays["board_lengths"]))
    except (OSError, ValueError, KeyError, TypeError, BadZipFile) as error:
        raise PlanError(f"{path} is damaged ({error}); remove it and begin again, or give another --out") from None
    training.done = Round(*done)
    for table in training.tables:
        for place, _ in enumerate(table.boards):
            states = next(boards)
            last = from_state(swapped(states[-1]), table.game.rules.layout) if states else table.game.start()
            table.boards[place] = Board(last, states)
    return training


def _learnt(training: Training) -> dict[str, list[Any]]:
    """What is learnt, by name: weights and the state of the optimisers."""
    networks = (training.evaluator.contact, training.evaluator.race)
    return {
        "weights": [array for network in networks for array in network.arrays],
        "means": [array for adam in training.adams for array in adam.means],
        "squares": [array for adam in training.adams for array in adam.squares],
    }


def _bytes(content: bytes) -> Array:
    return np.frombuffer(content, dtype=np.uint8)


def _packed(games: Sequence[Sequence[int]]) -> Array:
    return _bytes(b"".join(state.to_bytes(STATE_BYTES, "little") for states in games for state in states))


def _unpacked(packed: Array, lengths: Array) -> list[list[int]]:
    content, found, begin = packed.tobytes(), [], 0
    for length in lengths.tolist():
        end = begin + length * STATE_BYTES
        places = range(begin, end, STATE_BYTES)
        found.append([int.from_bytes(content[place : place + STATE_BYTES], "little") for place in places])
        begin = end
    return found
