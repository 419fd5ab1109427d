"""Read and find tasks."""
