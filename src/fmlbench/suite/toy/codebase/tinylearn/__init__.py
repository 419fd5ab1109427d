"""A learner small enough to read in a minute."""
