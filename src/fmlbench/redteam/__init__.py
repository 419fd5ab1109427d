"""Attacks on the benchmark, as content: what a candidate that wants to cheat would try, and honest ones beside it."""
