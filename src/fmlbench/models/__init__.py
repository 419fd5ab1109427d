"""Language models behind one protocol.

ChatModel       (chat.py)        asks one thing and gets one answer
  open_model    (opening.py)     a model by its name: provider/model
    providers/                   the official clients, imported only when they are used
    Scripted    (scripted.py)    answers from a file, for tests and demonstrations
    Replayed    (replaying.py)   answers from another run's record
  Timely        (timing.py)      waits for an answer, but not for ever
  Metered       (metering.py)    prices every call, and refuses one that could break a cap
  Patient       (patience.py)    tries again, as long as there is time
  Recorded      (recording.py)   writes every exchange down, and never asks the same thing twice
"""
