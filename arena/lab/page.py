"""A training as a page for people: the curve of its strength, and the card of the evaluator."""

from collections.abc import Sequence
from html import escape
from typing import Final

from arena.lab.course import Course, Stage

WIDTH: Final = 720
HEIGHT: Final = 320
LEFT: Final = 56
BELOW: Final = 40

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #222; --soft: #8884; --line: #1d6fa5; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --line: #6bb5e8; --paper: #181818; } }
body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); overflow-wrap: anywhere; }
svg { width: 100%; height: auto; } text { fill: var(--ink); font: 13px system-ui, sans-serif; }
.grid { stroke: var(--soft); } .curve { fill: none; stroke: var(--line); stroke-width: 2.5; }
.band { fill: var(--line); opacity: 0.2; }
th { text-align: left; font-weight: 500; padding-right: 1.5rem; overflow-wrap: normal; }
@media (max-width: 30rem) { text { font-size: 22px; } }
th, td { vertical-align: top; padding-bottom: 0.3rem; }
"""


def page(course: Course, stages: Sequence[Stage]) -> str:
    """The page as HTML that fetches nothing; works while the training goes on."""
    name = escape(course.plan.name)
    scored = [stage for stage in stages if stage.points is not None and stage.stage == "self-play"]
    curve = _curve(scored) if len(scored) > 1 else "<p>No strength has been measured yet.</p>"
    card = _card(course, stages)
    rows = "".join(f"<tr><th scope=row>{escape(head)}</th><td>{escape(text)}</td></tr>" for head, text in card)
    return (
        f"<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{name}</title><style>{_STYLE}</style><h1>{name}</h1>"
        f"<h2>Strength over games of self-play</h2>{curve}"
        "<p>Points a game against the beginner, a player by rules of thumb that never changes, both one turn ahead; "
        "the band is the interval of 95 %.</p>"
        f"<h2>Card</h2><table>{rows}</table></html>\n"
    )


def _card(course: Course, stages: Sequence[Stage]) -> list[tuple[str, str]]:
    plan, last = course.plan, stages[-1] if stages else None
    card = [
        ("Rulesets", ", ".join(str(fields["name"]) for fields in plan.rulesets)),
        ("Begun with", f"weights of SHA-256 {plan.begin}") if plan.begin else ("Self-play", f"{plan.games:,} games"),
        ("One turn deeper", f"{plan.generations} generations of {plan.positions:,} positions"),
        ("Played out", f"{plan.played_out:,} positions"),
        ("Networks", f"contact: hidden layers of {' and '.join(map(str, plan.hidden))}; races: half as wide"),
        ("Seed", str(plan.seed)),
    ]
    if last:
        card += [
            ("Played", f"{last.games:,} games, {last.turns:,} turns, in {last.round:,} rounds"),
            ("Time", f"{last.seconds / 60:,.0f} minutes, measuring the strength included"),
            ("State", "done" if last.stage == "done" else f"{last.stage}, {last.share:.0%}"),
        ]
        if last.points is not None and last.half_width is not None:
            card.append(("Strength", f"{last.points:+.2f} ± {last.half_width:.2f} points a game against the beginner"))
        if last.sha256:
            card.append(("SHA-256 of the weights", last.sha256))
    return card


def _curve(scored: Sequence[Stage]) -> str:
    points = [(stage.games, stage.points or 0.0, stage.half_width or 0.0) for stage in scored]
    most = max(games for games, *_ in points)
    low = min(0.0, *(mean - half for _, mean, half in points))
    high = max(0.5, *(mean + half for _, mean, half in points))

    def at(games: float, value: float) -> str:
        x = LEFT + (WIDTH - LEFT - 8) * games / most
        return f"{x:.1f},{8 + (HEIGHT - BELOW - 8) * (high - value) / (high - low):.1f}"

    step = 0.5 if high - low < 4 else 1.0
    marks = [step * number for number in range(int(low / step) - 1, int(high / step) + 1) if low <= step * number]
    grid = "".join(
        f"<path class=grid d='M{at(0, mark)} L{at(most, mark)}'/>"
        f"<text x={LEFT - 6} y={at(0, mark).split(',')[1]} text-anchor=end dominant-baseline=middle>{mark:+.1f}</text>"
        for mark in marks
    )
    band = [at(games, mean + half) for games, mean, half in points] + [
        at(games, mean - half) for games, mean, half in reversed(points)
    ]
    line = " ".join(at(games, mean) for games, mean, _ in points)
    final = points[-1]
    return (
        f"<svg viewBox='0 0 {WIDTH} {HEIGHT}' role=img aria-label='From {points[0][1]:+.2f} points a game after "
        f"{points[0][0]:,} games to {final[1]:+.2f} after {final[0]:,}'>{grid}"
        f"<polygon class=band points='{' '.join(band)}'/><polyline class=curve points='{line}'/>"
        f"<text x={LEFT} y={HEIGHT - 8}>0</text>"
        f"<text x={WIDTH - 8} y={HEIGHT - 8} text-anchor=end>{most:,} games</text></svg>"
    )
