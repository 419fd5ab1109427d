"""Reading and finding tasks."""
