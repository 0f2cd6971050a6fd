"""Writes the hex dump at the end of docs/protocol-tests.md: `python -m tests.generators.make_conversation`."""

import json
import re
from pathlib import Path

from protocol.codec import encode
from tests.generators.make_vectors import plain
from tests.protocol.samples import SESSION

PATH = Path(__file__).parents[2] / "docs" / "protocol-tests.md"
_FRAME = re.compile(r"(<!-- conversation: .*? -->\n).*(<!-- end of conversation -->)", re.DOTALL)
_BYTES_A_LINE = 32


def conversation() -> str:
    """Give the sample session as Markdown: who speaks, the message, its bytes."""
    return "\n".join(_one(sender, message) for sender, message in SESSION)


def _one(sender: str, message: object) -> str:
    frame = encode(message)  # type: ignore[arg-type]
    lines = [frame[at : at + _BYTES_A_LINE].hex(" ") for at in range(0, len(frame), _BYTES_A_LINE)]
    shown = json.dumps(plain(message), ensure_ascii=False)
    dump = "\n".join(lines)
    return f"**{sender}** `{shown}`\n\n```\n{dump}\n```\n"


def page() -> str:
    """Give the whole page with the dump as it should be."""
    text = PATH.read_text(encoding="utf-8")
    return _FRAME.sub(lambda found: f"{found[1]}\n{conversation()}\n{found[2]}", text)


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
