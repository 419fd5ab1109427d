"""Sweeps: many runs, from one study file, on this machine or on a cluster.

A job is the command ``fmlbench resume RUN``. What has happened is told by the run folders alone, never by an engine.
"""
