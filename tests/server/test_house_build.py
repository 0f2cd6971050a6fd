"""The fingerprint of a house bot changes with its files, and with nothing else."""

from pathlib import Path

from arena.server.series.house_build import house_fingerprint
from arena.server.setup.bot_section import BotSection


def test_a_changed_file_is_another_build(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.py").write_text("import other")
    (folder / "other.py").write_text("1")
    (tmp_path / "venue.jsonl").write_text("grows")
    bot = BotSection(name="a", command="python mine/bot.py --depth 2")
    first = house_fingerprint(bot, tmp_path)
    assert first.startswith("sha256:")
    (tmp_path / "venue.jsonl").write_text("has grown")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "other.pyc").write_text("x")
    assert house_fingerprint(bot, tmp_path) == first
    (folder / "other.py").write_text("2")
    second = house_fingerprint(bot, tmp_path)
    (folder / "other.py").write_text("1")
    deeper = BotSection(name="a", command="python mine/bot.py --depth 3")
    assert len({first, second, house_fingerprint(deeper, tmp_path)}) == 3
    assert house_fingerprint(bot, tmp_path) == first


def test_a_script_beside_the_file_of_the_venue_counts_alone(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("1")
    (tmp_path / "venue.jsonl").write_text("grows")
    bot = BotSection(name="a", command="python bot.py")
    first = house_fingerprint(bot, tmp_path)
    (tmp_path / "venue.jsonl").write_text("has grown")
    assert house_fingerprint(bot, tmp_path) == first
    (tmp_path / "bot.py").write_text("2")
    assert house_fingerprint(bot, tmp_path) != first
