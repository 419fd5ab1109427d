"""The fixtures of the command line."""

from tests.command_line import fmlbench, runs

__all__ = ["fmlbench", "runs"]
