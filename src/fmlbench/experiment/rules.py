"""Apply a task's rules: bounds on side metrics, with a tolerance of two standard errors."""

from collections.abc import Mapping

from fmlbench.core.task import Rule

TOLERANCE = 2.0
"""Standard errors by which a bound may be missed, the same for validation and test."""


def find_broken_rule(
    rules: tuple[Rule, ...],
    metrics: Mapping[str, float],
    standard_errors: Mapping[str, float],
    baseline: Mapping[str, float],
) -> str:
    """The first broken rule as text; empty if no rule is broken."""
    for rule in rules:
        value = metrics.get(rule.metric)
        if value is None:
            return f"{rule.text} ({rule.metric} is missing or not finite)"
        tolerance = TOLERANCE * standard_errors.get(rule.metric, 0.0)
        origin = baseline.get(rule.metric, value) if rule.relative_to_baseline else 0.0
        if rule.at_least is not None and value < origin + rule.at_least - tolerance:
            return f"{rule.text} ({rule.metric} is {value:.4g}, at least {origin + rule.at_least:.4g} is required)"
        if rule.at_most is not None and value > origin + rule.at_most + tolerance:
            return f"{rule.text} ({rule.metric} is {value:.4g}, at most {origin + rule.at_most:.4g} is allowed)"
    return ""
