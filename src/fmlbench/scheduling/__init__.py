"""Sweeps: execute all runs of a study file, on this machine or on a cluster.

A job is the command ``fmlbench resume RUN``. The run folders are the only source of state; engines keep none.
"""
