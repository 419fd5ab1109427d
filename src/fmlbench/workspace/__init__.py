"""Pinned codebases, data with checksums, snapshots, and the trees of experiments."""
