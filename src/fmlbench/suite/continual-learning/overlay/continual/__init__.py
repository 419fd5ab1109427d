"""Learning digits in five contexts with avalanche: what is learned in each, what is carried on, how a digit is named."""
