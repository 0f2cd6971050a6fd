"""The bar of a service at work, on a terminal."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar

from arena.cli.shared.language import translate
from arena.cli.shared.output import messages
from arena.services.progress import Advance, Tell
from arena.words import Said


@contextmanager
def counting_bar(words: str) -> Iterator[Tell]:
    """Draw the progress that `tell` reports; it is gone at the end."""
    console = messages()
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        *times,
    )
    with Bar(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task: TaskID | None = None

        def tell(progress: Advance) -> None:
            nonlocal task
            if task is None:
                task = bar.add_task(words, total=progress.total, completed=progress.over)
            bar.update(task, completed=progress.over)

        yield tell


def bar_of_analysis() -> AbstractContextManager[Tell]:
    """Draw how many matches are analysed."""
    return counting_bar(translate(Said("analysing.matches")))
