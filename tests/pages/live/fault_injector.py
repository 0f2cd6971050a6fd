"""Raises at random in the functions of the pages, as a bug in any of them would; the same faults for the same seed."""

from __future__ import annotations

import inspect
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

import pytest

KINDS: Final = (
    RuntimeError,
    KeyError,
    ValueError,
    AssertionError,
    AttributeError,
    OSError,
    RecursionError,
    MemoryError,
)


WORDS: Final = "a fault that the test has injected"


class Injector:
    """Wraps functions; while it is on, some of their calls raise, before they do anything or after."""

    def __init__(self, seed: int, rate: float, monkeypatch: pytest.MonkeyPatch) -> None:
        self._chance, self._rate, self._patch = random.Random(seed), rate, monkeypatch
        self.is_on = False
        self.counts: Counter[str] = Counter()
        """How often each function has raised."""

        self.to_tell = 0
        """Those among them that are nothing but a fault: the system may refuse a file, and nobody
        is to hear of it."""

    @property
    def faults(self) -> int:
        return self.counts.total()

    def wrap(self, owner: Any, *names: str) -> None:
        """Functions of a module or a class; all of them that are its own if none is named."""
        for name in names or [
            key for key, value in vars(owner).items() if _is_plain(owner, key, value)
        ]:
            found = inspect.getattr_static(owner, name)
            if isinstance(found, property):
                assert found.fget is not None
                self._patch.setattr(
                    owner, name, property(self._wrapped(f"{owner.__name__}.{name}", found.fget))
                )
            else:
                self._patch.setattr(owner, name, self._wrapped(f"{owner.__name__}.{name}", found))

    def _wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @contextmanager
        def faulty() -> Iterator[None]:
            self._may_raise(f"{name} before")
            yield
            self._may_raise(f"{name} after")

        @wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            with faulty():
                return await function(*args, **kwargs)

        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with faulty():
                return function(*args, **kwargs)

        return awaited if inspect.iscoroutinefunction(function) else called

    def _may_raise(self, place: str) -> None:
        if self.is_on and self._chance.random() < self._rate / 2:
            self.counts[place] += 1
            kind = self._chance.choice(KINDS)
            self.to_tell += kind is not OSError
            raise kind(WORDS)


def _is_plain(owner: Any, name: str, value: Any) -> bool:
    is_dunder = name.startswith("__") and name.endswith("__")
    return (
        inspect.isfunction(value)
        and not is_dunder
        and value.__module__ == getattr(owner, "__module__", owner.__name__)
    )
