"""Evaluate the linear functions."""


def predict(coefficients, realisation, covariates):
    """Return the effect on each unit."""
    chosen = coefficients[realisation]
    return (chosen[:, :-1] * covariates).sum(dim=1) + chosen[:, -1]
