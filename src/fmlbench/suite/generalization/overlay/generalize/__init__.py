"""Classify what a sensor reads in domains never seen, on top of spuco."""
