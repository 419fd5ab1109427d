"""Strategies: pure functions of the history and a random generator that return the next move."""
