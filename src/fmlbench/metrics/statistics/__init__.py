"""Statistics: intervals, tests, corrections for multiple testing, correlations and sample sizes."""
