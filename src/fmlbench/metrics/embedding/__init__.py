"""Embed code as vectors, to measure how widely a search explored."""
