"""Learning classes in four contexts with avalanche: what is learned in each, and what is kept for the next."""
