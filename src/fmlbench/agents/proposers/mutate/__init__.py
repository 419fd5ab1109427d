"""A proposer without a language model: random edits of the syntax tree.

    Mutate          (proposer.py)   answers a move: improve, draft, debug, combine; avoids what earlier steps tried
      mutations     (mutations.py)  candidate changes of a set of files, in weighted random order
        sites_in    (sites.py)      everything that could be changed in one file
          FAMILIES  (families/)     the kinds of change, one module for each part of the code they change
      merge         (merge.py)      combines and reverts changes, line by line

It is the default because it needs neither a key nor a network, and it is the control for random changes.
"""
