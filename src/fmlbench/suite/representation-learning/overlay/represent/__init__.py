"""Learn features of small images without labels, on top of lightly."""
