"""Learning digits in five contexts with avalanche: what is learned in each, and what is carried on to the next."""
