"""Run untrusted processes: isolation, limits, supervision and the Python environments of tasks."""
