"""Doubles, histories and contract suites that third parties can use and inherit."""
