"""Help on what can be typed at the board."""

from __future__ import annotations

from typing import Final

HELP: Final = """\
  1/7 12/15     moves, in the order played (bar/5, 20/off; d1-c1 in Brandubh); all of a turn, or one at a time
  Enter         plays the turn once it is whole; a pass, too
  undo          takes back the last move
  ?             shows the legal turns
  hint          shows the best turns
  one, two      how many dice to roll, where the rules leave it to you (B11.3)
  draw, accept  offers a draw with the turn, or accepts one (where the rules have it)
  board         draws the board again
  resign        leaves the match; the games that are left go to the opponent
  help          shows this
Ctrl-C interrupts the match; `arena play FOLDER` goes on with it."""
