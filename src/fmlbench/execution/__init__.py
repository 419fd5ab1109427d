"""Processes and limits, the sandbox, task environments, stages, answers and grading."""
