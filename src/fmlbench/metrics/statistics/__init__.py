"""How sure one can be: intervals, tests, corrections, correlations and the size an experiment needs."""
