"""fmlbench: a sealed benchmark of machine-learning research agents."""

__version__ = "0.1.0"
