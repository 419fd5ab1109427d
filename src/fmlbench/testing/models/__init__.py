"""A model server for tests, on loopback: it speaks the dialects of the providers, and fails when it is told to.

with ModelServer(answer=lambda asked: "hello", faults=[Fault.RATE_LIMITED]) as server:
    environment = server.environment          # keys and addresses for fmlbench.models.client.open_model
    ...
    assert server.asked[0].messages == (("user", "hi"),)
"""
