"""Classifiers with equal error rates across groups, with fairlearn: what is trained, how, and how it decides."""
