"""A language model as researcher.

LanguageModel   (proposer.py)   answers a move: prompt, answer, edits, and another try where they do not apply
  prompt        (prompting.py)  the brief, the code and the history, within a budget of tokens
  read_answer   (parsing.py)    the edits in an answer
  apply         (applying.py)   all of them or none; only where they fit exactly once (matching.py)
"""
