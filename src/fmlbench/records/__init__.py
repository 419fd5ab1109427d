"""Typed events, the run folder, the append-only log, replay and provenance."""
