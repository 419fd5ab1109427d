"""The proposer that asks a language model.

LanguageModel   (proposer.py)     answers a move: prompt, answer, edits; asks again if the edits do not apply
  write_prompt  (prompt.py)       the brief, the code and the history, within a budget of tokens
  read_answer   (answer.py)       the edits in an answer
  apply         (application.py)  all edits or none; each must match exactly once (search.py)
"""
