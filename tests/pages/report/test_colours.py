"""Colours that carry meaning stay apart for people who see fewer of them, in light and dark.

The three kinds of colour blindness are simulated by the matrices for a severity of 1.0 of Machado,
Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency"
(IEEE Transactions on Visualization and Computer Graphics 15(6), 2009), which apply to linear RGB.
Differences are those of CIELAB, 1976.
"""

from __future__ import annotations

import re
from math import dist
from pathlib import Path

import pytest

import arena.pages

Colour = tuple[float, float, float]
"""Linear red, green and blue, 0 to 1."""

CLEAR = 20.0
"""The least difference between two colours with different meanings; one of 2.3 can just be seen
(Mahy, 1994)."""
SEEN_AS = {
    "all colours": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
TO_XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
"""From linear sRGB with its white point D65 (IEC 61966-2-1)."""
WHITE = (0.95047, 1.0, 1.08883)

ON_THE_BOARD = [
    ("one", "two"),  # the checkers, discs and dice of the two sides
    (
        "mark",
        "best",
    ),  # a checker that can be lifted and a place where it can land; a turn and a better one
    ("mark", "one-line"),  # a checker that has just moved and one that has not
    ("mark", "two-line"),
    *[
        (ring, ground)
        for ring in ("mark", "best")
        for ground in ("one", "two", "field", "point-dark", "point-light")
    ],
    ("bad", "field"),  # the banner of a game that is over
]
ON_THE_PAGE = [("accent", "mark")]  # the curve and the place on it
"""What is told apart by colour; a board is the same by day and by night. Not here: what words say
as well (good and bad verdicts, `?` and `??` at turns, the figures of the cross-table), and what
shapes do (below)."""


def colours(scheme: str) -> dict[str, Colour]:
    """The variables of the style sheet in light or dark."""
    css = (Path(arena.pages.__file__).parent / "assets/report.css").read_text(encoding="utf-8")
    found = re.findall(r"--([\w-]+): (?:light-dark\()?(#\w{6})(?:, (#\w{6})\))?;", css)
    return {
        name: linear(dark if dark and scheme == "dark" else light) for name, light, dark in found
    }


def linear(text: str) -> Colour:
    one, two, three = (int(text[at : at + 2], 16) / 255 for at in (1, 3, 5))

    def light(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)

    return light(one), light(two), light(three)


def _times(matrix: tuple[Colour, ...], colour: Colour) -> Colour:
    one, two, three = (sum(a * b for a, b in zip(row, colour, strict=True)) for row in matrix)
    return one, two, three


def contrast(first: Colour, second: Colour) -> float:
    """How much lighter one colour is than the other, 1 to 21 (WCAG 2.1, contrast ratio)."""
    darker, lighter = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in (first, second)
    )
    return (lighter + 0.05) / (darker + 0.05)


def difference(first: Colour, second: Colour, sight: str) -> float:
    return dist(_lab(first, sight), _lab(second, sight))


def _lab(colour: Colour, sight: str) -> Colour:
    red, green, blue = (min(max(value, 0.0), 1.0) for value in _times(SEEN_AS[sight], colour))

    def root(value: float) -> float:
        return float(value ** (1 / 3)) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116

    xyz = _times(TO_XYZ, (red, green, blue))
    x, y, z = (root(value / white) for value, white in zip(xyz, WHITE, strict=True))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("sight", SEEN_AS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_with_a_meaning_stay_apart(scheme: str, sight: str) -> None:
    known = colours(scheme)
    apart = ON_THE_BOARD + ON_THE_PAGE if scheme == "light" else ON_THE_PAGE
    found = {pair: round(difference(known[pair[0]], known[pair[1]], sight), 1) for pair in apart}
    assert {pair: value for pair, value in found.items() if value < CLEAR} == {}
