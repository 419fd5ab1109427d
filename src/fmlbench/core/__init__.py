"""The words of the benchmark: records and protocols, no files and no processes."""
