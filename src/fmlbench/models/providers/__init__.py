"""Clients of the providers, one file for each official SDK; imported only when a model of theirs is opened."""
