"""Engines that execute jobs: local processes, Ray and SLURM."""
