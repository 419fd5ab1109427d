"""Strategies: which move next, as pure functions of the history and the dice."""
