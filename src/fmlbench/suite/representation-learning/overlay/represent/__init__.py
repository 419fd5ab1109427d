"""Learn features from pairs of views without labels, on top of lightly."""
