"""Classify sensor readings after training on poisoned data, with the Adversarial Robustness Toolbox."""
