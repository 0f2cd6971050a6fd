"""How long the operator's log of a venue keeps its lines."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.server.series.operator_days import KEPT, remove_lines_before
from tests.fixtures.operator import Operator

DAY_MS = 86_400_000


def test_lines_with_addresses_are_removed_after_fourteen_days(tmp_path: Path) -> None:
    operator = Operator(tmp_path)
    began_ms = operator.now_ms
    with operator.log() as log:
        for day in range(20):
            operator.now_ms = began_ms + day * DAY_MS
            log.warning("connection_refused", reason="x", place=f"198.51.100.{day}")
        with operator.path.open("a") as file:
            file.write('{"timestamp": "20\n')  # nobody knows how old that is
        now = datetime.fromtimestamp(operator.now_ms / 1000, UTC)
        remove_lines_before(operator.path, now - KEPT)
        places = [line["place"] for line in operator.written()]
        assert places == [f"198.51.100.{day}" for day in range(5, 20)]
        log.info("pairing_goes_on")  # to the new file
    assert operator.written()[-1]["event"] == "pairing_goes_on"
    assert operator.path.stat().st_mode & 0o777 == 0o600


def test_a_log_without_old_lines_stays_as_it_is(tmp_path: Path) -> None:
    operator = Operator(tmp_path)
    remove_lines_before(operator.path, datetime.now(UTC))
    assert not operator.path.exists()
    with operator.log() as log:
        log.info("pairing_goes_on")
    before = operator.path.stat()
    at = datetime.fromtimestamp(operator.now_ms / 1000, UTC)
    remove_lines_before(operator.path, at - timedelta(seconds=1))
    after = operator.path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
