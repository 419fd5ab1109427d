"""The proxy: the way from a program to the gateway of its model.

serve           (server.py)      HTTP on a Unix socket, while the program runs
  Relay         (relay.py)       checks a request, and passes allowed ones to the gateway
  ModelAccess   (access.py)      opens the proxy of a run, with its caps and log
"""
