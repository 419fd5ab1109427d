"""A model server for tests, on the loopback interface: it supports the providers' APIs and injects faults.

with ModelServer(answer=lambda asked: "hello", faults=[Fault.RATE_LIMITED]) as server:
    environment = server.environment          # keys and addresses for fmlbench.models.connection.open_model
    ...
    assert server.asked[0].messages == (("user", "hi"),)
"""
