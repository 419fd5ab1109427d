"""Attacks on the benchmark as candidate code, and honest candidates as controls."""
