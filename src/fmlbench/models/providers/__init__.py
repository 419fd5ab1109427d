"""Clients of the providers, one file for each API; imported only when one of their models is opened."""
