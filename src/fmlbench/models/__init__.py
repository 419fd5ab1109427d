"""Language models behind one gateway.

ModelClient         (client.py)       for search agents: retries, deadline, no call twice
Relay               (proxy/relay.py)  for programs: only allowed requests, answers streamed
  Gateway           (gateway.py)      every call passes here
    Meter           (meter.py)        caps
    CallLog         (call_log.py)     one line for each call, with its price
    Endpoint        (upstream.py)     where requests are sent
      Upstream      (upstream.py)     a provider over HTTP, with the user's key
      Served        (local/)          a file on this machine, served by llama.cpp
      InProcess     (in_process.py)   a Python object, such as a scripted model
      Replay        (replay.py)       another run's log
    Dialect         (dialects/)       an API: builds and checks requests, reads answers, counts tokens
open_model          (connection.py)   finds a model by its name: provider/model
all_providers       (providers.py)    addresses, keys, prices and dialects
"""
