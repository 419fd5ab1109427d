"""Execute one run; check a task for admission."""
