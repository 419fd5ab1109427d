"""Classify digits after training on poisoned pictures, with the Adversarial Robustness Toolbox."""
