"""Training a classifier on private examples, and a report of how well it knows them."""
