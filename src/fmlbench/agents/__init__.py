"""Agents: strategies decide, proposers write."""
