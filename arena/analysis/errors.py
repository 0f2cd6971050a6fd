"""Errors of an evaluator."""


class EvaluatorError(Exception):
    """A file of weights that cannot be used, or no evaluator for a ruleset; the message says what to do."""
