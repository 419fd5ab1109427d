"""Classify digits in domains never seen, on top of spuco."""
