"""The metering proxy: the one way from a program that is an agent to its language model.

serve           (serving.py)     HTTP on a Unix socket, for as long as the program runs
  Relay         (relaying.py)    looks at a request, and sends on what may be asked
    dialects/                    what may be asked, what is taken out, where tokens are counted: one file per API
    Meter       (meter.py)       refuses calls once the budget is spent
    Call        (calls.py)       hands an answer back as it comes, prices it
    WireBook    (wire_book.py)   writes every exchange down
    Upstream    (upstream.py)    the provider, with the user's key, which the program never sees
    Recording   (recording.py)   another run's exchanges in the provider's place
  routes        (routes.py)      the APIs of providers, and the environment of programs
"""
