"""Few-shot classification of given features with easyfsl: what is prepared, and how an episode is answered."""
