"""Takes its seat, and then says nothing more."""

from common import until_first_turn

_, incoming, _ = until_first_turn()
for _ in incoming:
    pass
