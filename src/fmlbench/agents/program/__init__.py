"""Agents that are programs: they run in a sandbox and submit to a server outside it."""
