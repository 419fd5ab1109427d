"""Agents that are programs of their own: they work sealed, and meet the benchmark at a desk."""
