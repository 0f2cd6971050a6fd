"""The answer of a comparison: which bot is stronger, by how much, and how sure that is."""

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from arena.cli.shared.language import with_noun
from arena.server.run.comparison import ComparisonProgress
from arena.services.comparing import Bots
from arena.tournaments.statistics.lead import Lead, lead_of, likelihood_of_superiority
from arena.tournaments.statistics.sequential import Decision, Hypotheses, Trial

LIKELY: Final = 0.95
"""Likelihood from which a bot is called stronger if the test has not decided."""
MOST_SHOWN: Final = 0.999
"""Largest likelihood that is shown as it is: it comes from 1,000 draws."""
MOST_RATIO: Final = 16.0
"""Largest log-likelihood ratio that is shown as a factor: some millions are enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonAnswer:
    """Answer to which bot is stronger."""

    lead: Lead
    """Lead of the new bot."""
    likelihood: float | None
    """Likelihood that the new bot is stronger; by the raw games if the adjusted ones have no
    ratings."""
    stronger: str | None
    """Name of the stronger bot; None if it is open."""
    words: str


# On the way


def standing(progress: ComparisonProgress, bots: Bots) -> str:
    """Describe the state of the test on the games as they were played."""
    elo = _elo(lead_of(progress.units, bots.new_id, bots.old_id))
    played = f"{_units(progress)}, {_games(progress, bots, elo)}"
    return f"{played}; {_ratio(progress.raw)}{_forfeits(progress, bots)}"


def adjusted_line(progress: ComparisonProgress, bots: Bots) -> str:
    """Describe the state of the test with the luck taken out; empty without that."""
    if progress.adjusted is None:
        return ""
    elo = _elo(lead_of(progress.adjusted_units, bots.new_id, bots.old_id))
    return f"luck taken out by {bots.evaluator}: {elo}; {_ratio(progress.adjusted)}"


def _games(progress: ComparisonProgress, bots: Bots, elo: str = "") -> str:
    won, games = _games_won(progress, bots)
    share = f"{100 * won / games:.1f} %"
    if elo:
        share += f", {elo}"
    return f"{bots.new} won {won:g} of {games} games ({share})"


def _games_won(progress: ComparisonProgress, bots: Bots) -> tuple[float, int]:
    units = [unit.seen_by(bots.new_id) for unit in progress.units]
    won = sum(unit.score for unit in units)
    games = sum(unit.games for unit in units)
    return won, games


def _units(progress: ComparisonProgress) -> str:
    if progress.units[0].games == 2:  # matches have an odd number of games (M1)
        return with_noun(len(progress.units), "pair")
    return with_noun(len(progress.units), "match", "matches")


def _elo(lead: Lead) -> str:
    if lead.elo is None:
        return "no Elo: a score is above 100 %"
    return f"{lead.elo:+.0f} Elo"


def _ratio(trial: Trial) -> str:
    low, high = trial.bounds
    return f"LLR {trial.ratio:+.2f}, bounds {low:.2f} and {high:.2f}"


def _forfeits(progress: ComparisonProgress, bots: Bots) -> str:
    new, old = progress.forfeits
    if not new and not old:
        return ""
    return f"; FORFEITS: {new} by {bots.new}, {old} by {bots.old}"


# At the end


def answer_of(progress: ComparisonProgress, hypotheses: Hypotheses, bots: Bots) -> ComparisonAnswer:
    """Say which bot is stronger: by the decision of the test, or else by the likelihood."""
    units, decision = progress.deciding_units, progress.trial.decision
    likelihood = likelihood_of_superiority(units, bots.new_id, bots.old_id)
    if likelihood is None:  # there are no ratings if one bot won that much
        likelihood = likelihood_of_superiority(progress.units, bots.new_id, bots.old_id)
    chance = 0.5 if likelihood is None else likelihood
    if decision is Decision.H1 and hypotheses.elo0 >= 0:
        stronger, words = bots.new, f"{bots.new} is stronger than {bots.old}"
    elif decision is Decision.H0 and hypotheses.elo1 <= 0:
        stronger, words = bots.old, f"{bots.old} is stronger than {bots.new}"
    elif chance >= LIKELY:
        stronger, words = bots.new, f"{bots.new} is very likely stronger than {bots.old}"
    elif chance <= 1 - LIKELY:
        stronger, words = bots.old, f"{bots.old} is very likely stronger than {bots.new}"
    else:
        stronger, words = None, f"neither {bots.new} nor {bots.old} is shown to be stronger"
    lead = lead_of(units, bots.new_id, bots.old_id)
    return ComparisonAnswer(lead=lead, likelihood=likelihood, stronger=stronger, words=words)


def print_answer(
    console: Console,
    progress: ComparisonProgress,
    hypotheses: Hypotheses,
    bots: Bots,
) -> None:
    """Print the answer in words, the figures behind it, and what the test has decided."""
    answer = answer_of(progress, hypotheses, bots)
    assert answer.likelihood is not None, "games as they were played always have ratings"
    figures = {
        "points a game": _points_words(answer.lead),
        "Elo": _elo_words(answer.lead),
        "likelihood": _likelihood_words(answer.likelihood, bots),
    }
    if progress.adjusted is not None:
        played = lead_of(progress.units, bots.new_id, bots.old_id)
        figures["luck"] = f"taken out of these figures by {bots.evaluator}"
        figures["as played"] = f"points a game {_points_words(played)}; Elo {_elo_words(played)}"
    figures["games"] = f"{_games(progress, bots)}, in {_units(progress)}{_forfeits(progress, bots)}"
    width = max(map(len, figures))
    lines = [answer.words]
    lines += [f"  {name:{width}}  {words}" for name, words in figures.items()]
    lines.append(decision_words(progress.trial, progress.batch, hypotheses, bots))
    for line in lines:
        console.print(line, soft_wrap=True)


def _points_words(lead: Lead) -> str:
    mean, margin = lead.points.mean, lead.points.margin
    if margin is None:
        return f"{mean:+.2f} (no interval: too few units, or all alike)"
    return f"{mean:+.2f} (95 % interval {mean - margin:+.2f} to {mean + margin:+.2f})"


def _elo_words(lead: Lead) -> str:
    if lead.elo is None:
        return "none, since a score is above 100 %"
    if lead.elo_interval is None:
        return f"{lead.elo:+.0f} (no interval: too few units)"
    low, high = lead.elo_interval
    return f"{lead.elo:+.0f} (95 % interval {low:+.0f} to {high:+.0f})"


def _likelihood_words(likelihood: float, bots: Bots) -> str:
    percent = f"{100 * likelihood:.1f} %"
    if likelihood > MOST_SHOWN:
        percent = f"more than {100 * MOST_SHOWN:.1f} %"
    elif likelihood < 1 - MOST_SHOWN:
        percent = f"less than {100 * (1 - MOST_SHOWN):.1f} %"
    return f"{percent} that {bots.new} is stronger"


def decision_words(trial: Trial, batches: int, hypotheses: Hypotheses, bots: Bots) -> str:
    """Explain the decision of the test, and how often it is wrong."""
    less = f"{bots.new} leads by {hypotheses.elo0:g} Elo or less"
    more = f"{bots.new} leads by {hypotheses.elo1:g} Elo or more"
    ratio = _ratio(trial)
    times = f"{math.exp(min(abs(trial.ratio), MOST_RATIO)):,.0f} times as likely"
    match trial.decision:
        case Decision.H1:
            meaning = f"the games are {times} if {more} than if {less}"
            share, elo = 100 * hypotheses.alpha, hypotheses.elo0
            error = f"at most {share:g} % of bots that lead by {elo:g} Elo are accepted"
            return f"H1 accepted: {meaning} ({ratio}); {error}"
        case Decision.H0:
            meaning = f"the games are {times} if {less} than if {more}"
            share, elo = 100 * hypotheses.beta, hypotheses.elo1
            error = f"at most {share:g} % of bots that lead by {elo:g} Elo are rejected"
            return f"H0 accepted: {meaning} ({ratio}); {error}"
        case Decision.GOES_ON:
            played = with_noun(batches, "batch", "batches")
            state = f"not decided after {played}: {less}, or {more}? ({ratio})"
            return f"{state}; go on with a greater --most"


def answer_as_json(
    progress: ComparisonProgress,
    hypotheses: Hypotheses,
    bots: Bots,
    folder: Path,
) -> dict[str, Any]:
    """Return the answer for programs; names stay as they are."""
    trial = progress.trial
    answer = answer_of(progress, hypotheses, bots)
    played = lead_of(progress.units, bots.new_id, bots.old_id)
    won, games = _games_won(progress, bots)
    raw = {f"raw_{name}": figure for name, figure in _figures(played).items()}
    return {
        "decision": trial.decision,
        "verdict": answer.words,
        "stronger": answer.stronger,
        "new": bots.new,
        "old": bots.old,
        **_figures(answer.lead),
        "likelihood": answer.likelihood,
        "games": games,
        "games_won": won,
        **dataclasses.asdict(hypotheses),
        "llr": trial.ratio,
        "bounds": trial.bounds,
        "units": trial.units,
        "halves": progress.halves,
        "luck_adjusted": progress.adjusted is not None,
        "raw_llr": progress.raw.ratio,
        **raw,
        "raw_likelihood": likelihood_of_superiority(progress.units, bots.new_id, bots.old_id),
        "forfeits": progress.forfeits,
        "batches": progress.batch,
        "folder": str(folder),
    }


def _figures(lead: Lead) -> dict[str, Any]:
    mean, margin = lead.points.mean, lead.points.margin
    interval = None
    if margin is not None:
        interval = (mean - margin, mean + margin)
    return {
        "points_per_game": mean,
        "points_interval": interval,
        "elo": lead.elo,
        "elo_interval": lead.elo_interval,
    }
