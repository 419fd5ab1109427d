"""Learning digits in five contexts with van de Ven's code: what is learned in each, and what is carried on."""
