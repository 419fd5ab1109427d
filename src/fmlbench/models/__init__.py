"""Language models behind one protocol.

ChatModel          (chat.py)        one request, one reply
  open_model       (client.py)      opens a model by its name: provider/model
    providers/                      the official clients, imported only when used
    ScriptedModel  (scripted.py)    answers from a file, for tests and demonstrations
    Replayed       (replay.py)      answers from another run's log
  Timely           (deadline.py)    adds a timeout
  Metered          (metering.py)    prices every call and rejects calls that could exceed a cap
  Patient          (retry.py)       retries transient failures while there is time
  Recorded         (recorded.py)    logs every call and never repeats one
"""
