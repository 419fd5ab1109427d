"""Pinned codebases, data with checksums, snapshots, and laying out a fresh tree."""
