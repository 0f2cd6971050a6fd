"""The watcher of a folder of runs: which there are, and those that have viewers.

One task looks for runs and reads what has changed into the index, in a thread, and another reads
match records for it. A run is followed (watching.py) only while it has viewers and the index
does not have all of it.
"""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import trio

from arena.pages.contents import Overview, RunsPage
from arena.pages.following import FOREVER_MS
from arena.pages.live.index_file import opened_index
from arena.pages.live.kept_run import KeptRun, NotKeptError
from arena.pages.live.run_reader import RunReader
from arena.pages.live.runs_folder import FoundRun, find_runs, stamp_of
from arena.pages.live.runs_index import IndexedRun, RunsIndex
from arena.pages.live.watching import LEARN_AT_ONCE, Watcher, learnt_of_all
from arena.pages.serving.event_stream import Channel, Write, event, wait_for
from arena.pages.serving.faults import FAILED, survived, tell_fault

LOOK_SECONDS: Final = 1.0
"""Time between looks at the folder while there are viewers."""
IDLE_SECONDS: Final = 5.0
"""The same without viewers."""
REST: Final = 9
"""After a look, or after a run was read, this number of times its own time passes before the
next."""
READ_SECONDS: Final = 10.0
"""The longest time for which runs are read before the folder is looked at again."""
TELL_SECONDS: Final = 0.5
"""Time between two messages for viewers of the list."""
AGAIN_SECONDS: Final = 60.0
"""The time before a run is read again after a fault of ours."""
KEEP_SECONDS: Final = 60.0
"""A run without viewers is followed for this time."""
MOST_GROWING: Final = 16
"""Runs that are read on where their record ended; others are read from the start."""
NEWS_KEPT: Final = 8


class OpenRun:
    """A run that has viewers, or had some of late."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.watcher: Watcher | None = None
        """None while the index is enough, and until the record was read for the first time."""
        self.ready = trio.Event()
        """Set once there is a watcher."""
        self.changed = trio.Event()
        """Set once the index is no longer enough."""
        self.scope = trio.CancelScope()
        self.viewers = 0
        self.wanted_at = time.monotonic()
        self.is_following = False

    @property
    def is_finished(self) -> bool:
        """True if it is followed, and was over when it was looked at last."""
        if self.watcher is None or self.watcher.run.state is None:
            return False
        return self.watcher.run.state.is_finished

    @property
    def is_wanted(self) -> bool:
        """True while it has viewers, and for a while afterwards."""
        return self.viewers > 0 or time.monotonic() - self.wanted_at < KEEP_SECONDS


class Runs:
    """The runs in a folder."""

    def __init__(self, folder: Path, delay_ms: int = 0) -> None:
        self.folder = folder
        self.delay_ms = delay_ms
        self.index = RunsIndex(opened_index(folder))
        self.entries: dict[str, IndexedRun] = self.index.entries()
        self._remakes = self.index.file.remakes
        self.folders: dict[str, FoundRun] = {}
        self.open: dict[str, OpenRun] = {}
        self.news = Channel(self._news, NEWS_KEPT)
        """Tells viewers of the list that it has changed."""
        self.has_looked = trio.Event()
        self.changes = 0
        """Counts what viewers of the list were told, or could have been told."""
        self._left_out = 0
        self._unread = 0
        self._look_seconds = 0.0
        self._told_at = 0.0
        self._readers: dict[str, RunReader] = {}
        """Readers of runs that are being played."""
        self._due_at: dict[str, float] = {}
        """The time before which a run is not read again."""
        self._nursery: trio.Nursery | None = None

    @property
    def until_ms(self) -> int:
        """The time after which lines are held back."""
        if not self.delay_ms:
            return FOREVER_MS
        return int(time.time() * 1000) - self.delay_ms

    def close(self) -> None:
        """Close the index."""
        self.index.file.close()

    async def follow(self) -> None:
        """Look at the folder for ever."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            nursery.start_soon(self._learn_for_ever)
            while True:
                with survived("the folder of runs is looked at"):
                    await self.look()
                seconds = 0.0
                if not self._unread:
                    seconds = LOOK_SECONDS if self.news.viewers else IDLE_SECONDS
                    seconds = max(seconds, REST * self._look_seconds)
                await trio.sleep(seconds)

    # The list

    def page(self, find: str, start: int, most: int) -> RunsPage:
        """Return a part of the list."""
        rows, total = self.index.listed(find, start, most)
        return RunsPage(
            rows=rows,
            found=total,
            unread=self._unread,
            is_looking=not self.has_looked.is_set(),
            left_out=self._left_out,
            delay_ms=self.delay_ms,
        )

    def _news(self) -> bytes:
        return event("changed", self._unread)

    def tell_change(self) -> None:
        """Tell viewers that something beside the runs has changed."""
        self.changes += 1
        self._tell(is_last=True)

    def _tell(self, *, is_last: bool) -> None:
        """Tell viewers of the list that it has changed, not too often."""
        now = time.monotonic()
        if is_last or now - self._told_at >= TELL_SECONDS:
            self._told_at = now
            self.news.publish("", self._news())
            self.news.wake()

    async def look(self) -> None:
        """Look for runs; read those that are new or have changed, and forget those that went."""
        started = time.monotonic()
        look = await trio.to_thread.run_sync(find_runs, self.folder)
        self._look_seconds = time.monotonic() - started
        self._left_out = look.left_out
        self.folders = look.runs
        if self._remakes != self.index.file.remakes:
            self._remakes = self.index.file.remakes
            self.entries = {}
            self._readers.clear()
            self._due_at.clear()
        has_changed = await self._forget_gone()
        due = self._due_runs()
        self._unread = len(due)
        if not self.has_looked.is_set():
            self.has_looked.set()
            has_changed = True
        if has_changed:
            self.changes += 1
        for run in due:
            # each by itself: a thread that is busy for long delays the answers
            await trio.to_thread.run_sync(self._read, run)
            self.changes += 1
            self._wake_viewers(run)
            self._unread -= 1
            self._tell(is_last=False)
            if time.monotonic() - started > READ_SECONDS:
                break  # and look again, for what has come by now
        if due:
            await trio.to_thread.run_sync(self.index.file.checkpoint)
        if due or has_changed:
            self._tell(is_last=True)
        self._end_unwanted()

    async def _forget_gone(self) -> bool:
        gone = self.entries.keys() - self.folders.keys()
        if not gone:
            return False
        await trio.to_thread.run_sync(self.index.forget, gone, self.entries)
        for folder in gone:
            del self.entries[folder]
            self._readers.pop(folder, None)
            self._due_at.pop(folder, None)
            if folder in self.open:
                self._end(self.open[folder])
        return True

    def _due_runs(self) -> list[FoundRun]:
        """Return the runs that the index does not have as they are now, latest first."""
        until_ms = self.until_ms
        now = time.monotonic()
        due = []
        for folder, run in self.folders.items():
            entry = self.entries.get(folder)
            is_valid = entry is not None and entry.is_valid(run.stamp, until_ms)
            if not is_valid and self._due_at.get(folder, 0.0) <= now:
                due.append(run)
        due.sort(key=lambda run: run.changed_ms, reverse=True)
        return due

    def _read(self, run: FoundRun) -> None:
        """Read a run into the index, in a thread. A fault of ours ends here, and is told."""
        started = time.monotonic()
        folder = run.folder
        entry = self.entries.get(folder)
        reader = self._readers.pop(folder, None)
        goes_on = reader is not None
        if reader is None:
            reader = RunReader(self.folder / folder)
        try:
            self.entries[folder] = self.index.take(
                run, reader, entry, self.until_ms, goes_on=goes_on
            )
        except Exception as error:  # noqa: BLE001 - it is told
            tell_fault(f"{folder!r} is read", error)
            self._due_at[folder] = time.monotonic() + AGAIN_SECONDS
            self.entries[folder] = self.index.refuse(run, FAILED, entry)
            return
        if reader.is_growing:
            self._readers[folder] = reader
            while len(self._readers) > MOST_GROWING:
                del self._readers[next(iter(self._readers))]
        now = time.monotonic()
        self._due_at[folder] = now + REST * (now - started)

    async def _learn_for_ever(self) -> None:
        """Read match records for the index, a few at a time, in a thread of its own."""
        while True:
            has_more = False
            with survived("match records are read for the index"):
                has_more = await trio.to_thread.run_sync(self._learn)
            await trio.sleep(0.05 if has_more else LOOK_SECONDS)

    def _learn(self) -> bool:
        unlearnt = self.index.unlearnt(LEARN_AT_ONCE)
        if unlearnt is None:
            return False
        learnt = learnt_of_all(self.folder / unlearnt.folder, unlearnt.matches)
        self.index.learn(unlearnt.run, learnt)
        return True

    # Runs with viewers

    def folder_in(self, path: str) -> str | None:
        """Return the run that an address below `runs/` begins with; no run lies in another."""
        folder = ""
        for part in path.split("/"):
            folder = f"{folder}/{part}" if folder else part
            if folder in self.folders or folder in self.entries:
                return folder
        return None

    @asynccontextmanager
    async def looking_at(self, folder: str) -> AsyncIterator[OpenRun]:
        """Count a viewer of a run for as long as the block goes on."""
        run = self.open.get(folder)
        if run is None:
            run = self.open[folder] = OpenRun(folder)
        run.viewers += 1
        try:
            yield run
        finally:
            run.viewers -= 1
            run.wanted_at = time.monotonic()

    def kept(self, folder: str) -> KeptRun | None:
        """Return what the index has of a run, if that is all that may be known of it now."""
        entry = self.entries.get(folder)
        until_ms = self.until_ms
        place = self.folder / folder
        if entry is None or not entry.is_valid(stamp_of(place), until_ms):
            return None
        return KeptRun(place, self.index, entry.run, delay_ms=self.delay_ms, until_ms=until_ms)

    async def followed(self, run: OpenRun) -> Watcher | None:
        """Return the watcher of a run once it has read the record; None if the run went away."""
        self._begin_to_follow(run)
        await run.ready.wait()
        return run.watcher

    def _begin_to_follow(self, run: OpenRun) -> None:
        if run.is_following:
            return
        assert self._nursery is not None, "the folder is followed"
        run.is_following = True
        self._nursery.start_soon(self._follow_run, run)

    async def _follow_run(self, run: OpenRun) -> None:
        watcher = Watcher(self.folder / run.folder, self.delay_ms)
        try:
            with run.scope:
                await trio.to_thread.run_sync(watcher.look)
                run.watcher = watcher
                run.ready.set()
                await watcher.follow()
        finally:
            run.watcher = None
            run.ready.set()
            watcher.close()

    async def feed(self, run: OpenRun, write: Write) -> None:
        """Write the changes of a run for one viewer: from the index first, if it has them."""
        overview = await self._kept_overview(run)
        if overview is not None:
            await write(event("snapshot", overview))
            if overview.run.is_finished:
                await wait_for(run.changed, write)
        if run.scope.cancel_called:
            return
        self._begin_to_follow(run)
        await wait_for(run.ready, write)
        if run.watcher is not None:
            await run.watcher.overview.feed(write)

    async def _kept_overview(self, run: OpenRun) -> Overview | None:
        """Return the first page of a run that is not followed, if the index has it."""
        kept = self.kept(run.folder)
        if kept is None or run.ready.is_set():
            return None
        try:
            return await kept.overview()
        except NotKeptError:
            return None

    def _wake_viewers(self, run: FoundRun) -> None:
        """Tell the viewers of a finished run that it goes on after all."""
        if run.folder in self.open:
            self.open[run.folder].changed.set()

    def _end_unwanted(self) -> None:
        for run in list(self.open.values()):
            if not run.is_wanted:
                self._end(run)

    def _end(self, run: OpenRun) -> None:
        """Follow a run no longer; whoever looks at it next opens it again."""
        del self.open[run.folder]
        run.scope.cancel()
        run.changed.set()
