"""Errors of services. The caller shows them and decides what follows."""

from collections.abc import Iterable

from arena.words import Said, SaidError, say


class ServiceError(SaidError):
    """A service cannot do its work: what was found, what was expected, what to do."""

    def __init__(
        self,
        sentence: Said,
        problems: Iterable[Said | str] = (),
        *,
        below: Iterable[Said] = (),
    ) -> None:
        """Set the problems, shown one by one, and the remarks `below` all of them."""
        super().__init__(sentence)
        self.problems = tuple(problems)
        self.below = tuple(below)

    def __str__(self) -> str:
        """Return all of it, in English."""
        problems = [f"  {say(problem)}" for problem in self.problems]
        return "\n".join([say(self.said), *problems, *map(say, self.below)])


class RefusedError(ServiceError):
    """A service refuses: the caller has to ask for something else."""


class FailedError(ServiceError):
    """The work failed, or its records are damaged, though the request was valid."""


class InterruptedWorkError(ServiceError):
    """The work was stopped from outside, as by Ctrl-C."""
