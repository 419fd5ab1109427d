"""Evaluate a candidate: data samples, stages, exams, answers and grades."""
