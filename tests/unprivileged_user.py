"""The user "nobody", for tests that run as root."""

UNPRIVILEGED_UID = 65534
AS_UNPRIVILEGED = ("setpriv", f"--reuid={UNPRIVILEGED_UID}", f"--regid={UNPRIVILEGED_UID}", "--clear-groups")
"""A command prefix."""
