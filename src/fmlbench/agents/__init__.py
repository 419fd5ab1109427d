"""Agents: strategies choose moves, proposers write code."""
