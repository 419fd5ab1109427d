"""Few-shot classification of drawings seen through an unknown sensor, with easyfsl."""
