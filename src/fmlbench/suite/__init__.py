"""The benchmark itself: one folder per task, content only; nothing imports it."""
