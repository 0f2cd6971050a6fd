"""The unit of docs/opening-a-venue.md, as systemd reads it."""

import configparser
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures.doc_pages import ROOT, blocks

PAGE = ROOT / "docs" / "opening-a-venue.md"


def unit() -> str:
    [text] = [block.text for block in blocks(PAGE) if block.language == "ini"]
    return text


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None,
    reason="systemd-analyze is not installed (Debian: apt install systemd)",
)
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    file = tmp_path / "arena.service"
    file.write_text(unit().replace("/opt/arena/bin/arena", sys.executable))
    words = ["systemd-analyze", "verify", "--man=no", str(file)]
    verified = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    told = [line for line in verified.stderr.splitlines() if "arena.service" in line]
    assert (verified.returncode, told) == (0, [])


def test_the_unit_leaves_out_what_breaks_the_sandbox_of_bots() -> None:
    service = configparser.ConfigParser(interpolation=None)
    service.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    service.read_string(unit())
    fields = service["Service"]
    assert "ProtectKernelTunables" not in fields
    assert "MemoryDenyWriteExecute" not in fields
    assert {"user", "mnt", "pid", "net", "ipc", "uts"} <= set(fields["RestrictNamespaces"].split())
    assert fields["KillMode"] == "mixed"  # the parent ends the others in good order
