"""A researcher without a language model: edits of the syntax tree, drawn by dice.

    Mutate          (proposer.py)   answers a move: improve, draft, debug, combine
      mutations     (mutations.py)  candidate changes of a set of files, in weighted random order
        sites_in    (sites.py)      everything that could be changed in one file
          FAMILIES  (families/)     the kinds of change, one file each
      merging       (merging.py)    joins and takes back changes, line by line

It is the default agent because it needs nothing, and the control that says what luck alone would have reached.
"""
