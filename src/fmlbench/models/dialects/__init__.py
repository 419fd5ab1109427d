"""The APIs of language models: one file each."""
