"""The concepts of the benchmark as records and protocols; no file or process access."""
