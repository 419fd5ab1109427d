"""Few-shot classification of drawings with easyfsl: what is trained, how, and how an episode is answered."""
