"""Classifiers with equal error rates across groups, with AIF360: how they are trained, kept, and how they decide."""
