"""Turn code into vectors, so that one can tell how widely a search went."""
