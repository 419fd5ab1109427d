"""Proposers: who writes the code for a move."""
