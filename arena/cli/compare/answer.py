"""What a comparison says of its two bots: which is the stronger one, by how much, and how sure that is."""

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from arena.cli.shared.language import counted
from arena.server.run.comparison import ComparisonProgress
from arena.services.comparing import Bots
from arena.tournaments.statistics.lead import Lead, lead_of, likelihood_of_superiority
from arena.tournaments.statistics.sequential import Decision, Hypotheses, Trial

LIKELY: Final = 0.95
"""How likely a bot has to be the stronger one to be called so where the test does not tell."""
MOST_SHOWN: Final = 0.999
"""A likelihood beyond it is shown as more than this: it comes from 1,000 draws."""
MOST_RATIO: Final = 16.0
"""The largest log-likelihood ratio that is shown as so many times: nobody needs more than some
millions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Which bot is the stronger one."""

    lead: Lead
    """Of the new bot."""
    likelihood: float | None
    """How likely the new bot is the stronger one; by the games as they were played where nothing
    else tells."""
    stronger: str | None
    """The stronger bot, as it is called; None if it is open."""
    words: str


# On the way


def standing(progress: ComparisonProgress, bots: Bots) -> str:
    """Say how the test stands on the games as they were played."""
    elo = _elo(lead_of(progress.units, bots.new_id, bots.old_id))
    return f"{_units(progress)}, {_games(progress, bots, elo)}; {_ratio(progress.raw)}{_forfeits(progress, bots)}"


def adjusted(progress: ComparisonProgress, bots: Bots) -> str:
    """Say how the test stands with the luck taken out; empty without that."""
    if progress.adjusted is None:
        return ""
    elo = _elo(lead_of(progress.adjusted_units, bots.new_id, bots.old_id))
    return f"luck taken out by {bots.evaluator}: {elo}; {_ratio(progress.adjusted)}"


def _games(progress: ComparisonProgress, bots: Bots, elo: str = "") -> str:
    won, games = _games_won(progress, bots)
    share = f"{100 * won / games:.1f} %"
    return f"{bots.new} won {won:g} of {games} games ({f'{share}, {elo}' if elo else share})"


def _games_won(progress: ComparisonProgress, bots: Bots) -> tuple[float, int]:
    own = [unit.seen_by(bots.new_id) for unit in progress.units]
    won = sum(unit.score for unit in own)
    games = sum(unit.games for unit in own)
    return won, games


def _units(progress: ComparisonProgress) -> str:
    is_pairs = progress.units[0].games == 2  # matches have an odd number of games (M1)
    one, many = ("pair", "pairs") if is_pairs else ("match", "matches")
    return counted(len(progress.units), one, many)


def _elo(lead: Lead) -> str:
    return (
        "no Elo: somebody won more than all games" if lead.elo is None else f"{lead.elo:+.0f} Elo"
    )


def _ratio(trial: Trial) -> str:
    low, high = trial.bounds
    return f"LLR {trial.ratio:+.2f}, bounds {low:.2f} and {high:.2f}"


def _forfeits(progress: ComparisonProgress, bots: Bots) -> str:
    new, old = progress.forfeits
    return f"; FORFEITS: {new} by {bots.new}, {old} by {bots.old}" if new or old else ""


# At the end


def answer_of(progress: ComparisonProgress, hypotheses: Hypotheses, bots: Bots) -> Answer:
    """Say which bot is stronger: by the decision of the test if that tells, else by how likely it is."""
    units, decision = progress.deciding_units, progress.trial.decision
    likelihood = likelihood_of_superiority(units, bots.new_id, bots.old_id)
    if likelihood is None:  # there are no ratings where so much was won
        likelihood = likelihood_of_superiority(progress.units, bots.new_id, bots.old_id)
    if decision is Decision.H1 and hypotheses.elo0 >= 0:
        stronger, words = bots.new, f"{bots.new} is stronger than {bots.old}"
    elif decision is Decision.H0 and hypotheses.elo1 <= 0:
        stronger, words = bots.old, f"{bots.old} is stronger than {bots.new}"
    elif likelihood is not None and likelihood >= LIKELY:
        stronger, words = bots.new, f"{bots.new} is very likely stronger than {bots.old}"
    elif likelihood is not None and likelihood <= 1 - LIKELY:
        stronger, words = bots.old, f"{bots.old} is very likely stronger than {bots.new}"
    else:
        stronger, words = None, f"neither {bots.new} nor {bots.old} is shown to be stronger"
    lead = lead_of(units, bots.new_id, bots.old_id)
    return Answer(lead=lead, likelihood=likelihood, stronger=stronger, words=words)


def print_answer(
    console: Console, progress: ComparisonProgress, hypotheses: Hypotheses, bots: Bots
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
        return "none, since somebody won more than all games"
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
    """Explain what the test has decided, and how often it is wrong."""
    less = f"{bots.new} leads by {hypotheses.elo0:g} Elo or less"
    more = f"{bots.new} leads by {hypotheses.elo1:g} Elo or more"
    times = f"{math.exp(min(abs(trial.ratio), MOST_RATIO)):,.0f} times as likely"
    match trial.decision:
        case Decision.H1:
            meaning = f"the games are {times} if {more} than if {less}"
            error = f"at most {100 * hypotheses.alpha:g} % of bots that lead by {hypotheses.elo0:g} Elo are accepted"
            return f"H1 accepted: {meaning} ({_ratio(trial)}); {error}"
        case Decision.H0:
            meaning = f"the games are {times} if {less} than if {more}"
            error = f"at most {100 * hypotheses.beta:g} % of bots that lead by {hypotheses.elo1:g} Elo are rejected"
            return f"H0 accepted: {meaning} ({_ratio(trial)}); {error}"
        case Decision.GOES_ON:
            played = counted(batches, "batch", "batches")
            return f"not decided after {played}: {less}, or {more}? ({_ratio(trial)}); go on with a greater --most"


def plain(
    progress: ComparisonProgress, hypotheses: Hypotheses, bots: Bots, folder: Path
) -> dict[str, Any]:
    """Return the answer for programs; names stay as they are."""
    trial = progress.trial
    answer = answer_of(progress, hypotheses, bots)
    played = lead_of(progress.units, bots.new_id, bots.old_id)
    won, games = _games_won(progress, bots)
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
        **{f"raw_{name}": figure for name, figure in _figures(played).items()},
        "raw_likelihood": likelihood_of_superiority(progress.units, bots.new_id, bots.old_id),
        "forfeits": progress.forfeits,
        "batches": progress.batch,
        "folder": str(folder),
    }


def _figures(lead: Lead) -> dict[str, Any]:
    mean, margin = lead.points.mean, lead.points.margin
    return {
        "points_per_game": mean,
        "points_interval": None if margin is None else (mean - margin, mean + margin),
        "elo": lead.elo,
        "elo_interval": lead.elo_interval,
    }
