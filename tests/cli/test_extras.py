"""The command that installs what an extra needs works wherever the arena was installed from."""

import importlib.util
import shlex
import subprocess
import sys

import pytest

from arena import extras


def test_the_hint_names_the_libraries_and_not_a_package_that_no_index_has() -> None:
    words = shlex.split(extras.install_command("parquet"))
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    assert [word.partition(">=")[0] for word in words[4:]] == ["duckdb"]
    assert "brade-arena" not in extras.install_command("cluster")


def test_pip_takes_the_command() -> None:
    """The library is there already, so that nothing is downloaded."""
    pytest.importorskip("duckdb")
    words = [*shlex.split(extras.install_command("parquet")), "--dry-run", "--no-index", "--no-deps"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_an_environment_without_pip_is_told_of_uv(monkeypatch) -> None:
    """As `uv tool install` and `uv venv` make it."""
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "pip" else find_spec(name))
    assert extras.install_command("parquet") == f"uv pip install --python {shlex.quote(sys.executable)} 'duckdb>=1.1'"
