"""Play one run; admit a task."""
