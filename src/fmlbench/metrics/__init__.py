"""Measures computed from run records: scores, search behaviour, cost, and their statistical uncertainty."""
