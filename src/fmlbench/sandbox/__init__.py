"""Hold a process: isolation, limits, supervision and the Python environments of tasks."""
