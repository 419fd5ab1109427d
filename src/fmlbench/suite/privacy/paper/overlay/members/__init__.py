"""Training a classifier on private images."""
