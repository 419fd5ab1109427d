"""Training a classifier on private images, and a look at how well it knows them."""
